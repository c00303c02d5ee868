#include "weir/engine/crew.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>

#include "weir/net/split.h"

namespace weir::engine {

namespace {

// Tells the processor that this thread is only waiting.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void Barrier::arrive_and_wait() {
  const std::uint32_t round = round_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
    return;
  }
  for (int spin = 0; spin < spins_; ++spin) {
    if (round_.load(std::memory_order_acquire) != round) return;
    relax();
  }
  round_.wait(round, std::memory_order_acquire);
}

namespace {

template <sim::Scheduler S, class Tracer>
class Team final : public Simulation::Crew {
 public:
  // Threads take their partitions in turn; there are as many of them as partitions, or fewer.
  Team(const Model& model, Network& network, std::uint32_t partitions, std::uint32_t threads)
      : topology_(model.topology),
        partitions_(partitions),
        of_node_(net::split(topology_, partitions).of_node),
        threads_(std::min(threads, count_of(of_node_))),
        barrier_(threads_) {
    const std::uint32_t n = count_of(of_node_);
    for (std::uint32_t i = 0; i < n; ++i) {
      parts_.push_back(std::make_unique<Partition<S, Tracer>>(model, network, of_node_, static_cast<std::uint16_t>(i),
                                                              static_cast<std::uint16_t>(n)));
      for (auto& mail : mail_) mail.emplace_back(n);
      pending_.emplace_back();
      failures_.emplace_back();
    }
    start_workers();
  }

  ~Team() override {
    stop_ = true;
    if (!workers_.empty()) barrier_.arrive_and_wait();
    for (auto& w : workers_) w.join();
  }

  std::uint32_t threads() const override { return threads_; }
  std::uint32_t partitions() const override { return partitions_; }

  void after_fork() override {
    // Those of the parent do not exist here: they can be neither joined nor detached.
    for (std::thread& w : workers_) std::construct_at(&w);
    workers_.clear();
    barrier_.forget_arrivals();
    start_workers();
  }

  void load(const traffic::Program& program, Time lag) override {
    for (auto& p : parts_) p->load(program, lag);
  }

  std::uint64_t nodes_done() const override {
    std::uint64_t sum = 0;
    for (const auto& p : parts_) sum += p->nodes_done();
    return sum;
  }

  void add_flow(const traffic::Flow& flow) override { pending_[of_node_[flow.src]].push_back(flow); }

  void run_epoch(Time end) override {
    end_ = end;
    if (parts_.size() == 1) {
      timed(0, 0, [&] { run(0); });
    } else {
      turn_ ^= 1;
      barrier_.arrive_and_wait();
      step_all(0);
      for (const auto& failure : failures_)
        if (failure) std::rethrow_exception(failure);
    }
    for (const Work& work : taken_) log_->add(work);
  }

  bool idle() const override {
    for (const auto& boxes : mail_[turn_])
      if (!std::all_of(boxes.begin(), boxes.end(), [](const auto& box) { return box.empty(); })) return false;
    return std::all_of(parts_.begin(), parts_.end(), [](const auto& p) { return p->idle(); });
  }

  void skip_to(Time t) override {
    for (auto& p : parts_) p->skip_to(t);
  }

  Counters counters() const override {
    Counters sum;
    for (const auto& p : parts_) sum.add(p->counters());
    return sum;
  }

  void collect(std::vector<host::FlowRecord>& out) override {
    for (auto& p : parts_) {
      out.insert(out.end(), p->finished().begin(), p->finished().end());
      p->finished().clear();
    }
  }

  void take_down(std::uint32_t port, Time now) override {
    parts_[of_node_[topology_.port_owner(port)]]->take_down(port, now);
  }

  void stall(std::uint32_t host, Time until, Time now) override { parts_[of_node_[host]]->stall(host, until, now); }

  void watch(Time now) override {
    for (auto& p : parts_) p->watch(now);
  }

  void route_by(const net::Routing& routing, Time since) override {
    for (auto& p : parts_) p->route_by(routing, since);
  }

  void settle_before(std::uint32_t port, Time end) override {
    // Any partition can do it for its own ports.
    for (auto& p : parts_)
      if (p->owns_port(port)) p->settle_before(port, end);
  }

  void for_each_active(const std::function<void(std::uint32_t, const host::Flow&)>& visit) const override {
    for (const auto& p : parts_) p->for_each_active(visit);
  }

  void for_each_packet(const net::PacketVisit& visit) const override {
    for (const auto& p : parts_) p->for_each_packet(visit);
    for (const auto& boxes : mail_[turn_])
      for (const Mailbox& box : boxes)
        for (const HandedOver& in : box.packets) visit(in.port, in.packet);
  }

  void for_each_signal(const std::function<void(std::uint32_t)>& visit) const override {
    for (const auto& boxes : mail_[turn_])
      for (const Mailbox& box : boxes)
        for (const Signal& signal : box.signals) visit(signal.node);
  }

  std::span<const net::TraceEvent> trace(Time end) override {
    if constexpr (Tracer::kOn) {
      // What has left by now is recorded only once the port is looked at.
      for (std::size_t i = 0; i < parts_.size(); ++i)
        for (const std::uint32_t port : recorded_ports_[i]) parts_[i]->settle_before(port, end);
      return order_.collect(recorders_, end);
    }
    return {};
  }

