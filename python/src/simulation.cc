// weir.run and weir.Simulation.
#include "weir/simulation.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counters.h"
#include "decisions.h"
#include "driver.h"
#include "events_table.h"
#include "kept_alive.h"
#include "module.h"
#include "rows.h"
#include "table.h"
#include "units.h"
#include "weir/base/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

nb::tuple tuple_of(Result&& result) {
  Tables tables(std::move(result.tables));
  return nb::make_tuple(result.summary, result.manifest, result.is_whole, result.reason,
                        nb::cast(std::move(tables), nb::rv_policy::move));
}

// Whether Python wants to go on: handlers of signals are called, which raise KeyboardInterrupt for Ctrl-C.
void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// What a run that has no Python in it calls now and then. An exception ends the run, and is raised when it has ended.
class Watch {
 public:
  template <class Call>
  bool operator()(Call&& call) {
    const nb::gil_scoped_acquire acquire;
    try {
      check_signals();
      return call();
    } catch (...) {
      error_ = std::current_exception();
      return false;
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

nb::tuple run(const Scenario& scenario, const std::string& directory, bool tables, const nb::object& progress) {
  Watch watch;
  Result result;
  {
    const nb::gil_scoped_release release;
    result = execute(scenario, {.directory = directory, .tables = tables, .progress = [&](const Progress& p) {
                                  return watch([&] {
                                    if (progress.is_none()) return true;
                                    return !progress(p.now.ps, p.done, counters_of(p.counters)).is(nb::bool_(false));
                                  });
                                }});
  }
  watch.rethrow();
  return tuple_of(std::move(result));
}

// A run that is stepped. Python's lock is released while it simulates and is taken for the program's functions.
class Steps : OneAtATime {
 public:
  Steps(const Scenario& scenario, bool tables, bool events)
      : scenario_(scenario), tables_(tables), simulation_(scenario, {.tables = tables, .events = events}) {}
  Steps(const Scenario& scenario, bool tables, Simulation&& simulation)
      : scenario_(scenario), tables_(tables), simulation_(std::move(simulation)) {}

  const Scenario& scenario() const { return scenario_; }
  const engine::Engine& engine() const { return simulation_.engine(); }

  bool advance(std::optional<std::int64_t> until) {
    const Call call(*this);
    begun_ = true;
    Watch watch;
    bool has_ended = false;
    {
      const nb::gil_scoped_release release;
      const Time end = until ? Time{*until} : Time::max();
      has_ended = simulation_.advance(end, [&] { return watch([] { return true; }); });
    }
    watch.rethrow();
    check_signals();
    return has_ended;
  }

  std::uint64_t send(std::uint32_t src, std::uint32_t dst, nb::handle size, nb::handle start, const std::string& tag,
                     const std::string& profile) {
    const Call call(*this);
    NewFlow flow{.src = src, .dst = dst, .size = bytes_of(size, "size"), .tag = tag, .profile = profile};
    if (!start.is_none()) {
      flow.start = time_of(start, "start");
      if (flow.start < engine().now())
        throw InputError("start", "it is before the present instant; valid is from then on, or None for now");
    }
    return simulation_.send(flow);
  }

  void on_finish(nb::object call) {
    before_the_first_step();
    simulation_.engine().on_finish([this, call = guarded(std::move(call))](const host::FlowRecord& r) {
      const nb::gil_scoped_acquire acquire;
      const Inside inside(*this);
      (*call)(r.id, r.src, r.dst, r.size.count, r.start.ps, r.finish.ps, r.retransmitted, simulation_.tags().at(r.tag),
              simulation_.profiles().at(r.profile));
    });
  }
  void every(nb::handle interval, nb::object call) {
    const Time t = time_of(interval, "interval");
    before_the_first_step();
    simulation_.engine().every(t, [this, call = guarded(std::move(call))](Time now) {
      const nb::gil_scoped_acquire acquire;
      const Inside inside(*this);
      (*call)(now.ps);
    });
  }
  void trace(nb::object call, const std::vector<std::string>& kinds,
             const std::optional<std::vector<std::uint32_t>>& ports, nb::handle since, nb::handle until) {
    net::TraceFilter filter = filter_of(engine().network(), kinds, ports, since, until);
    before_the_first_step();
    simulation_.engine().trace(std::move(filter), [this, call = guarded(std::move(call))](net::TraceEvents events) {
      const nb::gil_scoped_acquire acquire;
      const Inside inside(*this);
      (*call)(table_of(events));
    });
  }
  void drive(nb::object driver) {
    before_the_first_step();
    const Guarded own = kept_alive(std::move(driver));
    simulation_.engine().drive(driver_of(own, simulation_));
    keep_driver(own);
  }
  nb::object driver() const { return driver_ ? *driver_ : nb::none(); }
  void decide(nb::object call) {
    before_the_first_step();
    simulation_.engine().decide(batches(guarded(std::move(call))));
  }

  nb::bytes save() {
    const Call call(*this);
    std::string out;
    {
      const nb::gil_scoped_release release;
      out = simulation_.save();
    }
    return nb::bytes(out.data(), out.size());
  }
  void restore(const nb::bytes& state) {
    const Call call(*this);
    const std::string_view bytes(state.c_str(), state.size());
    const nb::gil_scoped_release release;
    simulation_.restore(bytes);
  }
  // For Python to own. The copy's driver is a copy, too: what the state of the run has of it.
  Steps* fork() {
    const Call call(*this);
    const Guarded driver = driver_ ? kept_alive(*driver_) : nullptr;
    const nb::gil_scoped_release release;
    auto out = std::make_unique<Steps>(scenario_, tables_, simulation_.clone([&](engine::Engine& e) {
      if (driver) e.drive(driver_of(driver, simulation_));
    }));
    out->keep_driver(driver);
    return out.release();
  }

  void after_fork() {
    const Call call(*this);
    simulation_.engine().after_fork();
  }

  // For Python's collector of garbage: the program's functions, most of which refer to this run.
  const std::vector<std::shared_ptr<nb::object>>& calls() const { return calls_; }
  void forget_calls() {
    for (const auto& call : calls_) call->reset();
  }

  Table flows() {
    const Look look(*this);
    Rows rows;
    const auto profiles = simulation_.profiles();
    engine().for_each_active([&](const host::FlowView& flow) {
      rows.whole("flow_id", static_cast<std::int64_t>(flow.id));
      rows.whole("src", flow.src);
      rows.whole("dst", flow.dst);
      rows.whole("size_bytes", flow.size.count);
      rows.whole("start_ps", flow.start.ps);
      rows.whole("sent_bytes", flow.sent.count);
      rows.whole("acked_bytes", flow.acknowledged.count);
      rows.whole("in_flight_bytes", flow.in_flight.count);
      rows.whole("window_bytes", flow.window.count);
      rows.whole("rate_bps", flow.rate.bits_per_second);
      rows.whole("srtt_ps", flow.srtt.ps);
      rows.whole("base_rtt_ps", flow.base_rtt.ps);
      rows.whole("retransmitted_packets", flow.retransmitted);
      rows.text("algorithm", profiles.at(flow.profile));
      rows.text("tag", simulation_.tags().at(flow.tag));
      rows.end_row();
    });
    return rows.take();
  }
  Table ports() {
    const Look look(*this);
    Rows rows;
    engine::Engine& e = simulation_.engine();
    for (std::uint32_t port = 0; port < e.network().ports(); ++port) {
      const engine::PortFacts facts = e.network().port(port);
      const engine::PortFigures figures = e.port_figures(port);
      rows.whole("port", port);
      rows.whole("from", facts.from);
      rows.whole("to", facts.to);
      rows.whole("rate_bps", facts.rate.bits_per_second);
      rows.whole("delay_ps", facts.delay.ps);
      rows.whole("queue_bytes", e.queued_bytes(port));
      rows.whole("sent_bytes", static_cast<std::int64_t>(figures.sent_bytes));
      rows.whole("marked_packets", static_cast<std::int64_t>(figures.marked));
      rows.whole("lost_packets", static_cast<std::int64_t>(figures.lost));
      rows.whole("pauses", figures.pauses);
      rows.whole("paused_ps", figures.paused.ps);
      rows.whole("storms", figures.storms);
      rows.whole("storm_dropped_packets", static_cast<std::int64_t>(figures.storm_dropped));
      rows.end_row();
    }
    return rows.take();
  }
  nb::object queues() {
    const Look look(*this);
    engine::Engine& e = simulation_.engine();
    auto* values = new std::vector<std::int64_t>(e.network().ports());
    for (std::uint32_t port = 0; port < e.network().ports(); ++port) (*values)[port] = e.queued_bytes(port);
    const nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(values->data(), {values->size()}, owner));
  }
  // Capacities in bit/s by port, and by active flow its id and ports.
  nb::tuple network() {
    const Call call(*this);
    std::vector<double> capacities;
    for (std::uint32_t port = 0; port < engine().network().ports(); ++port)
      capacities.push_back(static_cast<double>(engine().network().port(port).rate.bits_per_second));
    std::vector<std::uint64_t> ids;
    std::vector<std::vector<std::uint32_t>> paths;
    engine().for_each_active([&](const host::FlowView& flow) {
      ids.push_back(flow.id);
      paths.push_back(engine().path(host::record_of(flow, Time::max())));
    });
    return nb::make_tuple(capacities, ids, paths);
  }

  nb::object stall() const {
    const engine::Stall* const stall = engine().stall();
    return stall == nullptr ? nb::none() : nb::cast(engine::to_text(*stall));
  }

  nb::tuple finish() {
    const Call call(*this);
    if (finished_) throw nb::builtin_exception(nb::exception_type::runtime_error, "this run has been finished already");
    finished_ = true;
    Result out;
    {
      const nb::gil_scoped_release release;
      out = simulation_.finish();
    }
    return tuple_of(std::move(out));
  }

 private:
  using Guarded = std::shared_ptr<nb::object>;

  // A function of the program, which the collector of garbage gets to see.
  Guarded guarded(nb::object call) {
    calls_.push_back(kept_alive(std::move(call)));
    return calls_.back();
  }
  void keep_driver(const Guarded& driver) {
    if (!driver) return;
    driver_ = driver;
    calls_.push_back(driver);
  }
  void before_the_first_step() const {
    if (begun_)
      throw nb::builtin_exception(nb::exception_type::runtime_error,
                                  "the run has begun; functions are set before the first advance()");
  }

  Scenario scenario_;
  bool tables_;
  bool begun_ = false;
  bool finished_ = false;
  std::vector<Guarded> calls_;
  Guarded driver_;  // null: there is none
  Simulation simulation_;
};

int visit_calls(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  for (const auto& call : nb::inst_ptr<Steps>(self)->calls()) Py_VISIT(call->ptr());
  return 0;
}

int clear_calls(PyObject* self) {
  nb::inst_ptr<Steps>(self)->forget_calls();
  return 0;
}

PyType_Slot steps_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_calls)},
                             {Py_tp_clear, reinterpret_cast<void*>(clear_calls)},
                             {0, nullptr}};

}  // namespace

