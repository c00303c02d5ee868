// The partitions of a rank, which may have any scheduler, and how they take their epochs.
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weir/engine/model/epochs.h"
#include "weir/engine/parallel/mailboxes.h"
#include "weir/engine/parallel/partition_rounds.h"
#include "weir/engine/parallel/partitions.h"
#include "weir/net/model/split.h"

namespace weir::engine {

// There are as many threads as partitions, or fewer.
template <sim::Scheduler S, class Tracer>
class LocalPartitions final : public Partitions {
 public:
  LocalPartitions(const Model& model, Network& network, std::uint32_t partitions, const RunOptions& options)
      : topology_(model.topology),
        network_(network),
        partitions_(partitions),
        of_node_(net::split(topology_, partitions).of_node),
        count_(of_node_.empty() ? 1 : *std::max_element(of_node_.begin(), of_node_.end()) + 1u),
        exchange_(options.ranks == nullptr ? nullptr : std::make_unique<Exchange>(*options.ranks, count_)),
        own_(exchange_ ? exchange_->share() : Share{0, count_}),
        mail_(count_, own_),
        rounds_(threads_of(own_, options.threads), own_, [this](std::uint32_t i) { step(i); }) {
    for (std::uint32_t i = own_.first; i < own_.end; ++i) {
      parts_.push_back(std::make_unique<Partition<S, Tracer>>(model, network, of_node_, static_cast<std::uint16_t>(i),
                                                              static_cast<std::uint16_t>(count_)));
      pending_.emplace_back();
      failures_.emplace_back();
    }
    const std::uint32_t ranks = options.ranks == nullptr ? 1 : options.ranks->size();
    for (std::uint32_t r = 0; r < ranks; ++r)
      if (const Share share = share_of(r, ranks, count_); share.count() > 0)
        all_threads_ += threads_of(share, options.threads);
  }

  std::uint32_t threads() const override { return all_threads_; }
  std::uint32_t partitions() const override { return partitions_; }
  Regime regime() const override {
    Regime out{.events = S::kOrdersWithinNode                    ? "by node"
                         : std::is_same_v<S, sim::HeapScheduler> ? "by time, from a heap"
                                                                 : "by time",
               .traced = Tracer::kOn};
    if (!parts_.empty()) out.sides = parts_.front()->sides();
    out.on_one_thread = rounds_.share_alone();
    return out;
  }
  // Several partitions go over the two sides together, pass by pass, if no link within a partition is shorter than
  // those between partitions. Ranks do not, since they exchange mail at the ends of epochs alone.
  bool has_long_turns() const override {
    return !exchange_ && parts_.front()->has_long_turns() && (count_ == 1 || cuts_shortest_);
  }
  void after_fork() override { rounds_.after_fork(); }
  void add_driver(traffic::Driver& driver, bool tells_others, Time lag) override {
    for (auto& p : parts_) p->add_driver(driver, tells_others, lag);
    totals_are_known_ = false;
  }
  void add_flow(const traffic::Flow& flow) override {
    if (const std::uint32_t i = of_node_[flow.src]; own_.has(i)) pending_[i - own_.first].push_back(flow);
  }

  void run_epoch(Time end) override {
    end_ = end;
    if (count_ == 1 && !exchange_) {
      rounds_.run_here([&] { run(0); });
      return;
    }
    const bool singly = has_long_turns() && parts_.front()->sides() == 2 && !parts_.front()->is_at(end - epoch_);
    for (auto& p : parts_) p->take_passes_singly(singly);
    do {
      if (singly && rounds_.nothing_happened()) pass_over_idle_time();
      run_round();
    } while (singly && !parts_.front()->is_at(end));
  }

  const Totals& totals() override {
    if (!exchange_) return totals_ = own_totals();
    if (!totals_are_known_) totals_ = exchange_->sum(own_totals());
    totals_are_known_ = true;
    return totals_;
  }

  bool is_quiet() override {
    const Totals& all = totals();
    const bool had_none = all.counters.events == events_seen_;
    events_seen_ = all.counters.events;
    return all.pending == 0 || had_none;
  }

