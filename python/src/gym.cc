// Environments that stop at each question, and those of one batch after another.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "module.h"
#include "weir/base/error.h"
#include "weir/gym/environment.h"
#include "weir/gym/settings.h"
#include "weir/gym/turn_environment.h"
#include "weir/gym/turn_environments.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

using Row = nb::ndarray<nb::numpy, float, nb::ndim<1>>;
using Rows = nb::ndarray<nb::numpy, float, nb::ndim<2>>;
using Factors = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Row row_of(std::span<const float> values) {
  auto* copy = new float[values.size()];
  std::copy(values.begin(), values.end(), copy);
  return Row(copy, {values.size()}, nb::capsule(copy, [](void* p) noexcept { delete[] static_cast<float*>(p); }));
}

const double kDefaultBaseRtt = policy::Signal().base_rtt.seconds();

Time seconds_of(double seconds, const char* key) {
  if (!(seconds >= 0 && seconds <= 1)) throw InputError(key, "valid is 0 to 1, in seconds");
  return {std::llround(seconds * 1e12)};
}

int eighths_of(double power) {
  const double eighths = 8 * power;
  if (!(eighths >= 1 && eighths <= 8 && eighths == std::floor(eighths)))
    throw InputError("power", "valid is a multiple of 0.125 up to 1");
  return static_cast<int>(eighths);
}

gym::Settings settings(const std::vector<std::string>& profiles, const std::string& inputs, std::optional<int> history,
                       double clip, double target, double beta, double scale, std::optional<double> base_rtt,
                       double queue_unit, double queue_packets, double power, const std::string& reward,
                       const std::optional<std::pair<double, double>>& first_rates) {
  gym::Settings s;
  s.profiles = profiles;
  if (inputs != "code" && inputs != "paper")
    throw InputError("inputs", "'" + inputs + "' is unknown; valid is code, paper");
  s.inputs = inputs == "code" ? policy::Inputs::code : policy::Inputs::paper;
  s.history = history.value_or(inputs == "code" ? 2 : 1);
  s.clip = clip;
  s.signal = {.target = target,
              .beta = beta,
              .scale = scale,
              .base_rtt = seconds_of(base_rtt.value_or(queue_unit > 0 ? 0 : kDefaultBaseRtt), "base_rtt"),
              .queue_unit = seconds_of(queue_unit, "queue_unit"),
              .queue_packets = queue_packets,
              .power = eighths_of(power)};
  if (reward != "signal" && reward != "paper")
    throw InputError("reward", "'" + reward + "' is unknown; valid is signal, paper");
  s.reward = reward == "signal" ? gym::Reward::signal : gym::Reward::paper;
  if (first_rates) {
    s.least_first_rate = first_rates->first;
    s.most_first_rate = first_rates->second;
    if (!(s.least_first_rate > 0)) throw InputError("first_rates", "valid are two numbers above 0, up to 1");
  }
  gym::check(s);
  return s;
}

std::vector<std::uint32_t> numbers_of(std::span<const gym::FlowName> flows) {
  std::vector<std::uint32_t> out;
  for (const auto& flow : flows) out.push_back(flow.number);
  return out;
}

// An environment and who is using it.
template <class E>
struct Guarded : OneAtATime {
  template <class... X>
  requires std::is_constructible_v<E, X...>
  explicit Guarded(X&&... x) : environment(std::forward<X>(x)...) {}
  Guarded(const Guarded&) = delete;
  E environment;
};
using Turn = Guarded<gym::TurnEnvironment>;
using Window = Guarded<gym::Environment>;

// Does the work without Python's lock, so that other threads of the program go on.
template <class E, class Work>
void without_lock(Guarded<E>& guarded, Work&& work) {
  const OneAtATime::Call call(guarded);
  const nb::gil_scoped_release release;
  work(guarded.environment);
}

// Names and values of what a learner is told of a question.
template <class Use>
void for_each_seen(Use&& use) {
  using Q = gym::Question;
  use("interval_ps", [](const Q& q) { return q.interval.ps; });
  use("rtt_ps", [](const Q& q) { return q.seen.rtt.ps; });
  use("base_rtt_ps", [](const Q& q) { return q.seen.base_rtt.ps; });
  use("rate", [](const Q& q) { return q.seen.rate; });
  use("sent_packets", [](const Q& q) { return std::int64_t{q.seen.sent}; });
  use("marked_packets", [](const Q& q) { return std::int64_t{q.seen.cnps}; });
  use("lost_packets", [](const Q& q) { return std::int64_t{q.seen.nacks}; });
  use("acknowledged_bytes", [](const Q& q) { return q.seen.acknowledged.count; });
}

nb::dict seen(const gym::Question& q) {
  nb::dict out;
  for_each_seen([&](const char* name, auto value) { out[name] = value(q); });
  return out;
}

nb::tuple news(const gym::Flows& flows) {
  return nb::make_tuple(numbers_of(flows.started()), numbers_of(flows.ended()));
}

