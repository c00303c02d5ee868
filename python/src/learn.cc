// Training policies.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "module.h"
#include "rows.h"
#include "weir/base/error.h"
#include "weir/learn/trainer.h"
#include "weir/learn/training_files.h"
#include "weir/policy/policy_file.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

using learn::Curriculum;

unsigned threads_of(std::int64_t threads) {
  if (threads < 0 || threads > 4096) throw InputError("threads", "valid is 0 to 4096");
  return threads > 0 ? static_cast<unsigned>(threads) : std::max(1u, std::thread::hardware_concurrency());
}

Curriculum curriculum_of_text(const std::string& text) {
  return of_no_file("curriculum", [&](const char* name) { return learn::parse_curriculum(text, name); });
}

Table table_of(const learn::Validation& validation) {
  Rows rows;
  for (const learn::Evaluation& run : validation.runs) {
    rows.whole("flows", static_cast<std::int64_t>(run.flows));
    rows.real("utilisation", run.utilisation);
    rows.real("fairness", run.fairness);
    rows.real("jain", run.jain);
    rows.real("rate_error", run.rate_error);
    rows.real("queue_ps", run.queue * 1e12);
    rows.real("expected_queue_ps", run.expected_queue * 1e12);
    rows.whole("dropped_packets", static_cast<std::int64_t>(run.dropped));
    rows.real("score", run.score());
    rows.end_row();
  }
  return rows.take();
}

class Training : public OneAtATime {
 public:
  Training(const Curriculum& curriculum, const std::string& directory, std::int64_t threads, bool resume)
      : trainer_(curriculum, {.directory = directory, .threads = threads_of(threads), .resume = resume}) {}

  const learn::Trainer& trainer() const { return trainer_; }

  nb::dict step() {
    learn::Update u;
    {
      const Call call(*this);
      const nb::gil_scoped_release release;
      u = trainer_.step();
    }
    nb::dict out;
    out["update"] = u.number;
    out["decisions"] = u.decisions;
    out["learning_rate"] = u.rate;
    out["loss"] = u.loss;
    out["reward"] = u.reward;
    out["fairness"] = u.fairness;
    out["queue_ps"] = u.queue * 1e12;
    out["score"] = u.validated ? nb::cast(u.score) : nb::none();
    return out;
  }

  // The text of the best policy, unless the method gives none.
  std::optional<std::string> finish() {
    const Call call(*this);
    const nb::gil_scoped_release release;
    trainer_.finish();
    trainer_.return_to_best();
    const auto best = trainer_.learner().policy();
    if (!best) return std::nullopt;
    const Curriculum& c = trainer_.curriculum();
    return learn::policy_text(*best, c, c.digest(), trainer_.best().update, trainer_.best().score);
  }

 private:
  learn::Trainer trainer_;
};

// The queue that is to be expected is that of the policy's own signal.
Curriculum with_signal(Curriculum c, const policy::Signal& s) {
  c.policy.target = s.target;
  c.policy.beta = s.beta;
  c.policy.scale = s.scale;
  c.policy.base_rtt = s.base_rtt;
  c.policy.queue_unit = s.queue_unit;
  c.policy.queue_packets = s.queue_packets;
  c.policy.power_eighths = s.power;
  return c;
}

Table validation_of(const std::string& policy, const Curriculum& curriculum, std::int64_t threads) {
  const nb::gil_scoped_release release;
  const auto decider = std::make_shared<const policy::Decider>(policy::parse_policy(policy, "policy"));
  return table_of(learn::validate(
      with_signal(curriculum, decider->policy().signal),
      [&](const RandomStream& stream, const learn::FirstRates& rates) {
        return std::make_unique<learn::PolicyActor>(stream, rates, decider);
      },
      threads_of(threads)));
}

}  // namespace

void add_learn(nb::module_& m) {
  nb::class_<Curriculum>(m, "Curriculum", "What is trained on and how.")
      .def_static("of_file", &learn::read_curriculum, "file"_a)
      .def_static("of_text", &curriculum_of_text, "text"_a)
      .def(
          "with_seed",
          [](const Curriculum& c, std::uint64_t seed) {
            Curriculum out = c;
            out.learner.seed = seed;
            return out;
          },
          "seed"_a)
      .def_prop_ro("text", [](const Curriculum& c) { return c.effective(); });
  nb::class_<Training>(m, "Trainer", "A training, update by update.")
      .def(nb::init<const Curriculum&, const std::string&, std::int64_t, bool>(), "curriculum"_a, "directory"_a,
           "threads"_a, "resume"_a)
      .def("step", &Training::step, nb::sig("def step(self) -> dict[str, typing.Any]"))
      .def("finish", &Training::finish)
      .def_prop_ro("done", [](const Training& t) { return t.trainer().done(); })
      .def_prop_ro("updates", [](const Training& t) { return t.trainer().updates(); })
      .def_prop_ro("most_updates", [](const Training& t) { return t.trainer().curriculum().learner.updates; })
      .def_prop_ro("best_update", [](const Training& t) { return t.trainer().best().update; })
      .def_prop_ro("best_score", [](const Training& t) { return t.trainer().best().score; })
      .def_prop_ro("validation", [](const Training& t) { return table_of(t.trainer().best()); });
  m.def("validate", &validation_of, "policy"_a, "curriculum"_a, "threads"_a);
}

}  // namespace weir::python
