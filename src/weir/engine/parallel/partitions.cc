#include "weir/engine/parallel/partitions.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "weir/engine/model/epochs.h"
#include "weir/engine/parallel/task_rounds.h"
#include "weir/net/model/split.h"

namespace weir::engine {

namespace {

template <sim::Scheduler S, class Tracer>
class LocalPartitions final : public Partitions {
 public:
  // There are as many threads as partitions, or fewer.
  LocalPartitions(const Model& model, Network& network, std::uint32_t partitions, const RunOptions& options)
      : topology_(model.topology),
        network_(network),
        partitions_(partitions),
        of_node_(net::split(topology_, partitions).of_node),
        count_(count_of(of_node_)),
        exchange_(options.ranks == nullptr ? nullptr : std::make_unique<Exchange>(*options.ranks, count_)),
        own_(exchange_ ? exchange_->share() : Share{0, count_}),
        threads_(threads_of(own_, options.threads)),
        rounds_(threads_, own_.count()) {
    for (std::uint32_t i = own_.first; i < own_.end; ++i) {
      parts_.push_back(std::make_unique<Partition<S, Tracer>>(model, network, of_node_, static_cast<std::uint16_t>(i),
                                                              static_cast<std::uint16_t>(count_)));
      pending_.emplace_back();
      failures_.emplace_back();
    }
    for (auto& mail : mail_)
      for (std::uint32_t from = 0; from < count_; ++from) mail.emplace_back(own_.has(from) ? count_ : own_.count());
    all_threads_ = threads_;
    if (exchange_) {
      all_threads_ = 0;
      const std::uint32_t ranks = options.ranks->size();
      for (std::uint32_t r = 0; r < ranks; ++r)
        if (const Share share = share_of(r, ranks, count_); share.count() > 0)
          all_threads_ += threads_of(share, options.threads);
    }
    start_workers();
  }

  ~LocalPartitions() override {
    rounds_.stop();
    for (auto& w : workers_) w.join();
  }

  std::uint32_t threads() const override { return all_threads_; }
  std::uint32_t partitions() const override { return partitions_; }
  bool has_long_turns() const override { return count_ == 1 && !exchange_ && parts_.front()->has_long_turns(); }

  void after_fork() override {
    // Those of the parent do not exist here: they can be neither joined nor detached.
    for (std::thread& w : workers_) std::construct_at(&w);
    workers_.clear();
    rounds_.forget_followers();
    start_workers();
  }

  void load(const traffic::Program& program, Time lag) override {
    for (auto& p : parts_) p->load(program, lag);
    totals_are_known_ = false;
  }

  void add_flow(const traffic::Flow& flow) override {
    if (const std::uint32_t i = of_node_[flow.src]; own_.has(i)) pending_[i - own_.first].push_back(flow);
  }

