#include "weir/traffic/calls_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "weir/traffic/chain_driver.h"
#include "weir/traffic/collective_choice.h"
#include "weir/traffic/direct_driver.h"
#include "weir/traffic/hierarchy_driver.h"
#include "weir/traffic/rounds_driver.h"
#include "weir/traffic/schedule_driver.h"
#include "weir/traffic/tree_driver.h"

namespace weir::traffic {
namespace {

// Word of the wake-up at the end of a call's computation, also of one of length 0. Collectives use other words.
constexpr std::uint32_t kCallComputed = ~std::uint32_t{0} - 2;

constexpr double kMostMessages = 1e18;

constexpr std::uint64_t kWordMask = CollectiveDriver::kWordMask;
static_assert(kMaxCalls < (std::uint64_t{1} << (64 - CollectiveDriver::kWordBits)));

// A desk that adds the number of the call to the word of each message.
class CallDesk final : public Desk {
 public:
  CallDesk(Desk& desk, std::uint64_t call) : desk_(desk), call_(call << CollectiveDriver::kWordBits) {}

  std::uint32_t host() const override { return desk_.host(); }
  Time now() const override { return desk_.now(); }
  void send(Message message) override {
    message.word |= call_;
    desk_.send(message);
  }
  void wake(Time at, std::uint32_t word) override { desk_.wake(at, word); }
  void post(std::uint32_t host, std::uint64_t word, Time at) override { desk_.post(host, word | call_, at); }
  Time lag() const override { return desk_.lag(); }
  void move(Message message) override {
    message.word |= call_;
    desk_.move(message);
  }
  Time& scale_up_free() override { return desk_.scale_up_free(); }
  void did(std::uint32_t activity, Time begin, std::uint32_t waited_for) override {
    desk_.did(activity, begin, waited_for);
  }
  void done(std::uint64_t tasks) override { desk_.done(tasks); }