  void save(Saver& a) override {
    archive(a, [&](auto& part) { part.save(a); });
  }
  void load(Loader& a, Time now) override {
    archive(a, [&](auto& part) { part.load(a, now); });
    // Whoever was not traced before has not noted them.
    if constexpr (Tracer::kOn)
      for_each_active([this](std::uint32_t src, const host::Flow& flow) { order_.know(src, flow); });
  }

  void record([[maybe_unused]] const net::TraceFilter& filter) override {
    if constexpr (Tracer::kOn) {
      recorders_.clear();
      for (auto& p : parts_) recorders_.push_back(&p->tracer());
      recorded_ports_.assign(parts_.size(), {});
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        parts_[i]->tracer().record(filter);
        for (std::uint32_t port = 0; port < topology_.ports(); ++port)
          if (parts_[i]->owns_port(port) && (filter.ports.empty() || filter.ports[port]))
            recorded_ports_[i].push_back(port);
      }
    }
  }

  void note_work(WorkLog& log) override {
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
    parts_[of_node_[question.src]]->take_decision(question, control, now);
  }

 private:
  static std::uint32_t count_of(const std::vector<std::uint16_t>& of_node) {
    std::uint32_t n = 1;
    for (const auto i : of_node) n = std::max<std::uint32_t>(n, i + 1u);
    return n;
  }

  template <class A, class Part>
  void archive(A& a, Part&& part) {
    auto n = static_cast<std::uint32_t>(parts_.size());
    a.value(n);
    if (n != parts_.size()) throw InputError("the checkpoint is of a network that was cut otherwise");
    for (auto& p : parts_) part(*p);
    a.each(mail_[turn_], [&](auto& boxes) { a.each(boxes, [&](Mailbox& box) { box.archive(a); }); });
    if constexpr (Tracer::kOn) order_.archive(a);
  }

  void run(std::uint32_t i) {
    for (const auto& flow : pending_[i]) parts_[i]->add_flow(flow);
    pending_[i].clear();
    parts_[i]->run_until(end_);
  }

  // One epoch of one thread, between the barrier that starts it and the one that ends it: between epochs only the
  // thread that calls is at work. Whatever happens, both barriers are reached.
  void step_all(std::uint32_t thread) {
    for (std::uint32_t i = thread; i < parts_.size(); i += threads_)
      timed(thread, i, [&] { failures_[i] = failure_of([&] { step(i); }); });
    barrier_.arrive_and_wait();
  }

  // What others handed over in the epoch before is taken over in this one.
  void step(std::uint32_t i) {
    for (const auto& from : mail_[turn_ ^ 1]) parts_[i]->take_over(from[i]);
    for (auto& box : mail_[turn_][i]) box.clear();
    run(i);
    parts_[i]->hand_over(end_, mail_[turn_][i]);
  }

  // Notes how long it takes, if somebody wants to know.
  template <class Do>
  void timed(std::uint32_t thread, std::uint32_t i, Do&& it) {
    if (log_ == nullptr) return it();
    const std::int64_t begin = passing_ns();
    it();
    taken_[i] = {WorkKind::partition, thread, i, begin, passing_ns()};
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
    for (std::uint32_t i = 1; i < threads_; ++i) workers_.emplace_back([this, i] { work(i); });
  }

  void work(std::uint32_t thread) {
    for (;;) {
      barrier_.arrive_and_wait();
      if (stop_) return;
      step_all(thread);
    }
  }

  const net::Topology& topology_;
  const std::uint32_t partitions_;
  std::vector<std::uint16_t> of_node_;
  const std::uint32_t threads_;
  std::vector<std::unique_ptr<Partition<S, Tracer>>> parts_;
  std::array<std::vector<std::vector<Mailbox>>, 2> mail_;  // of every other epoch; by sender, then receiver
  std::uint32_t turn_ = 0;                                 // which of them the present or last epoch writes
  std::vector<std::vector<traffic::Flow>> pending_;
  std::vector<std::exception_ptr> failures_;                // by partition; read between epochs
  TraceOrder order_;                                        // of traced crews
  std::vector<net::Recorder*> recorders_;                   // the same
  std::vector<std::vector<std::uint32_t>> recorded_ports_;  // by partition, if it is traced
  WorkLog* log_ = nullptr;                                  // null: nobody wants to know what takes how long
  std::vector<Work> taken_;                                 // by partition, for the log
  Barrier barrier_;
  Time end_;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

std::unique_ptr<Simulation::Crew> make_crew(const Model& model, Network& network, const RunOptions& options) {
  const std::uint32_t partitions = options.partitions == 0 ? options.threads : options.partitions;
  const auto team = [&]<class S>() -> std::unique_ptr<Simulation::Crew> {
    if (options.traced) return std::make_unique<Team<S, net::Recorder>>(model, network, partitions, options.threads);
    return std::make_unique<Team<S, net::NoTracer>>(model, network, partitions, options.threads);
  };
  if (options.scheduler == SchedulerKind::heap) return team.template operator()<sim::HeapScheduler>();
  return team.template operator()<sim::WheelScheduler>();
}

}  // namespace weir::engine
