// Many environments in one call.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "module.h"
#include "weir/base/error.h"
#include "weir/gym/vector_environment.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

template <class Number>
using Column = nb::ndarray<Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The caller's arrays, which are kept.
struct Arrays {
  Matrix observations;
  Column<float> rewards;
  Column<std::int64_t> flows;
  Column<std::int32_t> environments;
  Column<std::int32_t> episodes;
  Column<std::int64_t> times;
  Column<std::uint8_t> first;
};

template <class Array>
auto span_of(Array& a) {
  return std::span(a.data(), a.size());
}

class Vector : OneAtATime {
 public:
  Vector(const std::vector<Scenario>& scenarios, const gym::Settings& settings, const gym::VectorShape& shape)
      : environment_(scenarios, settings, shape) {}

  void use(Arrays arrays) {
    const Call call(*this);
    if (arrays.observations.shape(1) != environment_.width())
      throw InputError("observations", "an observation has " + std::to_string(environment_.width()) +
                                           " numbers; the array must have so many columns");
    arrays_ = std::move(arrays);
    batch_ = {span_of(arrays_->observations), span_of(arrays_->rewards),  span_of(arrays_->flows),
              span_of(arrays_->environments), span_of(arrays_->episodes), span_of(arrays_->times),
              span_of(arrays_->first)};
  }

  std::size_t reset(std::uint64_t seed) {
    const Call call(*this);
    const nb::gil_scoped_release release;
    return environment_.reset(seed, batch_);
  }

  template <class Number>
  std::size_t step(const Column<const Number>& factors) {
    const Call call(*this);
    const nb::gil_scoped_release release;
    return environment_.step(std::span(factors.data(), factors.size()), batch_);
  }

  const gym::VectorEnvironment& environment() const { return environment_; }

 private:
  gym::VectorEnvironment environment_;
  std::optional<Arrays> arrays_;
  gym::Batch batch_;
};

}  // namespace

void add_vector(nb::module_& m) {
  nb::class_<Vector>(m, "VectorEnvironment", "Many environments that are stepped together.")
      .def(
          "__init__",
          [](Vector* self, const std::vector<Scenario>& scenarios, const gym::Settings& settings,
             std::int64_t environments, std::int64_t slots, std::int64_t threads) {
            const nb::gil_scoped_release release;
            new (self) Vector(scenarios, settings, {environments, slots, threads});
          },
          "scenarios"_a, "settings"_a, "environments"_a, "slots"_a, "threads"_a)
      .def(
          "use",
          [](Vector& v, Matrix observations, Column<float> rewards, Column<std::int64_t> flows,
             Column<std::int32_t> environments, Column<std::int32_t> episodes, Column<std::int64_t> times,
             Column<std::uint8_t> first) {
            v.use({observations, rewards, flows, environments, episodes, times, first});
          },
          "observations"_a.noconvert(), "rewards"_a.noconvert(), "flows"_a.noconvert(), "environments"_a.noconvert(),
          "episodes"_a.noconvert(), "times"_a.noconvert(), "first"_a.noconvert(),
          "Sets the arrays that reset() and step() write.")
      .def("reset", &Vector::reset, "seed"_a)
      .def("step", &Vector::step<float>, "factors"_a.noconvert())
      .def(
          "step",
          [](Vector& v, nb::handle factors) {
            Column<const double> column;
            if (!nb::try_cast(factors, column))
              throw InputError("actions", "valid is an array of numbers with one dimension");
            return v.step(column);
          },
          "factors"_a, nb::sig("def step(self, factors: numpy.typing.NDArray[numpy.float64]) -> int"))
      .def_prop_ro("capacity", [](const Vector& v) { return v.environment().capacity(); })
      .def_prop_ro("width", [](const Vector& v) { return v.environment().width(); })
      .def_prop_ro("environments", [](const Vector& v) { return v.environment().environments(); })
      .def_prop_ro("slots", [](const Vector& v) { return v.environment().slots(); })
      .def_prop_ro("threads", [](const Vector& v) { return v.environment().threads(); });
}

}  // namespace weir::python
