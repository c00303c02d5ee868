#include "weir/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/text.h"
#include "weir/base/version.h"
#include "weir/live_tables.h"
#include "weir/mailbox.h"
#include "weir/output.h"
#include "weir/page_server.h"
#include "weir/probe/view_probe.h"
#include "weir/report/view.h"
#include "weir/result/anatomy_parts.h"
#include "weir/run/epoch_steps.h"
#include "weir/run/steered.h"
#include "weir/signals.h"

namespace weir::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{100};  // while nothing is simulated, signals are looked at as often

const PageAnswer kClosed{503, "the run has ended, and weir with it\n", "text/plain; charset=utf-8"};

PageAnswer json_answer(unsigned status, const report::Json& json) {
  return {status, json.dump(-1, ' ', false, report::Json::error_handler_t::replace), "application/json"};
}
Rest refused(const std::string& why) {
  return [answer = json_answer(400, {{"error", why}})] { return answer; };
}

std::uint16_t parse_port(const std::string& text) {
  if (text.empty()) return 0;
  unsigned out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size() || out > 65535)
    throw InputError(
        fmt::format("--view={}: that is no port; write a number up to 65535, 0 = the system chooses", printable(text)));
  return static_cast<std::uint16_t>(out);
}

// The first end of an epoch that is not before `t`, which is above 0; Time::max() if there is none.
Time end_of_epoch(Time t, Time epoch) {
  const std::int64_t epochs = (t.ps - 1) / epoch.ps + 1;
  return epochs > Time::max() / epoch ? Time::max() : epoch * epochs;
}

Known known_of(const PageRequest& request) {
  const auto number = [&](const char* name, std::int64_t fallback = 0) {
    const std::string text = request.argument(name);
    std::int64_t out = fallback;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
  };
  const auto rows = [&](const char* name) { return static_cast<std::size_t>(std::max<std::int64_t>(0, number(name))); };
  return {.interval_ps = number("interval"),
          .queue_interval_ps = number("looks"),
          .series = rows("series"),
          .occupancy = rows("occupancy"),
          .pauses = rows("pauses"),
          .events = rows("events"),
          .flows = rows("flows"),
          .ends = rows("ends"),
          .anatomy = rows("anatomy"),
          .activities = rows("activities"),
          .within_ps = number("within"),
          .watched = number("watch", -1),
          .changes = number("changes", -1)};
}

report::Json packed(const std::vector<NewRows>& tables) {
  report::Json out = report::Json::object();
  for (const NewRows& rows : tables) {
    report::Json& table = out[rows.table] = report::packed(rows.columns);
    table["from"] = rows.from;
  }
  return out;
}

// What a page asks for, checked as it is used. Throws InputError.
class Wish {
 public:
  explicit Wish(const std::string& body) {
    json_ = report::Json::parse(body, nullptr, false);
    if (!json_.is_object()) throw InputError("the body is no JSON object");
  }

  std::string text(const char* key) const {
    const auto at = json_.find(key);
    if (at == json_.end()) return "";
    if (!at->is_string()) throw InputError(fmt::format("{}: write a text", key));
    return at->get<std::string>();
  }
  std::uint32_t number(const char* key) const {
    const auto at = json_.find(key);
    if (at == json_.end() || !at->is_number_unsigned() || at->get<std::uint64_t>() > 0xffffffff)
      throw InputError(fmt::format("{}: write a whole number", key));
    return at->get<std::uint32_t>();
  }
  // "" is Time::max().
  Time time(const char* key) const {
    const std::string of = text(key);
    if (of.empty()) return Time::max();
    try {
      return parse_time(of);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", key, error.what()));
    }
  }
  Bytes bytes(const char* key) const {
    try {
      return parse_bytes(text(key));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", key, error.what()));
    }
  }
  std::vector<std::string> texts(const char* key) const {
    const auto at = json_.find(key);
    std::vector<std::string> out;
    if (at == json_.end() || !at->is_array()) throw InputError(fmt::format("{}: write a list of texts", key));
    for (const report::Json& one : *at) {
      if (!one.is_string()) throw InputError(fmt::format("{}: write a list of texts", key));
      out.push_back(one.get<std::string>());
    }
    return out;
  }

 private:
  report::Json json_;
};

}  // namespace

struct LiveView::State {
  explicit State(const LiveOptions& options) : paused(options.paused) {}

  // While a run is driven.
  run::SteeredRun* run = nullptr;
  std::string result;  // its directory, as the user named it
  LiveTables tables;
  bool paused;
  bool stopped = false;          // the page has ended the run
  Time until = Time::max();      // it pauses there
  std::int64_t pace_ps = 0;      // simulated time in a second; 0 = as fast as can be
  Time pace_from;                // what was simulated ...
  Clock::time_point pace_since;  // ... when this pace began
  std::string page;              // of the result, once there is one
  bool left = false;             // the page needs this process no more
  Mailbox mailbox;
  std::unique_ptr<PageServer> server;  // last: its threads use the rest

