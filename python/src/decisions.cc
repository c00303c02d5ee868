#include "decisions.h"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "module.h"
#include "units.h"
#include "weir/cc/external.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

// A question and its answer, as values: Python may keep them.
struct Asked {
  std::uint64_t flow;
  std::uint32_t src;
  std::uint32_t dst;
  Time now;
  cc::FlowFacts facts;
  cc::Observation seen;
  Bytes window;
  Rate rate;
};

std::optional<std::int64_t> number_or_none(std::int64_t number, std::int64_t none) {
  return number == none ? std::nullopt : std::optional(number);
}

}  // namespace

host::BatchPolicy batches(std::shared_ptr<nb::object> call) {
  return [call = std::move(call)](std::span<const host::Question> questions, std::span<cc::Control> controls) {
    const nb::gil_scoped_acquire acquire;
    nb::list list;
    std::vector<Asked*> asked;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const host::Question& q = questions[i];
      // Only flows of "external" ask: algorithms of Python decide for themselves.
      const auto& external = *static_cast<const cc::External*>(q.state);
      nb::object one =
          nb::cast(Asked{q.flow, q.src, q.dst, q.now, *q.facts, external.last(), controls[i].window, controls[i].rate});
      asked.push_back(nb::inst_ptr<Asked>(one));
      list.append(std::move(one));
    }
    const nb::list kept(list);  // whatever the function does to the list
    (*call)(nb::list(nb::handle(list)));
    for (std::size_t i = 0; i < asked.size(); ++i) {
      controls[i].window = asked[i]->window;
      controls[i].rate = asked[i]->rate;
    }
  };
}

void add_decisions(nb::module_& m) {
  nb::class_<Asked>(m, "Question",
                    "What a flow of the algorithm \"external\" has observed in a monitor interval, and the answer.")
      .def_ro("flow_id", &Asked::flow)
      .def_ro("src", &Asked::src, "Sending host.")
      .def_ro("dst", &Asked::dst, "Receiving host.")
      .def_prop_ro("now_ps", [](const Asked& a) { return a.now.ps; })
      .def_prop_ro(
          "flow", [](const Asked& a) { return a.facts; }, "Facts that hold for the flow's whole life.")
      .def_prop_ro(
          "from_ps", [](const Asked& a) { return a.seen.from.ps; }, "Begin of the interval.")
      .def_prop_ro(
          "until_ps", [](const Asked& a) { return a.seen.until.ps; }, "End of the interval.")
      .def_prop_ro(
          "sent_bytes", [](const Asked& a) { return a.seen.sent.count; }, "On the wire, with headers.")
      .def_prop_ro(
          "acked_bytes", [](const Asked& a) { return a.seen.acked.count; }, "Payload.")
      .def_prop_ro(
          "lost_bytes", [](const Asked& a) { return a.seen.lost.count; }, "Payload.")
      .def_prop_ro("acks", [](const Asked& a) { return a.seen.acks; })
      .def_prop_ro("marked_acks", [](const Asked& a) { return a.seen.marked; })
      .def_prop_ro("timeouts", [](const Asked& a) { return a.seen.timeouts; })
      .def_prop_ro(
          "least_rtt_ps", [](const Asked& a) { return number_or_none(a.seen.least_rtt.ps, Time::max().ps); },
          "None without acknowledgements.")
      .def_prop_ro(
          "mean_rtt_ps",
          [](const Asked& a) { return a.seen.acks > 0 ? std::optional(a.seen.mean_rtt().ps) : std::nullopt; },
          "None without acknowledgements.")
      .def_prop_rw(
          "window_bytes", [](const Asked& a) { return number_or_none(a.window.count, cc::kNoWindow.count); },
          [](Asked& a, nb::handle w) { a.window = {answer_of(w, "window_bytes", cc::kNoWindow.count)}; },
          nb::for_setter(nb::arg("window_bytes").none()),
          nb::for_setter(nb::sig("def window_bytes(self, window_bytes: float | None, /) -> None")),
          "The answer: bytes that may be in flight; None = as many as the rate allows.")
      .def_prop_rw(
          "rate_bps", [](const Asked& a) { return a.rate.bits_per_second; },
          [](Asked& a, nb::handle rate) {
            a.rate = {std::min(answer_of(rate, "rate_bps", 0), kMaxRate.bits_per_second)};
          },
          nb::for_setter(nb::sig("def rate_bps(self, rate_bps: float, /) -> None")),
          "The answer: bits per second on the wire; 0 = not paced.");
}

}  // namespace weir::python
