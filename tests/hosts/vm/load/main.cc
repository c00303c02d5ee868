// Traffic between network namespaces and its measurement, by one thread of one process, so that a virtual machine with
// one processor in virtual time does the same each time: lab-load PLAN. Ends as the plan says, or at SIGTERM. Prints
// one JSON object. Exit status: 0; 1 if something failed or a connection broke; 2 if the plan cannot be used.
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "tests/hosts/vm/load/departures.h"
#include "tests/hosts/vm/load/jobs.h"

namespace weir::hosts::load {
namespace {

// Of all hosts together.
constexpr const char* kCounters[] = {"OutSegs",        "RetransSegs",   "TCPTimeouts",     "TCPLossProbes",
                                     "TCPSACKReorder", "TCPTSReorder",  "TCPSpuriousRTOs", "TCPDSACKRecv",
                                     "TCPOFOQueue",    "TCPFastRetrans"};

std::vector<std::int64_t> counters(const Plan& plan) {
  std::vector<std::int64_t> sums(std::size(kCounters));
  for (const Host& host : plan.hosts) {
    auto found = tcp_counters(host.name);
    for (std::size_t i = 0; i < std::size(kCounters); ++i) sums[i] += found[kCounters[i]];
  }
  return sums;
}

struct Queue {
  QueuePlan plan;
  QueueWatch watch;
  QueueState before;
  std::vector<double> backlogs;  // bytes
};

class Run {
 public:
  explicit Run(const Plan& plan) {
    world_.plan = plan;
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigprocmask(SIG_BLOCK, &end, nullptr);
    end_ = Descriptor(signalfd(-1, &end, SFD_CLOEXEC));
    world_.loop.watch(end_.get(), EPOLLIN, [this](std::uint32_t) { ended_ = true; });
    world_.random.seed(plan.seed);
    for (const Host& host : plan.hosts) world_.servers.push_back(std::make_unique<Server>(world_.loop, host));
    for (const auto& one : plan.longs) longs_.push_back(std::make_unique<LongFlows>(world_, one));
    for (const auto& one : plan.requests) requests_.push_back(std::make_unique<Requests>(world_, one));
    for (const auto& one : plan.webs) webs_.push_back(std::make_unique<Web>(world_, one, webs_.size()));
    for (const auto& [ns, device] : plan.departures) {
      departures_.push_back(std::make_unique<Departures>(ns, device));
      world_.loop.watch(departures_.back()->descriptor(), EPOLLIN,
                        [one = departures_.back().get()](std::uint32_t) { one->read(); });
    }
    for (const auto& one : plan.queues) queues_.push_back({one, QueueWatch(one.ns, one.device), {}, {}});
  }

  int run() {
    const std::int64_t start = now_ns();
    const std::int64_t until = start + world_.plan.until;
    world_.loop.run([] { return false; }, start + world_.plan.warm);
    begin();
    const std::int64_t began = now_ns();
    world_.loop.run([this] { return done(); }, until);
    for (const auto& one : longs_) one->end();
    print(static_cast<double>(now_ns() - began) * 1e-9);
    return broken_ > 0 ? 1 : 0;
  }

 private:
  bool done() const {
    if (ended_) return true;
    const bool any = !webs_.empty() ||
                     std::any_of(requests_.begin(), requests_.end(), [](const auto& one) { return one->counts(); });
    return any && std::all_of(webs_.begin(), webs_.end(), [](const auto& one) { return one->done(); }) &&
           std::all_of(requests_.begin(), requests_.end(),
                       [](const auto& one) { return !one->counts() || one->done(); });
  }

  void begin() {
    before_ = counters(world_.plan);
    for (const auto& one : longs_) one->begin();
    for (const auto& one : requests_) one->begin();
    for (const auto& one : webs_) one->begin();
    for (const auto& one : departures_) one->begin();
    for (Queue& queue : queues_) {
      queue.before = queue.watch.now();
      look(queue);
    }
  }

  void look(Queue& queue) {
    queue.backlogs.push_back(static_cast<double>(queue.watch.now().backlog));
    world_.loop.at(now_ns() + queue.plan.interval, [this, &queue] { look(queue); });
  }

  void print_departures() {
    std::vector<double> waits;
    int overtaking = 0;
    for (const auto& one : departures_) {
      one->read();
      waits.insert(waits.end(), one->waits().begin(), one->waits().end());
      overtaking += one->overtaking();
    }
    std::printf(", \"departure_ms\": %s, \"overtaking\": %d", json(summary(waits), 1).c_str(), overtaking);
  }

  void print(double seconds) {
    std::printf("{\"seconds\": %.4g", seconds);
    std::string flows;
    for (const auto& one : longs_) {
      flows += (flows.empty() ? "" : ", ") + one->json();
      broken_ += one->broken();
    }
    std::printf(", \"long\": [%s]", flows.c_str());
    for (const auto& one : requests_) {
      std::printf(", \"%s_ms\": %s, \"%s_connections_ms\": %s", one->label().c_str(), one->json().c_str(),
                  one->label().c_str(), one->connections_json().c_str());
      broken_ += one->broken();
    }
    std::map<std::string, std::vector<const Web*>> webs;
    for (const auto& one : webs_) {
      webs[one->label()].push_back(one.get());
      broken_ += one->broken();
    }
    for (const auto& [label, all] : webs) std::printf(", \"%s_ms\": %s", label.c_str(), Web::json(all).c_str());
    for (Queue& queue : queues_) {
      const QueueState now = queue.watch.now();
      std::printf(", \"queue_%s_kb\": %s, \"drops_%s\": %lld, \"sent_%s_mbps\": %.4g", queue.plan.device.c_str(),
                  json(summary(queue.backlogs), 1e3).c_str(), queue.plan.device.c_str(),
                  static_cast<long long>(now.drops - queue.before.drops), queue.plan.device.c_str(),
                  static_cast<double>(now.sent - queue.before.sent) * 8e-6 / seconds);
    }
    if (!departures_.empty()) print_departures();
    const std::vector<std::int64_t> after = counters(world_.plan);
    for (std::size_t i = 0; i < after.size(); ++i) {
      std::printf(", \"%s\": %lld", kCounters[i], static_cast<long long>(after[i] - before_[i]));
    }
    std::printf(", \"broken\": %d}\n", broken_);
  }

  World world_;
  std::vector<std::unique_ptr<LongFlows>> longs_;
  std::vector<std::unique_ptr<Requests>> requests_;
  std::vector<std::unique_ptr<Web>> webs_;
  std::vector<Queue> queues_;
  std::vector<std::unique_ptr<Departures>> departures_;
  std::vector<std::int64_t> before_;
  int broken_ = 0;
  Descriptor end_;
  bool ended_ = false;
};

}  // namespace
}  // namespace weir::hosts::load

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: lab-load PLAN\n", stderr);
    return 2;
  }
  weir::hosts::load::Plan plan;
  try {
    plan = weir::hosts::load::read_plan(arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lab-load: %s\n", error.what());
    return 2;
  }
  try {
    return weir::hosts::load::Run(plan).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lab-load: %s\n", error.what());
    return 1;
  }
}
