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
  Column<std::int64_t> intervals;
  Column<std::int64_t> rtts;
  Column<std::int64_t> base_rtts;
  Column<float> rates;
  Column<std::int32_t> sent;
  Column<std::int32_t> marked;
  Column<std::int32_t> lost;
  Column<std::int64_t> acknowledged;
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
    Arrays& a = *arrays_;
    batch_ = {.observations = span_of(a.observations),
              .rewards = span_of(a.rewards),
              .flows = span_of(a.flows),
              .environments = span_of(a.environments),
              .episodes = span_of(a.episodes),
              .times = span_of(a.times),
              .first = span_of(a.first),
              .seen = {.intervals = span_of(a.intervals),
                       .rtts = span_of(a.rtts),
                       .base_rtts = span_of(a.base_rtts),
                       .rates = span_of(a.rates),
                       .sent = span_of(a.sent),
                       .marked = span_of(a.marked),
                       .lost = span_of(a.lost),
                       .acknowledged = span_of(a.acknowledged)}};
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
             Column<std::uint8_t> first, Column<std::int64_t> interval_ps, Column<std::int64_t> rtt_ps,
             Column<std::int64_t> base_rtt_ps, Column<float> rate, Column<std::int32_t> sent_packets,
             Column<std::int32_t> marked_packets, Column<std::int32_t> lost_packets,
             Column<std::int64_t> acknowledged_bytes) {
            v.use({observations, rewards, flows, environments, episodes, times, first, interval_ps, rtt_ps, base_rtt_ps,
                   rate, sent_packets, marked_packets, lost_packets, acknowledged_bytes});
          },
          "observations"_a.noconvert(), "rewards"_a.noconvert(), "flows"_a.noconvert(), "environments"_a.noconvert(),
          "episodes"_a.noconvert(), "times"_a.noconvert(), "first"_a.noconvert(), "interval_ps"_a.noconvert(),
          "rtt_ps"_a.noconvert(), "base_rtt_ps"_a.noconvert(), "rate"_a.noconvert(), "sent_packets"_a.noconvert(),
          "marked_packets"_a.noconvert(), "lost_packets"_a.noconvert(), "acknowledged_bytes"_a.noconvert(),
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