  Rest answer(const PageRequest& request);
  Rest answer_page();
  Rest answer_news(const PageRequest& request);
  report::Json status() const;
  Rest act(const Wish& wish);
  void go(Time to);
  bool is_going() const { return run != nullptr; }
  // Answers what has been asked; waits for it if there is nothing else to do.
  void serve(std::chrono::milliseconds wait) {
    for (auto letter = mailbox.next(wait); letter; letter = mailbox.next({})) {
      Rest rest;
      try {
        rest = answer(letter->request);
      } catch (const InputError& error) {
        rest = refused(error.what());
      } catch (...) {
        letter->answer.set_exception(std::current_exception());
        throw;
      }
      letter->answer.set_value(std::move(rest));
    }
  }
  Time next_stop(Time wanted, Time epoch);
};

Rest LiveView::State::answer(const PageRequest& request) {
  if (request.is_post && request.path == "/act") return act(Wish(request.body));
  if (!request.is_post && request.path == "/") return answer_page();
  if (!request.is_post && request.path == "/news") return answer_news(request);
  return [] { return PageAnswer{404, "there is nothing here\n", kClosed.type}; };
}

// The page of a run that goes on begins with its network alone, and asks for the rest.
Rest LiveView::State::answer_page() {
  if (!is_going()) return [page = page] { return PageAnswer{200, page}; };
  const engine::Engine& engine = run->engine();
  const auto& view = *run->probes().find<probe::ViewProbe>();
  report::Json document;
  document["weir"] = version();
  document["format"] = 1;
  document["live"] = "running";
  document["title"] = run->scenario().title;
  document["result"] = result;
  document["complete"] = true;
  document["ended_by"] = "running";
  document["hosts"] = engine.network().hosts();
  document["hosts_per_server"] = model_of(engine).topology.hosts_per_server;
  document["switches"] = engine.network().switches();
  document["sim_time_ps"] = 0;
  document["interval_ps"] = view.series().interval().ps;
  document["occupancy_interval_ps"] = view.queue_interval().ps;
  document["omitted"] = LiveTables::omitted(view);
  document["tags"] = run->tags();
  document["drivers"] = LiveTables::drivers(*run);
  document["algorithms"] = tables.algorithms();
  document["parts"] = report::Json::array();
  for (const result::PartKind& part : result::part_kinds())
    document["parts"].push_back({{"name", part.name}, {"label", part.label}, {"meaning", part.meaning}});
  return [document = std::move(document), network = LiveTables::network(engine)]() mutable {
    document["tables"] = packed(network);
    return PageAnswer{200, report::live_html(document)};
  };
}

report::Json LiveView::State::status() const {
  report::Json out;
  out["state"] = !is_going() ? "ended" : paused ? "paused" : "running";
  if (!is_going()) return out;
  engine::Engine& engine = run->engine();
  const engine::Counters counters = engine.counters();
  out["now_ps"] = engine.now().ps;
  out["epoch_ps"] = engine.epoch().ps;
  if (until != Time::max()) out["until_ps"] = until.ps;
  out["pace_ps"] = pace_ps;
  out["flows_started"] = counters.flows_started;
  out["flows_completed"] = counters.flows_completed;
  out["packet_hops"] = counters.packet_hops;
  out["changes"] = run->changes().size();
  return out;
}

Rest LiveView::State::answer_news(const PageRequest& request) {
  report::Json out = status();
  if (!is_going()) return [answer = json_answer(200, out)] { return answer; };
  auto& view = *run->probes().find<probe::ViewProbe>();
  out["interval_ps"] = view.series().interval().ps;
  out["occupancy_interval_ps"] = view.queue_interval().ps;
  out["closed"] = view.series().rows().size();
  out["omitted"] = LiveTables::omitted(view);
  out["activities_within_ps"] = view.activities().span().ps;
  const Known known = known_of(request);
  if (known.changes != static_cast<std::int64_t>(run->changes().size())) {
    out["log"] = report::Json::array();
    for (const run::Change& change : run->changes())
      out["log"].push_back({{"at_ps", change.at.ps}, {"text", run::to_text(change)}});
    out["keys"] = report::Json::array();
    for (const auto& [key, value] : run->changeable()) out["keys"].push_back({{"key", key}, {"value", value}});
    for (const auto& profile : run->scenario().profiles) out["profiles"].push_back(profile.name);
  }
  return [out = std::move(out), news = tables.since(known, *run)]() mutable {
    out["tables"] = packed(news);
    return json_answer(200, out);
  };
}

void LiveView::State::go(Time to) {
  until = to;
  paused = false;
  pace_from = run->engine().now();
  pace_since = Clock::now();
}

