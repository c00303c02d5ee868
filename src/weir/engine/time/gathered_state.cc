#include "weir/engine/time/gathered_state.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "weir/engine/parallel/partitions.h"
#include "weir/engine/time/simulation.h"

namespace weir::engine {
namespace {

std::uint64_t key_of(std::uint32_t src, std::uint32_t slot) { return std::uint64_t{src} << 32 | slot; }

template <class Row>
void append_rows(std::vector<Row>& out, std::string_view bytes) {
  static_assert(std::is_trivially_copyable_v<Row>);
  const std::size_t before = out.size();
  out.resize(before + bytes.size() / sizeof(Row));
  if (!bytes.empty()) std::memcpy(static_cast<void*>(out.data() + before), bytes.data(), bytes.size());
}

template <class Row>
std::string_view bytes_of(const std::vector<Row>& rows) {
  return {reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(Row)};
}

}  // namespace

void GatheredState::forget() {
  queued_bytes_.reset();
  ports_.reset();
  switches_.reset();
  active_.reset();
  places_.clear();
  queued_.reset();
}

template <class Row>
std::vector<Row> GatheredState::all(const std::vector<Row>& own) {
  std::vector<Row> out;
  for (const std::string& of_rank : gather(ranks_, bytes_of(own))) append_rows(out, of_rank);
  return out;
}

template <class Row, class RankOf, class Own>
std::vector<Row> GatheredState::rows(std::uint32_t count, RankOf&& rank_of, Own&& own) {
  std::vector<Row> mine;
  for (std::uint32_t i = 0; i < count; ++i)
    if (rank_of(i) == ranks_.rank()) mine.push_back(own(i));
  const std::vector<std::string> gathered = gather(ranks_, bytes_of(mine));
  std::vector<std::size_t> taken(gathered.size());
  std::vector<Row> out(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t rank = rank_of(i);
    std::memcpy(static_cast<void*>(&out[i]), gathered[rank].data() + sizeof(Row) * taken[rank]++, sizeof(Row));
  }
  return out;
}

std::uint32_t GatheredState::queued_bytes(std::uint32_t port) {
  const net::Topology& t = simulation_.model_.topology;
  if (!queued_bytes_)
    queued_bytes_ = rows<std::uint32_t>(
        t.ports(), [&](std::uint32_t p) { return simulation_.partitions_->rank_of(t.port_owner(p)); },
        [&](std::uint32_t p) { return simulation_.port(p).queued; });
  return queued_bytes_->at(port);
}

const GatheredState::PortFigures& GatheredState::port(std::uint32_t port) {
  const net::Topology& t = simulation_.model_.topology;
  if (!ports_)
    ports_ = rows<PortFigures>(
        t.ports(), [&](std::uint32_t p) { return simulation_.partitions_->rank_of(t.port_owner(p)); },
        [&](std::uint32_t p) { return simulation_.figures(p); });
  return ports_->at(port);
}

const GatheredState::SwitchFigures& GatheredState::of_switch(std::uint32_t s) {
  const net::Topology& t = simulation_.model_.topology;
  if (!switches_)
    switches_ = rows<SwitchFigures>(
        t.switches, [&](std::uint32_t i) { return simulation_.partitions_->rank_of(t.hosts + i); },
        [&](std::uint32_t i) {
          const net::SwitchState& state = simulation_.switch_state(i);
          return SwitchFigures{state.drops, state.pauses_sent};
        });
  return switches_->at(s);
}

const std::vector<GatheredState::Active>& GatheredState::active() {
  if (!active_) {
    std::vector<Active> own;
    simulation_.partitions_->for_each_active([&](std::uint32_t src, const host::Flow& flow) {
      Active& out = own.emplace_back();
      static_cast<host::Flow&>(out) = flow;
      out.src = src;
      out.acknowledged_bytes = simulation_.acknowledged_of(src, flow);
      const auto report = simulation_.report_of(src, flow);
      out.has_report = report.has_value();
      if (report) out.report = *report;
    });
    active_ = all(own);
    // each rank's are in this order already
    std::stable_sort(active_->begin(), active_->end(), [](const Active& a, const Active& b) { return a.src < b.src; });
    for (std::size_t i = 0; i < active_->size(); ++i) places_[key_of((*active_)[i].src, (*active_)[i].slot)] = i;
  }
  return *active_;
}

const GatheredState::Active* GatheredState::find(std::uint32_t src, std::uint32_t slot, std::uint32_t generation) {
  const std::vector<Active>& flows = active();
  const auto place = places_.find(key_of(src, slot));
  if (place == places_.end()) return nullptr;
  const Active& flow = flows[place->second];
  return flow.generation == generation ? &flow : nullptr;
}

std::span<const GatheredState::Queued> GatheredState::queued(std::uint32_t port) {
  const net::Topology& t = simulation_.model_.topology;
  if (!queued_) {
    std::vector<Queued> own;
    for (std::uint32_t p = 0; p < t.ports(); ++p)
      if (simulation_.partitions_->has(t.port_owner(p)))
        simulation_.for_each_waiting(p, [&](std::uint32_t, const net::Packet& packet) {
          own.push_back({p, packet.sender(), packet.slot, packet.generation, packet.wire});
        });
    queued_ = all(own);
    std::stable_sort(queued_->begin(), queued_->end(),
                     [](const Queued& a, const Queued& b) { return a.port < b.port; });
  }
  const auto [first, last] = std::equal_range(queued_->begin(), queued_->end(), Queued{.port = port},
                                              [](const Queued& a, const Queued& b) { return a.port < b.port; });
  return {first, last};
}

}  // namespace weir::engine