  void run_epoch(Time end) override {
    end_ = end;
    if (count_ == 1 && !exchange_) {
      timed(0, 0, [&] { run(0); });
    } else {
      written_ ^= 1;
      rounds_.lead([this](std::uint32_t thread, std::uint32_t i) { step(thread, i); });
    }
    if (exchange_)
      exchange();
    else
      for (const auto& failure : failures_)
        if (failure) std::rethrow_exception(failure);
    for (const PhaseTime& work : taken_) log_->add(work);
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
    for (std::uint32_t from = own_.first; from < own_.end; ++from)
      for (const Mailbox& box : mail_[written_][from])
        if (!box.empty()) out = Time{};
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

  void route_by(const net::Routing& routing) override {
    for (auto& p : parts_) p->route_by(routing);
  }

  void settle_before(std::uint32_t port, Time end) override {
    if (auto* part = part_of(topology_.port_owner(port))) part->settle_before(port, end);
  }

  void for_each_active(const std::function<void(std::uint32_t, const host::Flow&)>& visit) const override {
    for (std::uint32_t host = 0; host < network_.hosts.size(); ++host)
      if (has(host))
        for (const host::Flow* flow : network_.hosts[host].flows)
          if (flow != nullptr) visit(host, *flow);
  }

  bool has_untaken() const override {
    return std::any_of(parts_.begin(), parts_.end(), [](const auto& p) { return p->has_untaken(); });
  }
  void for_each_packet(const net::PacketVisit& visit) const override {
    for (const auto& p : parts_) p->for_each_packet(visit);
    for (const auto& boxes : mail_[written_])
      for (const Mailbox& box : boxes)
        box.packets.for_each([&](std::uint32_t port, const net::Packet& packet, const auto&) { visit(port, packet); });
  }

  void for_each_waiting(std::uint32_t port, const net::PacketVisit& visit) const override {
    if (auto* part = part_of(topology_.port_owner(port))) part->for_each_waiting(port, visit);
  }

  void for_each_signal(const std::function<void(std::uint32_t)>& visit) const override {
    for (const auto& boxes : mail_[written_])
      for (const Mailbox& box : boxes)
        for (const Signal& signal : box.signals) visit(signal.node);
  }

  net::TraceEvents trace(Time end) override {
    if constexpr (Tracer::kOn) {
      // What has left by now is recorded only once the port is looked at.
      for (std::size_t i = 0; i < parts_.size(); ++i)
        for (const std::uint32_t port : recorded_ports_[i]) parts_[i]->settle_before(port, end);
      if (exchange_) gather_events();
      return order_.collect(recorders_, end);
    }
    return {};
  }

  void save(Saver& a, bool everywhere) override {
    a.value(count_);
    append(a, everywhere, [&](Saver& own) {
      for (auto& p : parts_) own.block([&](Saver& block) { p->save(block); });
    });
    append(a, everywhere, [&](Saver& own) {
      for (std::uint32_t from = own_.first; from < own_.end; ++from)
        for (Mailbox& box : mail_[written_][from]) box.archive(own);
    });
    if constexpr (Tracer::kOn) order_.archive(a);
  }
  void load(Loader& a, Time now) override {
    std::uint32_t n = 0;
    a.value(n);
    if (n != count_) throw InputError("the checkpoint is of a network that was cut otherwise");
    for (std::uint32_t i = 0; i < count_; ++i)
      a.block([&](Loader& block) {
        if (own_.has(i)) parts_[i - own_.first]->load(block, now);
      });
    for (std::uint32_t from = 0; from < count_; ++from)
      for (std::uint32_t to = 0; to < count_; ++to) {
        Mailbox foreign;
        Mailbox& box = own_.has(from) || own_.has(to) ? mailbox(written_, from, to) : foreign;
        box.archive(a);
      }
    if constexpr (Tracer::kOn) {
      order_.archive(a);
      // Whoever was not traced before has not noted them.
      for_each_active([this](std::uint32_t src, const host::Flow& flow) { order_.know(src, flow); });
    }
    totals_are_known_ = false;
  }

  void record([[maybe_unused]] const net::TraceFilter& filter) override {
    if constexpr (Tracer::kOn) {
      recorders_.clear();
      for (auto& p : parts_) recorders_.push_back(&p->tracer());
      if (exchange_) elsewhere_.resize(exchange_->ranks().size());
      for (auto& recorder : elsewhere_) recorders_.push_back(&recorder);
      recorded_ports_.assign(parts_.size(), {});
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        parts_[i]->tracer().record(filter);
        for (std::uint32_t port = 0; port < topology_.ports(); ++port)
          if (parts_[i]->owns_port(port) && (filter.ports.empty() || filter.ports[port]))
            recorded_ports_[i].push_back(port);
      }
    }
  }

  void log_phases_to(PhaseLog& log) override {
    log_ = &log;
    taken_.resize(parts_.size());
  }

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