 private:
  Desk& desk_;
  const std::uint64_t call_;
};

// Adds the line of the file to an InputError that names no file.
template <class Do>
auto at_line(const Where& line, Do&& run) {
  try {
    return run();
  } catch (const InputError& error) {
    if (line.file.empty() || !error.where().file.empty()) throw;
    throw InputError(line, error.what());
  }
}

// Chooses the algorithm of the call if it leaves that to the tuning, and plans the call.
CollectivePlan plan_of(NamedCall& call, const Context& context) {
  call.what = in_chunks(chosen(call.what, context), context);
  return plan_collective(call.what, context);
}

std::vector<NamedCall> only(const Collective& c) {
  const Param& operation = *params_of<Collective>().find("operation");
  return {{format_value(operation.get(&c)), c, {}}};
}

}  // namespace

std::unique_ptr<CollectiveDriver> make_driver(const Collective& c, const Context& context, const CollectivePlan& plan,
                                              std::uint32_t group) {
  switch (c.operation) {
    case Operation::tree_all_reduce: return std::make_unique<TreeDriver>(c, context, plan, group);
    case Operation::hierarchical_all_reduce:
      if (c.within == Within::ring && c.across == Across::ring)
        return std::make_unique<ScheduleDriver>(c, context, plan, group);
      return std::make_unique<HierarchyDriver>(c, context, plan, group);
    case Operation::ring_broadcast:
    case Operation::ring_reduce: return std::make_unique<ChainDriver>(c, context, plan, group);
    case Operation::all_to_all:
      if (c.window == 0 && c.order == Order::next) return std::make_unique<ScheduleDriver>(c, context, plan, group);
      [[fallthrough]];
    case Operation::gather:
    case Operation::scatter:
    case Operation::in_switch_all_reduce:
    case Operation::in_switch_all_gather:
    case Operation::in_switch_reduce_scatter:
    case Operation::all_to_all_v: return std::make_unique<DirectDriver>(c, context, plan, group);
    case Operation::barrier:
    case Operation::bruck_all_to_all:
    case Operation::bruck_all_gather:
    case Operation::pat_all_gather:
    case Operation::pat_reduce_scatter: return std::make_unique<RoundsDriver>(c, context, plan, group);
    default: return std::make_unique<ScheduleDriver>(c, context, plan, group);
  }
}

// File names within a calls file are relative to its folder.
CallsDriver::CallsDriver(const Calls& calls, const Context& context)
    : CallsDriver(read_calls(calls, context), calls.repeat, [&] {
        Context beside = context;
        beside.folder = (std::filesystem::path(context.folder) / calls.file).parent_path().string();
        return beside;
      }()) {}

CallsDriver::CallsDriver(const Collective& c, const Context& context) : CallsDriver(only(c), c.repeat, context) {}

CallsDriver::CallsDriver(std::vector<NamedCall> calls, std::uint32_t repeat, const Context& context)
    : repeat_(repeat),
      start_(calls[0].what.start),
      labels_(context.labels),
      names_{"computation"},
      of_host_(context.hosts()) {
  for (NamedCall& named : calls) {
    const CollectivePlan plan = at_line(named.where, [&] { return plan_of(named, context); });
    Call& call = calls_.emplace_back();
    call.compute = named.what.compute;
    call.name = name_of(named.name);
    call.members = plan.members;
    call.stragglers = at_line(
        named.where, [&] { return Stragglers(named.what.slow, named.what.slow_factor, plan.members->hosts, context); });
    for (std::uint32_t group = 0; group < plan.members->groups(); ++group) {
      call.groups.push_back(make_driver(named.what, context, plan, group));
      call.groups.back()->note_what_has_gone();
      const double all = static_cast<double>(call.groups.back()->tasks()) * repeat + static_cast<double>(tasks_);
      if (all > kMostMessages)
        throw InputError("repeat",
                         fmt::format("that would be {} messages; at most {} are possible", all, kMostMessages));
      tasks_ += call.groups.back()->tasks() * repeat;
    }
  }
  check_scale_up();
  for (std::uint32_t host = 0; host < of_host_.size(); ++host)
    if (takes_part(host)) of_host_[host].times.resize(names_.size());
}

CallsDriver::CallsDriver(const CallsDriver& other)
    : repeat_(other.repeat_),
      start_(other.start_),
      labels_(other.labels_),
      names_(other.names_),
      tasks_(other.tasks_),
      of_host_(other.of_host_) {
  for (const Call& call : other.calls_) {
    Call& own = calls_.emplace_back();
    own.compute = call.compute;
    own.stragglers = call.stragglers;
    own.name = call.name;
    own.members = call.members;
    for (const auto& group : call.groups)
      own.groups.emplace_back(static_cast<CollectiveDriver*>(group->clone().release()));
  }
}

void CallsDriver::check_scale_up() const {
  const auto all = scale_up();
  for (const Call& call : calls_)
    if (const auto own = call.groups[0]->scale_up(); own && *own != *all)
      throw InputError("scale_up_sharing",
                       "calls that share their scale-up links have the same group, scale_up_rate and "
                       "scale_up_latency");
}

std::uint32_t CallsDriver::name_of(const std::string& name) {
  auto known = std::find(names_.begin(), names_.end(), name);
  if (known == names_.end()) known = names_.insert(names_.end(), name);
  return static_cast<std::uint32_t>(known - names_.begin());
}

bool CallsDriver::posts() const {
  return std::any_of(calls_.begin(), calls_.end(), [](const Call& call) { return call.groups[0]->posts(); });
}

void CallsDriver::begin(Desk& desk) {
  if (!takes_part(desk.host())) return;
  of_host_[desk.host()].since = start_;
  desk.wake(start_ + calls_[0].computation(desk.host()), kCallComputed);
}

void CallsDriver::woken(Desk& desk, std::uint32_t word) {
  const OfHost& own = of_host_[desk.host()];
  if (word == kCallComputed) return enter(desk);
  CallDesk of_call(desk, own.call);
  call_of(own).of(desk.host()).woken(of_call, word);
  look(desk);
}

void CallsDriver::received(Desk& desk, const Message& message) {
  if (CollectiveDriver::is_credit(message.word)) return take_credit(desk, message.word);
  arrive(desk, {.call = message.word >> CollectiveDriver::kWordBits,
                .word = message.word & kWordMask,
                .from = message.src,
                .is_posted = false});
}

void CallsDriver::posted(Desk& desk, std::uint32_t from, std::uint64_t word) {
  if (CollectiveDriver::is_credit(word)) return take_credit(desk, word);
  arrive(desk,
         {.call = word >> CollectiveDriver::kWordBits, .word = word & kWordMask, .from = from, .is_posted = true});
}

// Serves the messages that wait for a slot in the call that the host is in.
void CallsDriver::take_credit(Desk& desk, std::uint64_t word) {
  CallDesk of_call(desk, of_host_[desk.host()].call);
  call_of(word).of(desk.host()).take_credit(of_call, word);
}

std::optional<ScaleUp> CallsDriver::scale_up() const {
  for (const Call& call : calls_)
    if (const auto shared = call.groups[0]->scale_up()) return shared;
  return std::nullopt;
}

// A message to be passed on (PXN) is forwarded whichever call this host is in.
void CallsDriver::brought(Desk& desk, const Message& message) {
  if (CollectiveDriver::is_passed_on(message)) return call_of(message.word).of(desk.host()).pass_on(desk, message);
  posted(desk, message.src, message.word);
}

void CallsDriver::carried(Desk& desk, const Message& message) {
  const OfHost& own = of_host_[desk.host()];
  CallDesk of_call(desk, own.call);
  Message plain = message;
  plain.word &= kWordMask;
  call_of(own).of(desk.host()).carried(of_call, plain);
  look(desk);
}

void CallsDriver::arrive(Desk& desk, const Early& what) {
  OfHost& own = of_host_[desk.host()];
  if (!own.is_in || own.call != what.call) {
    own.early.push_back(what);
    return;
  }
  hand_over(desk, what);
  look(desk);
}

void CallsDriver::hand_over(Desk& desk, const Early& what) {
  const OfHost& own = of_host_[desk.host()];
  CollectiveDriver& driver = call_of(own).of(desk.host());
  CallDesk of_call(desk, own.call);
  if (what.is_posted)
    driver.posted(of_call, what.from, what.word);
  else
    driver.received(of_call, {.word = what.word, .src = what.from, .dst = desk.host()});
}

// A host leaves a call only when all messages that it has sent have been acknowledged.
void CallsDriver::sent(Desk& desk, const Message& message) {
  if (CollectiveDriver::is_passed_on(message)) return call_of(message.word).of(desk.host()).sent(desk, message);
  const OfHost& own = of_host_[desk.host()];
  CallDesk of_call(desk, own.call);
  call_of(own).of(desk.host()).sent(of_call, message);
  look(desk);
}

void CallsDriver::enter(Desk& desk) {
  OfHost& own = of_host_[desk.host()];
  own.times[0] += desk.now() - own.since;
  desk.did(0, own.since);
  own.since = desk.now();
  own.is_in = true;
  CallDesk of_call(desk, own.call);
  call_of(own).of(desk.host()).enter(of_call);
  std::vector<Early> later;
  for (const Early& early : std::exchange(own.early, {}))
    if (early.call == own.call)
      hand_over(desk, early);
    else
      later.push_back(early);
  own.early = std::move(later);
  look(desk);
}

void CallsDriver::look(Desk& desk) {
  OfHost& own = of_host_[desk.host()];
  if (!own.is_in || !call_of(own).of(desk.host()).is_over(desk.host())) return;
  own.times[call_of(own).name] += desk.now() - own.since;
  desk.did(call_of(own).name, own.since);
  own.since = desk.now();
  own.is_in = false;
  ++own.call;
  if (own.call < count()) desk.wake(desk.now() + call_of(own).computation(desk.host()), kCallComputed);
}

std::optional<MessageSums> CallsDriver::sums() const {
  MessageSums out{.tag = labels_.tag, .messages = tasks_, .unfinished = tasks_};
  for (const Call& call : calls_) {
    std::uint64_t at_once = 0;
    for (const auto& group : call.groups) {
      const MessageSums one = *group->sums();
      out.payload = saturating_sum(out.payload, saturating_product(one.payload, repeat_));
      out.rows += one.rows * repeat_;
      at_once += one.at_once;
    }
    out.at_once = std::max(out.at_once, at_once);
  }
  const bool only_one = calls_.size() == 1 && calls_[0].compute == Time{};
  if (only_one) {
    const MessageSums one = *calls_[0].groups[0]->sums();
    out.buffer = saturating_product(one.buffer, repeat_);
    out.bus_factor = one.bus_factor;
  }
  return out;
}

void CallsDriver::add(std::uint32_t host, MessageSums& sums) const {
  if (!takes_part(host)) return;
  for (const Call& call : calls_) call.of(host).add(host, sums);
}

std::unique_ptr<Driver> CallsDriver::unhindered() const {
  std::unique_ptr<Driver> out = clone();
  for (const Call& call : static_cast<CallsDriver&>(*out).calls_)
    for (const auto& group : call.groups) group->unhinder();
  return out;
}

bool CallsDriver::each_pair(const VisitMessage& visit) const {
  for (const Call& call : calls_)
    for (const auto& group : call.groups)
      if (!group->each_pair(visit)) return false;
  return true;
}

std::vector<Time> CallsDriver::times_of(std::uint32_t host) const { return of_host_[host].times; }

template <class A>
void CallsDriver::archive_both(A& a, std::uint32_t host) {
  if (!takes_part(host)) return;
  OfHost& own = of_host_[host];
  a.value(own.call);
  a.value(own.is_in);
  a.value(own.since);
  a.values(own.early);
  a.values(own.times);
  for (const Call& call : calls_) call.of(host).archive(a, host);
}

}  // namespace weir::traffic