void add_turns(nb::module_& m) {
  nb::class_<Turn>(m, "TurnEnvironment", "A run that stops at each question.")
      .def(
          "__init__",
          [](Turn* self, const Scenario& scenario, const gym::Settings& s, std::optional<std::uint32_t> single,
             const std::string& others) {
            std::optional<gym::SingleFlow> one;
            if (single) one = gym::SingleFlow{.number = *single, .others = others};
            new (self) Turn(scenario, s, std::move(one));
          },
          "scenario"_a, "settings"_a, "single"_a = nb::none(), "others"_a = "")
      .def(
          "reset", [](Turn& t, std::uint64_t seed) { without_lock(t, [&](auto& e) { e.reset(seed); }); }, "seed"_a)
      .def(
          "step", [](Turn& t, double factor) { without_lock(t, [&](auto& e) { e.step(factor); }); }, "factor"_a)
      .def("close", [](Turn& t) { without_lock(t, [](auto& e) { e.close(); }); })
      .def_prop_ro("has_ended", [](const Turn& t) { return t.environment.has_ended(); })
      .def_prop_ro(
          "observation", [](const Turn& t) { return row_of(t.environment.observation()); }, nb::rv_policy::move)
      .def_prop_ro("reward", [](const Turn& t) { return t.environment.question().reward; })
      .def_prop_ro(
          "seen", [](const Turn& t) { return seen(t.environment.question()); },
          nb::for_getter(nb::sig("def seen(self, /) -> dict[str, float]")),
          "What the flow has observed since the decision before.")
      .def_prop_ro("single_has_ended", [](const Turn& t) { return t.environment.single_has_ended(); })
      .def("require_question", [](const Turn& t) { t.environment.require_question(); })
      .def_prop_ro("number", [](const Turn& t) { return t.environment.question().number; })
      .def_prop_ro("flow", [](const Turn& t) { return t.environment.question().flow; })
      .def_prop_ro("is_first", [](const Turn& t) { return t.environment.question().first; })
      .def_prop_ro("time_ps", [](const Turn& t) { return t.environment.now().ps; })
      .def_prop_ro("width", [](const Turn& t) { return t.environment.flows().width(); })
      .def(
          "count_flows", [](const Turn& t, std::uint32_t most) { return t.environment.outside().count_flows(most); },
          "most"_a)
      .def(
          "take_news",
          [](Turn& t) {
            nb::tuple out = news(t.environment.flows());
            t.environment.forget_news();
            return out;
          },
          nb::sig("def take_news(self) -> tuple[list[int], list[int]]"),
          "The numbers of flows that have started, and of those that have ended, since the last call.");
}

void add_windows(nb::module_& m) {
  nb::class_<Window>(m, "Environment", "A run that asks for decisions in batches.")
      .def(
          "__init__",
          [](Window* self, const Scenario& scenario, const gym::Settings& s) { new (self) Window(scenario, s); },
          "scenario"_a, "settings"_a)
      .def(
          "reset", [](Window& w, std::uint64_t seed) { without_lock(w, [&](auto& e) { e.reset(seed); }); }, "seed"_a)
      .def("close", [](Window& w) { without_lock(w, [](auto& e) { e.close(); }); })
      .def("advance",
           [](Window& w) {
             bool goes_on = false;
             without_lock(w, [&](auto& e) { goes_on = e.advance(); });
             return goes_on;
           })
      .def(
          "answer",
          [](Window& w, const Factors& factors) {
            const OneAtATime::Call call(w);
            auto& e = w.environment;
            if (factors.size() != e.questions().size())
              throw InputError("actions", "there are " + std::to_string(factors.size()) +
                                              "; valid is one for each of " + std::to_string(e.questions().size()) +
                                              " questions");
            for (std::size_t i = 0; i < factors.size(); ++i) gym::check_factor(factors.data()[i], i);
            for (std::size_t i = 0; i < factors.size(); ++i) e.answer(i, factors.data()[i]);
          },
          "factors"_a)
      .def(
          "questions",
          [](const Window& w) {
            nb::list out;
            for (const gym::Question& q : w.environment.questions())
              out.append(nb::make_tuple(q.number, q.now.ps, q.reward, q.first, seen(q)));
            return out;
          },
          nb::sig("def questions(self) -> list[tuple[int, int, float, bool, dict[str, float]]]"))
      .def_prop_ro(
          "observations",
          [](const Window& w) {
            const auto values = w.environment.observations();
            const std::size_t width = w.environment.width();
            auto* copy = new float[values.size() + 1];
            std::copy(values.begin(), values.end(), copy);
            const nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<float*>(p); });
            return Rows(copy, {values.size() / width, width}, owner);
          },
          nb::rv_policy::move)
      .def_prop_ro("width", [](const Window& w) { return w.environment.width(); })
      .def_prop_ro("time_ps", [](const Window& w) { return w.environment.now().ps; })
      .def_prop_ro("latency_ps", [](const Window& w) { return w.environment.latency().ps; })
      .def(
          "count_flows", [](const Window& w, std::uint32_t most) { return w.environment.outside().count_flows(most); },
          "most"_a)
      .def(
          "take_news",
          [](Window& w) {
            nb::tuple out = news(w.environment.flows());
            w.environment.forget_news();
            return out;
          },
          nb::sig("def take_news(self) -> tuple[list[int], list[int]]"));
}