void add_simulation(nb::module_& m) {
  m.def("run", &run, "scenario"_a, "directory"_a, "tables"_a, "progress"_a.none(),
        nb::sig("def run(scenario: Scenario, directory: str, tables: bool, "
                "progress: collections.abc.Callable[[int, float, dict[str, int]], bool | None] | None) -> "
                "tuple[str, str, bool, str, Tables]"));
  nb::class_<Steps>(m, "Steps", nb::type_slots(steps_slots), "A run that is stepped.")
      .def(
          "__init__",
          [](Steps* self, const Scenario& scenario, bool tables, bool events) {
            const nb::gil_scoped_release release;
            new (self) Steps(scenario, tables, events);
          },
          "scenario"_a, "tables"_a, "events"_a)
      .def("advance", &Steps::advance, "until_ps"_a.none())
      .def("send", &Steps::send, "src"_a, "dst"_a, "size"_a, "start"_a.none(), "tag"_a, "profile"_a,
           nb::sig("def send(self, src: int, dst: int, size: int | str, start: int | str | None, tag: str, "
                   "profile: str) -> int"))
      .def("on_finish", &Steps::on_finish, "call"_a,
           nb::sig("def on_finish(self, call: collections.abc.Callable[[int, int, int, int, int, int, int, str, str], "
                   "object]) -> None"))
      .def("every", &Steps::every, "interval"_a, "call"_a,
           nb::sig("def every(self, interval: int | str, call: collections.abc.Callable[[int], object]) -> None"))
      .def("trace", &Steps::trace, "call"_a, "kinds"_a, "ports"_a.none(), "since"_a.none(), "until"_a.none(),
           nb::sig("def trace(self, call: collections.abc.Callable[[Columns], object], "
                   "kinds: collections.abc.Sequence[str], ports: collections.abc.Sequence[int] | None, "
                   "since: int | str | None, until: int | str | None) -> None"))
      .def("decide", &Steps::decide, "call"_a,
           nb::sig("def decide(self, call: collections.abc.Callable[[list[Question]], object]) -> None"))
      .def("drive", &Steps::drive, "driver"_a, nb::sig("def drive(self, driver: object) -> None"))
      .def_prop_ro("driver", &Steps::driver, nb::sig("def driver(self) -> typing.Any"))
      .def("save", &Steps::save)
      .def("restore", &Steps::restore, "state"_a)
      .def("fork", &Steps::fork, nb::rv_policy::take_ownership)
      .def("after_fork", &Steps::after_fork)
      .def("flows", &Steps::flows)
      .def("ports", &Steps::ports)
      .def("queues", &Steps::queues, nb::sig("def queues(self) -> numpy.typing.NDArray[numpy.int64]"))
      .def("network", &Steps::network, nb::sig("def network(self) -> tuple[list[float], list[int], list[list[int]]]"))
      .def("stall", &Steps::stall, nb::sig("def stall(self) -> str | None"))
      .def("finish", &Steps::finish, nb::sig("def finish(self) -> tuple[str, str, bool, str, Tables]"))
      .def_prop_ro("scenario", &Steps::scenario)
      .def_prop_ro("now_ps", [](const Steps& s) { return s.engine().now().ps; })
      .def_prop_ro("epoch_ps", [](const Steps& s) { return s.engine().epoch().ps; })
      .def_prop_ro("hosts", [](const Steps& s) { return s.engine().network().hosts(); })
      .def_prop_ro("switches", [](const Steps& s) { return s.engine().network().switches(); })
      .def_prop_ro(
          "counters", [](const Steps& s) { return counters_of(s.engine().counters()); },
          nb::sig("def counters(self) -> dict[str, int]"));
  m.def(
      "time_ps", [](nb::handle value, const std::string& key) { return time_of(value, key.c_str()).ps; }, "value"_a,
      "key"_a, nb::sig("def time_ps(value: int | str, key: str) -> int"));
}

}  // namespace weir::python