  // The partition of this node; null if another rank has it.
  Partition<S, Tracer>* part_of(std::uint32_t node) const {
    const std::uint32_t i = of_node_[node];
    return own_.has(i) ? parts_[i - own_.first].get() : nullptr;
  }
  // At the partition of this node, if this rank has it.
  template <class Do>
  void at(std::uint32_t node, Do&& it) {
    if (auto* part = part_of(node)) it(*part);
    totals_are_known_ = false;
  }

  // A mailbox between partitions of which at least one is this rank's.
  Mailbox& mailbox(std::uint32_t turn, std::uint32_t from, std::uint32_t to) {
    return mail_[turn][from][own_.has(from) ? to : to - own_.first];
  }

  Totals own_totals() const {
    Totals out;
    for (const auto& p : parts_) {
      out.pending += p->idle() ? 0 : 1;
      out.nodes_done += p->nodes_done();
      out.counters.add(p->counters());
    }
    for (std::uint32_t from = own_.first; from < own_.end; ++from)
      for (const Mailbox& box : mail_[written_][from]) out.pending += box.empty() ? 0 : 1;
    if (out.pending == 0)
      for (const net::PauseWatch& watch : network_.watches) out.watching += watch.idle() ? 0 : 1;
    for (const auto& failure : failures_) out.failed += failure ? 1 : 0;
    return out;
  }

  // With the other ranks, once the threads of this one have done their part of the epoch.
  void exchange() {
    std::vector<host::FlowRecord> finished;
    for (std::uint32_t from = own_.first; from < own_.end; ++from)
      for (std::uint32_t to = 0; to < count_; ++to)
        if (!own_.has(to)) exchange_->post(from, to, mail_[written_][from][to]);
    for (const auto& p : parts_) finished.insert(finished.end(), p->finished().begin(), p->finished().end());
    exchange_->post(finished);
    for (std::uint32_t from = 0; from < count_; ++from)
      if (!own_.has(from))
        for (Mailbox& box : mail_[written_][from]) box.clear();
    std::string failure;
    for (const auto& f : failures_)
      if (f && failure.empty()) failure = Exchange::reason(f);
    totals_ = exchange_->run(
        own_totals(), failure,
        [this](std::uint32_t from, std::uint32_t to) -> Mailbox& { return mailbox(written_, from, to); },
        finished_elsewhere_);
    totals_are_known_ = true;
  }

  // Gives the recorders of other ranks what those have recorded.
  void gather_events() {
    std::vector<net::TraceEvent> own;
    for (const auto& p : parts_) {
      const auto& events = p->tracer().events();
      own.insert(own.end(), events.begin(), events.end());
    }
    std::vector<std::vector<net::TraceEvent>> all = exchange_->others(own);
    for (std::size_t r = 0; r < all.size(); ++r) elsewhere_[r].events() = std::move(all[r]);
  }

  // What each rank writes, one after the other.
  template <class Write>
  void append(Saver& a, bool everywhere, Write&& write) {
    if (!exchange_) return write(a);
    Saver own;
    write(own);
    exchange_->gather_into(a, own.content(), everywhere);
  }

  static std::uint32_t count_of(const std::vector<std::uint16_t>& of_node) {
    std::uint32_t n = 1;
    for (const auto i : of_node) n = std::max<std::uint32_t>(n, i + 1u);
    return n;
  }

  void run(std::uint32_t i) {
    for (const auto& flow : pending_[i]) parts_[i]->add_flow(flow);
    pending_[i].clear();
    parts_[i]->run_until(end_);
  }

  // One epoch of a partition. What others handed over in the epoch before is taken over in this one.
  void step(std::uint32_t thread, std::uint32_t i) {
    const std::uint32_t self = own_.first + i;
    const auto go = [&] {
      for (std::uint32_t from = 0; from < count_; ++from) parts_[i]->take_over(mailbox(written_ ^ 1, from, self));
      for (auto& box : mail_[written_][self]) box.clear();
      run(i);
      parts_[i]->hand_over(end_, mail_[written_][self]);
    };
    timed(thread, i, [&] { failures_[i] = failure_of(go); });
  }

