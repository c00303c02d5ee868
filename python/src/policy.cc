// Policies as the simulator evaluates them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "module.h"
#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/text_file.h"
#include "weir/policy/decider.h"
#include "weir/policy/distil.h"
#include "weir/policy/policy_file.h"
#include "weir/policy/quantise.h"
#include "weir/policy/walks.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

using Inputs = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Memory = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Outputs = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

class Decider {
 public:
  explicit Decider(const policy::Policy& policy) : decider_(policy) {}

  const policy::Policy& policy() const { return decider_.policy(); }
  // From a table as policy::read_samples() reads it; none: from simulated flows.
  std::string quantised(const std::optional<std::string>& file) const {
    const auto samples = file ? samples_of(*file) : policy::walk(decider_);
    return policy::policy_text(policy::quantise(policy(), samples));
  }
  std::string distilled(const std::optional<std::string>& file, int leaves) const {
    if (leaves < 1) throw InputError("leaves", "valid is 1 or more");
    const policy::DistilOptions options{.leaves = leaves};
    return policy::policy_text(file ? policy::distil(policy(), samples_of(*file), options)
                                    : policy::distil_in_loop(policy(), options));
  }

  std::size_t width() const { return static_cast<std::size_t>(decider_.policy().width()); }
  std::size_t memory() const { return decider_.memory(); }
  double step() const { return decider_.policy().step; }

  void start(const Memory& memory) const {
    require(memory.shape(1) == this->memory(), "memory", "columns", this->memory());
    for (std::size_t i = 0; i < memory.shape(0); ++i) at(memory, i, [&](std::byte* m) { decider_.start(m); });
  }

  void evaluate(const Inputs& inputs, const Memory& memory, const Outputs& y) const {
    const std::size_t rows = inputs.shape(0);
    require(inputs.shape(1) == width(), "inputs", "columns", width());
    require(memory.shape(1) == this->memory(), "memory", "columns", this->memory());
    require(memory.shape(0) == rows, "memory", "rows", rows);
    require(y.shape(0) == rows, "y", "rows", rows);
    for (std::size_t i = 0; i < rows; ++i)
      at(memory, i,
         [&](std::byte* m) { y.data()[i] = decider_.evaluate(std::span(inputs.data() + i * width(), width()), m); });
  }

 private:
  static void require(bool is_valid, const char* key, const char* what, std::size_t valid) {
    if (!is_valid) throw InputError(std::string(key), "valid are " + std::to_string(valid) + " " + what);
  }

  // Calls `work` with a row of memory, which need not be aligned for it.
  template <class Work>
  void at(const Memory& memory, std::size_t row, Work&& work) const {
    alignas(8) std::byte aligned[policy::Decider::kMaxMemory];
    std::uint8_t* const there = memory.data() + row * this->memory();
    std::memcpy(aligned, there, this->memory());
    work(aligned);
    std::memcpy(there, aligned, this->memory());
  }

  std::vector<policy::Sample> samples_of(const std::string& file) const {
    return policy::read_samples(read_text_file(file, "a table with the columns in1, in2, ..."), file, decider_);
  }

  policy::Decider decider_;
};

policy::Policy parsed(const std::string& text) {
  return of_no_file("policy", [&](const char* name) { return policy::parse_policy(text, name); });
}

}  // namespace

void add_policy(nb::module_& m) {
  nb::class_<Decider>(m, "Decider", "A policy as the simulator evaluates it.")
      .def_static(
          "of_name", [](const std::string& name) { return std::make_unique<Decider>(policy::find_policy(name)); },
          "name"_a)
      .def_static(
          "of_text", [](const std::string& text) { return std::make_unique<Decider>(parsed(text)); }, "text"_a)
      .def_prop_ro("text", [](const Decider& d) { return policy::policy_text(d.policy()); })
      .def_prop_ro("digest", [](const Decider& d) { return policy::digest(d.policy()); })
      .def("quantised", &Decider::quantised, "calibration"_a.none())
      .def("distilled", &Decider::distilled, "calibration"_a.none(), "leaves"_a)
      .def_prop_ro("width", &Decider::width)
      .def_prop_ro("memory", &Decider::memory)
      .def_prop_ro("step", &Decider::step)
      .def("start", &Decider::start, "memory"_a.noconvert())
      .def("evaluate", &Decider::evaluate, "inputs"_a.noconvert(), "memory"_a.noconvert(), "y"_a.noconvert());
  m.def(
      "seconds", [](const std::string& time) { return parse_time(time).seconds(); }, "time"_a);
}

}  // namespace weir::python