  Time earliest() override {
    Time out = Time::max();
    for (const auto& p : parts_) out = std::min(out, p->earliest());
    if (mail_.waiting() > 0) out = Time{};
    if (exchange_)
      for (const std::uint64_t of_rank : gather(exchange_->ranks(), static_cast<std::uint64_t>(out.ps)))
        out = std::min(out, Time{static_cast<std::int64_t>(of_rank)});
    return out;
  }
  void skip_to(Time t) override {
    for (auto& p : parts_) p->skip_to(t);
  }

  void collect(std::vector<host::FlowRecord>& out) override {
    for (auto& p : parts_) {
      out.insert(out.end(), p->finished().begin(), p->finished().end());
      p->finished().clear();
    }
    out.insert(out.end(), finished_elsewhere_.begin(), finished_elsewhere_.end());
    finished_elsewhere_.clear();
  }

  void take_down(std::uint32_t port, Time now) override {
    at(topology_.port_owner(port), [&](auto& part) { part.take_down(port, now); });
  }

  void stall(std::uint32_t host, Time until, Time now) override {
    at(host, [&](auto& part) { part.stall(host, until, now); });
  }

  void watch(Time now) override {
    for (auto& p : parts_) p->watch(now);
    totals_are_known_ = false;
  }

  bool has(std::uint32_t node) const override { return own_.has(of_node_[node]); }
  std::uint32_t rank_of(std::uint32_t node) const override {
    return exchange_ ? exchange_->rank_of(of_node_[node]) : 0;
  }
  ExchangeCounts exchanged() const override { return exchange_ ? exchange_->counts() : ExchangeCounts{}; }

  void route_by(const net::Routing& routing, Time now) override {
    for (auto& p : parts_) p->route_by(routing, now);
  }

  void settle_before(std::uint32_t port, Time end) override {
    if (auto* part = part_of(topology_.port_owner(port))) part->settle_before(port, end);
  }

  void for_each_active(const std::function<void(std::uint32_t, const host::Flow&)>& visit) const override {
    for (std::uint32_t host = 0; host < network_.hosts.size(); ++host)
      if (has(host))
        for (const host::Flow* flow : network_.hosts[host].flows)
          if (flow != nullptr && !flow->rests()) visit(host, *flow);
  }
  std::span<const host::QueuedMessage> messages_of(std::uint32_t src, const host::Flow& flow) const override {
    return part_of(src)->messages_of(src, flow);
  }
  bool has_untaken() const override {
    return std::any_of(parts_.begin(), parts_.end(), [](const auto& p) { return p->has_untaken(); });
  }
  void for_each_packet(const net::PacketVisit& visit) const override {
    for (const auto& p : parts_) p->for_each_packet(visit);
    mail_.for_each([&](const Mailbox& box) { box.packets.for_each(visit); });
  }
  void for_each_waiting(std::uint32_t port, const net::PacketVisit& visit) const override {
    if (auto* part = part_of(topology_.port_owner(port))) part->for_each_waiting(port, visit);
  }

  bool drivers_go_on() const override {
    bool goes_on = false;
    mail_.for_each([&](const Mailbox& box) { goes_on |= !box.notices.empty(); });
    for (std::uint32_t h = 0; h < network_.hosts.size() && !goes_on; ++h)
      goes_on = has(h) && network_.hosts[h].timers.has_any_of_drivers();
    return goes_on;
  }
  std::optional<std::int64_t> expected_end(std::uint32_t src, const host::Flow& flow) const override {
    const auto* part = part_of(flow.dst);
    return part == nullptr ? std::nullopt : part->expected_end(src, flow);
  }

  bool has_recorded([[maybe_unused]] std::size_t events) const override {
    std::size_t n = 0;
    if constexpr (Tracer::kOn)
      for (const auto& p : parts_) n += p->tracer().records().size();
    return exchange_ || n >= events;
  }