Rest LiveView::State::act(const Wish& wish) {
  const std::string what = wish.text("do");
  if (what == "end") {
    if (is_going()) throw InputError("the run has not ended; stop it first");
    left = true;
  } else if (!is_going()) {
    throw InputError("the run has ended");
  } else if (what == "run") {
    const Time to = wish.time("until");
    if (to <= run->engine().now())
      throw InputError(fmt::format("until: the run is at {} already", format_value(run->engine().now())));
    const Time pace = wish.time("pace");
    if (pace <= Time{}) throw InputError("pace: write a time above 0, simulated in a second");
    pace_ps = pace == Time::max() ? 0 : pace.ps;
    go(end_of_epoch(to, run->engine().epoch()));  // changes are made between epochs
  } else if (what == "pause") {
    paused = true;
    until = Time::max();
  } else if (what == "step") {
    // of whole epochs, at least one
    const Time now = run->engine().now();
    const Time epoch = run->engine().epoch();
    Time span = wish.time("span");
    if (span == Time::max()) span = epoch;
    if (span <= Time{}) throw InputError("span: write a time above 0");
    const Time to = span > Time::max() - now ? Time::max() : end_of_epoch(now + span, epoch);
    if (to == Time::max()) throw InputError("span: that is too long");
    pace_ps = 0;
    go(to);
  } else if (what == "stop") {
    stopped = true;
  } else {
    const Time now = run->engine().now();
    if (what == "send")
      run->apply({now, run::SentFlow{.src = wish.number("src"),
                                     .dst = wish.number("dst"),
                                     .size = wish.bytes("size"),
                                     .tag = wish.text("tag"),
                                     .profile = wish.text("profile")}});
    else if (what == "down" || what == "up")
      run->apply({now, run::TurnedLinks{.a = wish.number("a"),
                                        .b = wish.number("b"),
                                        .state = what == "up" ? engine::LinkState::up : engine::LinkState::down}});
    else if (what == "set")
      run->apply({now, run::SetKeys{wish.texts("set")}});
    else
      throw InputError("do: valid is run, pause, step, stop, send, down, up, set, end");
    tables.listen(*run);
  }
  return [answer = json_answer(200, status())] { return answer; };
}

// How far it may go before others are asked again, by what the page has said.
Time LiveView::State::next_stop(Time wanted, Time epoch) {
  Time out = std::min(wanted, until);
  if (pace_ps > 0) {
    const double seconds = std::chrono::duration<double>(Clock::now() - pace_since).count();
    const double ps = std::min(9e18, static_cast<double>(pace_from.ps) + seconds * static_cast<double>(pace_ps));
    out = std::min(out, Time{static_cast<std::int64_t>(ps)} / epoch * epoch);
  }
  return out;
}

LiveView::LiveView(const LiveOptions& options) {
  if (!PageServer::available())
    throw InputError(
        "--view: this build cannot serve the page: libmicrohttpd was missing (Debian: libmicrohttpd-dev); install it "
        "and build again, or look at the result afterwards, with --view-data and weir view");
  report::require_view();
  const std::uint16_t port = parse_port(options.port);
  state_ = std::make_unique<State>(options);
  state_->server = std::make_unique<PageServer>(
      [s = state_.get()](const PageRequest& request) { return s->mailbox.ask(request, kClosed); }, port);
}

LiveView::~LiveView() {
  if (state_) state_->mailbox.close();
}

std::string LiveView::address() const { return state_->server->address(); }

run::Outcome LiveView::drive(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model,
                             probe::ResultDirectory& directory, const run::ExecutionOptions& execution) {
  run::ExecutionOptions options = execution;
  options.prepare = [&](engine::Engine& engine) { state_->tables.attach(engine); };
  run::SteeredRun run(s, std::move(model), directory, options);
  State& state = *state_;
  state.tables.listen(run);
  state.run = &run;
  state.result = directory.name();
  struct Leave {  // the run is gone, whatever happens
    State& state;
    ~Leave() { state.run = nullptr; }
  } leave{state};
  if (!state.paused) state.go(Time::max());
  const Time epoch = run.engine().epoch();
  run::EpochSteps steps(epoch);
  for (;;) {
    state.serve(state.paused ? kLook : std::chrono::milliseconds{0});
    if (state.stopped || pending_signal() != 0) return run.finish(true);
    if (state.paused) continue;
    const Time now = run.engine().now();
    const Time next = state.next_stop(steps.next(now, Time::max()), epoch);
    if (next <= now) {
      state.serve(std::chrono::milliseconds(5));
      continue;
    }
    const bool ended = run.advance(next);
    if (execution.progress) execution.progress(run::progress_of(run.engine()));
    if (ended) return run.finish();
    if (const std::string reason = run.lack_of_memory(); !reason.empty()) return run.finish(false, reason);
    steps.done();
    if (run.engine().now() >= state.until) state.paused = true, state.until = Time::max();
  }
}

void LiveView::stay(const std::string& directory) {
  state_->page = report::view_html(directory, true);
  while (!state_->left && pending_signal() == 0) state_->serve(kLook);
  std::this_thread::sleep_for(kLook);  // the last answer arrives before the server ends
}

}  // namespace weir::app
