// Searches for stalls, and gathering the state of all ranks, which they need.
#include <algorithm>
#include <utility>

#include "weir/engine/parallel/partitions.h"
#include "weir/engine/time/simulation.h"

namespace weir::engine {
namespace {

// Archives those parts of a report that differ among ranks.
template <class A>
void archive_report(A& a, DriverReport& report) {
  a.value(report.sums);
  a.value(report.hosts);
  for (ActivityTimes& activity : report.activities) {
    a.value(activity.total);
    a.value(activity.longest);
    a.value(activity.host);
  }
}

}  // namespace

// The partitions of all ranks, built anew.
struct Simulation::Whole {
  Whole(const Model& model, const RunOptions& options, Time soonest_news)
      : network(model, soonest_news), partitions(make_partitions(model, network, options)) {}

  Network network;
  std::vector<std::unique_ptr<traffic::Driver>> drivers;
  std::unique_ptr<Partitions> partitions;
};

std::unique_ptr<Simulation::Whole> Simulation::gather_whole() {
  gather_nodes();
  Saver saved;
  partitions_->save(saved, true);
  RunOptions options = options_;
  options.ranks = nullptr;
  options.threads = 1;
  options.partitions = partitions_->partitions();
  auto out = std::make_unique<Whole>(model_, options, network_.soonest_news);
  for (const auto& driver : drivers_) {
    out->drivers.push_back(driver->clone());
    out->partitions->add_driver(*out->drivers.back(), false, lag());
  }
  Loader loader(saved.content());
  out->partitions->load(loader, now_);
  return out;
}

// Gathers the states of a program's nodes. What a node waits for is known at the rank of its host; each of its events
// was seen by the rank of the sender or of the receiver.
void Simulation::gather_nodes() {
  if (options_.ranks == nullptr || program_driver_ == nullptr) return;
  const traffic::Program& program = traffic_.program();
  Saver own;
  program_driver_->archive_all(own);
  const std::vector<std::string> all = gather(*options_.ranks, own.content());
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    ProgramDriver of_rank(program);
    Loader loader(all[rank]);
    of_rank.archive_all(loader);
    for (std::uint32_t node = 0; node < program.size(); ++node) {
      if (partitions_->rank_of(program[node].src) == rank) program_driver_->waits()[node] = of_rank.waits()[node];
      NodeTimes& known = program_driver_->times()[node];
      const NodeTimes& told = of_rank.times()[node];
      known.started = std::min(known.started, told.started);
      known.sent = std::min(known.sent, told.sent);
      known.received = std::min(known.received, told.received);
    }
  }
}

std::vector<DriverReport> Simulation::driver_reports() const {
  std::vector<DriverReport> out;
  const std::uint32_t hosts = model_.topology.hosts;
  for (std::size_t i = 0; i < drivers_.size(); ++i) {
    const traffic::Driver& driver = *drivers_[i];
    const auto empty = empty_report(driver, unhindered_[i], hosts);
    if (!empty) continue;
    auto report = empty;
    for (std::uint32_t h = 0; h < hosts; ++h)
      if (partitions_->has(h)) report->add(driver, h);
    if (options_.ranks != nullptr) {
      Saver own;
      archive_report(own, *report);
      report = empty;
      for (const std::string& text : gather(*options_.ranks, own.content())) {
        auto of_rank = empty;
        Loader loader(text);
        archive_report(loader, *of_rank);
        report->merge(*of_rank);
      }
    }
    out.push_back(*std::move(report));
  }
  return out;
}

// Whether an ingress is paused at any rank. Without one there is no deadlock.
bool Simulation::is_paused_anywhere() const {
  const net::Topology& t = model_.topology;
  bool paused = false;
  for (std::uint32_t s = 0; s < t.switches && !paused; ++s)
    paused = partitions_->has(t.hosts + s) && network_.switches[s].buffer.needs_departure_events();
  if (options_.ranks == nullptr) return paused;
  const auto all = gather(*options_.ranks, std::uint64_t{paused});
  return std::any_of(all.begin(), all.end(), [](std::uint64_t of_rank) { return of_rank != 0; });
}

Deadlock Simulation::find_deadlock() {
  if (!is_paused_anywhere()) return {};
  if (options_.ranks == nullptr)
    return deadlock_search_.look([this](const auto& visit) { partitions_->for_each_packet(visit); });
  const auto whole = gather_whole();
  return DeadlockSearch(model_, whole->network).look([&](const auto& visit) {
    whole->partitions->for_each_packet(visit);
  });
}

// A link that will still go down or up may end any stall, so that there is none until the last of these changes.
std::optional<Stall> Simulation::find_stall(bool idle) {
  if (!known_links_.is_last()) return std::nullopt;
  if (model_.is_lossless() && !model_.watches() && partitions_->totals().counters.pauses > 0)
    if (auto deadlock = find_deadlock(); !deadlock.ports.empty()) {
      Stall out = stall_of(Stall::Kind::deadlock);
      out.since = deadlock.since + skipped_time();
      out.cycle = std::move(deadlock.cycle);
      out.blocked = static_cast<std::uint32_t>(deadlock.ports.size());
      return out;
    }
  if (traffic_dry_)
    if (const auto obstacles = find_cut_off()) {
      Stall out = stall_of(Stall::Kind::cut_off);
      out.obstacles = *obstacles;
      return out;
    }
  if (idle && !next_work(Time::max())) return stall_of(Stall::Kind::stuck);
  return std::nullopt;
}

std::optional<Obstacles> Simulation::find_cut_off() {
  if (model_.faults.links.empty() && !cut_off_search_.buffers_matter()) return std::nullopt;
  std::vector<bool> dead = links_.down();
  for (const auto& [link, faults] : model_.faults.links)
    if (faults.loses_all()) dead[link] = true;
  if (!cut_off_search_.buffers_matter() && std::find(dead.begin(), dead.end(), true) == dead.end()) return std::nullopt;
  const auto look = [&](CutOffSearch& search, const Partitions& partitions) -> std::optional<Obstacles> {
    if (partitions.has_untaken()) return std::nullopt;  // they may be what is waited for
    return search.look(
        {.routing = rerouted_ ? *rerouted_ : model_.routing,
         .dead = dead,
         .each_flow = [&](const auto& visit) { partitions.for_each_active(visit); },
         .each_packet = [&](const auto& visit) { partitions.for_each_packet(visit); },
         .messages_of = [&](std::uint32_t src, const host::Flow& flow) { return partitions.messages_of(src, flow); },
         .expected_end = [&](std::uint32_t src, const host::Flow& flow) { return partitions.expected_end(src, flow); },
         .drivers_go_on = partitions.drivers_go_on()});
  };
  if (options_.ranks == nullptr) return look(cut_off_search_, *partitions_);
  const auto whole = gather_whole();
  CutOffSearch search(model_, whole->network);
  return look(search, *whole->partitions);
}

}  // namespace weir::engine