  void take_trace([[maybe_unused]] Time end, [[maybe_unused]] std::vector<net::TraceRecords>& out) override {
    if constexpr (Tracer::kOn) {
      // Departures up to now are recorded only when the port is settled.
      for (std::size_t i = 0; i < parts_.size(); ++i)
        for (const std::uint32_t port : recorded_ports_[i]) parts_[i]->settle_before(port, end);
      out.resize(parts_.size());
      for (std::size_t i = 0; i < parts_.size(); ++i) std::swap(out[i], parts_[i]->tracer().records());
      if (exchange_) exchange_->add_others(out);
    }
  }

  void save(Saver& a, bool everywhere) override {
    take_mail();
    a.value(count_);
    append(a, everywhere, [&](Saver& own) {
      for (auto& p : parts_) own.block([&](Saver& block) { p->save(block); });
    });
    append(a, everywhere, [&](Saver& own) { mail_.save(own); });
  }
  void load(Loader& a, Time now) override {
    std::uint32_t n = 0;
    a.value(n);
    if (n != count_) throw InputError("the checkpoint is of a network that was cut otherwise");
    for (std::uint32_t i = 0; i < count_; ++i)
      a.block([&](Loader& block) {
        if (own_.has(i)) parts_[i - own_.first]->load(block, now);
      });
    mail_.load(a);
    totals_are_known_ = false;
    rounds_.count_from(own_events());
  }

  void record([[maybe_unused]] const net::TraceFilter& filter) override {
    if constexpr (Tracer::kOn) {
      recorded_ports_.assign(parts_.size(), {});
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        parts_[i]->tracer().record(filter);
        for (std::uint32_t port = 0; port < topology_.ports(); ++port)
          if (parts_[i]->owns_port(port) && (filter.ports.empty() || filter.ports[port]))
            recorded_ports_[i].push_back(port);
      }
    }
  }

  void log_phases_to(PhaseLog& log) override { rounds_.log_to(log); }

  void decide_by([[maybe_unused]] const host::Policy& policy) override {
    for (auto& p : parts_) p->decisions().decide_by(policy);
  }

  void collect(std::vector<host::Question>& out) override {
    for (auto& p : parts_) {
      std::vector<host::Question>& open = p->decisions().open();
      out.insert(out.end(), open.begin(), open.end());
      open.clear();
    }
  }

  void answer(const host::Question& question, const cc::Control& control, Time now) override {
    at(question.src, [&](auto& part) { part.take_decision(question, control, now); });
  }

 private:
  static std::uint32_t threads_of(const Share& share, std::uint32_t wanted) {
    return std::max(1u, std::min(wanted, share.count()));
  }

  // The partition of this node; null if it is another rank's.
  Partition<S, Tracer>* part_of(std::uint32_t node) const {
    const std::uint32_t i = of_node_[node];
    return own_.has(i) ? parts_[i - own_.first].get() : nullptr;
  }
  // Calls it(partition) with the partition of this node, if this rank has that.
  template <class Do>
  void at(std::uint32_t node, Do&& it) {
    if (auto* part = part_of(node)) it(*part);
    totals_are_known_ = false;
  }

  std::uint64_t own_events() const {
    std::uint64_t out = 0;
    for (const auto& p : parts_) out += p->counters().events;
    return out;
  }

  Totals own_totals() const {
    Totals out;
    for (const auto& p : parts_) {
      out.pending += p->idle() ? 0 : 1;
      out.tasks_done += p->tasks_done();
      out.counters.add(p->counters());
    }
    out.pending += mail_.waiting();
    if (out.pending == 0)
      for (const net::PauseWatch& watch : network_.watches) out.watching += watch.idle() ? 0 : 1;
    for (const auto& failure : failures_) out.failed += failure ? 1 : 0;
    return out;
  }

  // Exchanges totals, mail and finished flows with the other ranks, once the threads of this one have done their part
  // of the epoch.
  void exchange() {
    std::vector<host::FlowRecord> finished;
    for (std::uint32_t from = own_.first; from < own_.end; ++from)
      for (std::uint32_t to = 0; to < count_; ++to)
        if (!own_.has(to)) exchange_->post(from, to, mail_.at(from, to));
    for (const auto& p : parts_) finished.insert(finished.end(), p->finished().begin(), p->finished().end());
    exchange_->post(finished);
    mail_.clear_received();
    std::string failure;
    for (const auto& f : failures_)
      if (f && failure.empty()) failure = Exchange::reason(f);
    totals_ = exchange_->run(
        own_totals(), failure, [this](std::uint32_t from, std::uint32_t to) -> Mailbox& { return mail_.at(from, to); },
        finished_elsewhere_);
    totals_are_known_ = true;
  }