// What a learner sees of many environments, copied into arrays of Python's.
template <class Number>
nb::ndarray<nb::numpy, Number, nb::ndim<1>> column_of(const gym::TurnEnvironments& all, const auto& value) {
  auto* numbers = new Number[all.size()];
  const nb::capsule owner(numbers, [](void* p) noexcept { delete[] static_cast<Number*>(p); });
  for (std::size_t i = 0; i < all.size(); ++i) numbers[i] = static_cast<Number>(value(all[i]));
  return {numbers, {all.size()}, owner};
}

void add_many_turns(nb::module_& m) {
  using Turns = Guarded<gym::TurnEnvironments>;
  using Env = gym::TurnEnvironment;
  nb::class_<Turns>(m, "TurnEnvironments", "Runs with a single flow each, which are stepped together.")
      .def(
          "__init__",
          [](Turns* self, const Scenario& scenario, const gym::Settings& s, std::int64_t environments,
             std::uint32_t single, const std::string& others, std::int64_t threads) {
            new (self) Turns(scenario, s, gym::SingleFlow{.number = single, .others = others}, environments, threads);
          },
          "scenario"_a, "settings"_a, "environments"_a, "single"_a, "others"_a, "threads"_a)
      .def(
          "go_on",
          [](Turns& t, const std::vector<std::optional<std::uint64_t>>& seeds, const std::vector<double>& factors) {
            if (seeds.size() != factors.size())
              throw InputError("actions", "there are as many seeds as factors; one of each for each environment");
            std::vector<gym::Move> moves;
            for (std::size_t i = 0; i < seeds.size(); ++i)
              moves.push_back({.begins = seeds[i].has_value(), .seed = seeds[i].value_or(0), .factor = factors[i]});
            without_lock(t, [&](auto& e) { e.go_on(moves); });
          },
          "seeds"_a, "factors"_a,
          "Environments for which there is a seed begin an episode; the others' questions are answered.")
      .def("close", [](Turns& t) { without_lock(t, [](auto& e) { e.close(); }); })
      .def_prop_ro(
          "observations",
          [](const Turns& t) {
            const auto& all = t.environment;
            const std::size_t width = all[0].observation().size();
            auto* copy = new float[all.size() * width];
            const nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<float*>(p); });
            for (std::size_t i = 0; i < all.size(); ++i) {
              const auto row = all[i].observation();
              std::copy(row.begin(), row.end(), copy + i * width);
            }
            return Rows(copy, {all.size(), width}, owner);
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "rewards",
          [](const Turns& t) {
            return column_of<double>(t.environment,
                                     [](const Env& e) { return e.has_ended() ? 0.0f : e.question().reward; });
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "has_ended",
          [](const Turns& t) { return column_of<bool>(t.environment, [](const Env& e) { return e.has_ended(); }); },
          nb::rv_policy::move)
      .def_prop_ro(
          "single_has_ended",
          [](const Turns& t) {
            return column_of<bool>(t.environment, [](const Env& e) { return e.single_has_ended(); });
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "time_ps",
          [](const Turns& t) {
            return column_of<std::int64_t>(t.environment, [](const Env& e) { return e.now().ps; });
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "seen",
          [](const Turns& t) {
            nb::dict out;
            for_each_seen([&](const char* name, auto value) {
              using Number = decltype(value(gym::Question()));
              out[name] = column_of<Number>(t.environment, [&](const Env& e) { return value(e.question()); });
            });
            return out;
          },
          nb::for_getter(nb::sig("def seen(self, /) -> dict[str, object]")))
      .def_prop_ro("threads", [](const Turns& t) { return t.environment.threads(); });
}

}  // namespace

void add_gym(nb::module_& m) {
  const policy::Signal signal;
  nb::class_<gym::Settings>(m, "Settings", "What an environment shows to a learner, and how it rewards.")
      .def_prop_ro("width", &gym::Settings::width)
      .def_prop_ro("clip", [](const gym::Settings& s) { return s.clip; });
  m.def("settings", &settings, "profiles"_a = std::vector<std::string>(), "inputs"_a = "code", "history"_a = nb::none(),
        "clip"_a = gym::Settings().clip, "target"_a = signal.target, "beta"_a = signal.beta, "scale"_a = signal.scale,
        "base_rtt"_a = nb::none(), "queue_unit"_a = 0.0, "queue_packets"_a = 0.0, "power"_a = signal.power / 8.0,
        "reward"_a = "signal", "first_rates"_a = nb::none());
  add_turns(m);
  add_many_turns(m);
  add_windows(m);
}

}  // namespace weir::python