  // Notes how long it takes, if somebody wants to know.
  template <class Do>
  void timed(std::uint32_t thread, std::uint32_t i, Do&& it) {
    if (log_ == nullptr) return it();
    const std::int64_t begin = passing_ns();
    it();
    taken_[i] = {Phase::partition, thread, own_.first + i, begin, passing_ns()};
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

  void start_workers() {
    for (std::uint32_t thread = 1; thread < threads_; ++thread)
      workers_.emplace_back(
          [this, thread] { rounds_.follow(thread, [this](std::uint32_t by, std::uint32_t i) { step(by, i); }); });
  }

  const net::Topology& topology_;
  const Network& network_;
  const std::uint32_t partitions_;
  std::vector<std::uint16_t> of_node_;
  const std::uint32_t count_;                 // of partitions, of all ranks
  const std::unique_ptr<Exchange> exchange_;  // null: there is one rank
  const Share own_;                           // of this rank
  const std::uint32_t threads_;               // of this rank
  std::uint32_t all_threads_ = 0;
  std::vector<std::unique_ptr<Partition<S, Tracer>>> parts_;  // those of the share
  // Of every other epoch; by sender, then receiver, which of another rank's partition are only those of this rank.
  std::array<std::vector<std::vector<Mailbox>>, 2> mail_;
  std::uint32_t written_ = 0;  // which of them the present or last epoch writes
  Totals totals_;
  bool totals_are_known_ = false;
  std::uint64_t events_seen_ = 0;                     // by is_quiet()
  std::vector<host::FlowRecord> finished_elsewhere_;  // by other ranks
  std::vector<net::Recorder> elsewhere_;              // their events, by rank
  std::vector<std::vector<traffic::Flow>> pending_;
  std::vector<std::exception_ptr> failures_;                // by partition; read between epochs
  TraceOrder order_;                                        // of traced crews
  std::vector<net::Recorder*> recorders_;                   // the same
  std::vector<std::vector<std::uint32_t>> recorded_ports_;  // by partition, if it is traced
  PhaseLog* log_ = nullptr;                                 // null: nobody wants to know what takes how long
  std::vector<PhaseTime> taken_;                            // by partition, for the log
  TaskRounds rounds_;                                       // of the partitions
  Time end_;
  std::vector<std::thread> workers_;
};

// Do nodes go on one after the other? If so, a busy port has a packet or more in each turn, and two or more where calls
// at intervals cut turns short: the more there are, the more is gained.
bool nodes_take_turns(const Model& model, const RunOptions& options) {
  if (options.scheduler != SchedulerKind::automatic || options.traced) return false;
  for (const auto& profile : model.profiles)
    if (cc::has(profile.algorithm->about.needs, cc::Needs::order)) return false;
  Rate fastest;
  for (const auto& link : model.topology.links) fastest = std::max(fastest, link.rate);
  const Time packet = transmission_time(model.transport.payload, fastest);
  return turn_length(model.topology) >= packet && options.shortest_interval >= 2 * packet;
}

}  // namespace

std::unique_ptr<Partitions> make_partitions(const Model& model, Network& network, const RunOptions& options) {
  const std::uint32_t ranks = options.ranks == nullptr ? 1 : options.ranks->size();
  const std::uint32_t partitions = options.partitions == 0 ? options.threads * ranks : options.partitions;
  const auto make = [&]<class S>() -> std::unique_ptr<Partitions> {
    if (options.traced) return std::make_unique<LocalPartitions<S, net::Recorder>>(model, network, partitions, options);
    return std::make_unique<LocalPartitions<S, net::NoTracer>>(model, network, partitions, options);
  };
  if (options.scheduler == SchedulerKind::heap) return make.template operator()<sim::HeapScheduler>();
  if (nodes_take_turns(model, options))
    return std::make_unique<LocalPartitions<sim::NodeScheduler, net::NoTracer>>(model, network, partitions, options);
  return make.template operator()<sim::WheelScheduler>();
}

}  // namespace weir::engine