  // Appends what each rank writes, one rank after the other.
  template <class Write>
  void append(Saver& a, bool everywhere, Write&& write) {
    if (!exchange_) return write(a);
    Saver own;
    write(own);
    exchange_->gather_into(a, own.content(), everywhere);
  }

  // Takes over what has been handed over, so that the saved state does not depend on how many passes there were.
  void take_mail() {
    for (std::uint32_t i = own_.first; i < own_.end; ++i)
      for (std::uint32_t from = 0; from < count_; ++from) {
        parts_[i - own_.first]->take_over(mail_.at(from, i));
        mail_.at(from, i).clear();
      }
    if (exchange_)
      for (std::uint32_t i = own_.first; i < own_.end; ++i)
        for (Mailbox& box : mail_.sent_by(i)) box.clear();  // other ranks have what is theirs
    totals_are_known_ = false;
  }

  // Lets every partition go on to the end of the epoch, or take the next of the passes that lead there.
  void run_round() {
    mail_.begin_epoch();
    rounds_.run([this] { return own_events(); });
    if (exchange_)
      exchange();
    else
      for (const auto& failure : failures_)
        if (failure) std::rethrow_exception(failure);
  }

  // After a pass in which nothing happened, goes on to the next instant at which something does. It does nothing while
  // partitions have not been told of flows from outside.
  void pass_over_idle_time() {
    if (std::any_of(pending_.begin(), pending_.end(), [](const auto& flows) { return !flows.empty(); })) return;
    const Time next = std::min(earliest(), end_);
    for (auto& p : parts_) p->pass_over(next);
  }

  void run(std::uint32_t i) {
    for (const auto& flow : pending_[i]) parts_[i]->add_flow(flow);
    pending_[i].clear();
    parts_[i]->run_until(end_);
  }

  // Takes one epoch of a partition, in which it takes over what others handed over in the last epoch.
  void step(std::uint32_t i) {
    const std::uint32_t self = own_.first + i;
    const auto go = [&] {
      for (std::uint32_t from = 0; from < count_; ++from) parts_[i]->take_over(mail_.before(from, self));
      for (Mailbox& box : mail_.sent_by(self)) box.clear();
      run(i);
      parts_[i]->hand_over(end_, mail_.sent_by(self));
    };
    failures_[i] = failure_of(go);
  }

  template <class Do>
  static std::exception_ptr failure_of(Do&& it) {
    try {
      it();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  const net::Topology& topology_;
  const Network& network_;
  const Time epoch_ = epoch_length(topology_, network_.soonest_news);
  const bool cuts_shortest_ =
      turn_length(topology_, network_.soonest_news) == epoch_;  // no link is shorter than those that are cut
  const std::uint32_t partitions_;
  std::vector<std::uint16_t> of_node_;
  const std::uint32_t count_;                                 // of partitions, of all ranks
  const std::unique_ptr<Exchange> exchange_;                  // null: there is one rank
  const Share own_;                                           // of this rank
  std::uint32_t all_threads_ = 0;                             // of all ranks
  std::vector<std::unique_ptr<Partition<S, Tracer>>> parts_;  // those of the share
  Mailboxes mail_;
  Totals totals_;
  bool totals_are_known_ = false;
  std::uint64_t events_seen_ = 0;                     // by the last is_quiet()
  std::vector<host::FlowRecord> finished_elsewhere_;  // flows that have ended at other ranks
  std::vector<std::vector<traffic::Flow>> pending_;
  std::vector<std::exception_ptr> failures_;                // by partition; read between epochs
  std::vector<std::vector<std::uint32_t>> recorded_ports_;  // the same, by partition
  Time end_;
  PartitionRounds rounds_;  // last, so that its threads end before the members that they work on
};

}  // namespace weir::engine
