#include "weir/engine/time/gathered_observation.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "weir/engine/parallel/partitions.h"
#include "weir/engine/time/local_observation.h"

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

void GatheredObservation::forget() { gathered_ = {}; }

template <class Row>
std::vector<Row> GatheredObservation::all(const std::vector<Row>& own) const {
  std::vector<Row> out;
  for (const std::string& of_rank : gather(ranks_, bytes_of(own))) append_rows(out, of_rank);
  return out;
}

template <class Row, class RankOf, class Own>
std::vector<Row> GatheredObservation::rows(std::uint32_t count, RankOf&& rank_of, Own&& own) const {
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

std::uint32_t GatheredObservation::queued_bytes(std::uint32_t port) {
  const net::Topology& t = model_.topology;
  if (!gathered_.queued_bytes)
    gathered_.queued_bytes = rows<std::uint32_t>(
        t.ports(), [&](std::uint32_t p) { return partitions_.rank_of(t.port_owner(p)); },
        [&](std::uint32_t p) { return own_.queued_bytes(p); });
  return gathered_.queued_bytes->at(port);
}

const PortFigures& GatheredObservation::port(std::uint32_t port) const {
  const net::Topology& t = model_.topology;
  if (!gathered_.ports)
    gathered_.ports = rows<PortFigures>(
        t.ports(), [&](std::uint32_t p) { return partitions_.rank_of(t.port_owner(p)); },
        [&](std::uint32_t p) { return own_.port_figures(p); });
  return gathered_.ports->at(port);
}

const SwitchFigures& GatheredObservation::of_switch(std::uint32_t s) const {
  const net::Topology& t = model_.topology;
  if (!gathered_.switches)
    gathered_.switches = rows<SwitchFigures>(
        t.switches, [&](std::uint32_t i) { return partitions_.rank_of(t.hosts + i); },
        [&](std::uint32_t i) { return own_.switch_figures(i); });
  return gathered_.switches->at(s);
}

const std::vector<GatheredObservation::Active>& GatheredObservation::active() const {
  if (!gathered_.active) {
    std::vector<Active> own;
    own_.for_each_active([&](const host::FlowView& flow) {
      Active& out = own.emplace_back();
      out.flow = flow;
      const auto report = own_.one_way_report(flow);
      out.has_report = report.has_value();
      if (report) out.report = *report;
    });
    gathered_.active = all(own);
    // those of each rank are in order of (sender, slot) already
    std::stable_sort(gathered_.active->begin(), gathered_.active->end(),
                     [](const Active& a, const Active& b) { return a.flow.src < b.flow.src; });
    for (std::size_t i = 0; i < gathered_.active->size(); ++i)
      gathered_.places.try_emplace(key_of((*gathered_.active)[i].flow.src, (*gathered_.active)[i].flow.slot), i);
  }
  return *gathered_.active;
}

const GatheredObservation::Active* GatheredObservation::find(std::uint32_t src, std::uint32_t slot,
                                                             std::uint32_t generation) const {
  const std::vector<Active>& flows = active();
  const auto place = gathered_.places.find(key_of(src, slot));
  if (place == gathered_.places.end()) return nullptr;
  const Active& active = flows[place->second];
  return active.flow.generation == generation ? &active : nullptr;
}

std::span<const GatheredObservation::Queued> GatheredObservation::queued(std::uint32_t port) {
  const net::Topology& t = model_.topology;
  if (!gathered_.queued) {
    std::vector<Queued> own;
    for (std::uint32_t p = 0; p < t.ports(); ++p)
      if (partitions_.has(t.port_owner(p)))
        own_.for_each_waiting(p, [&](std::uint32_t, const net::Packet& packet) {
          own.push_back({p, packet.sender(), packet.slot, packet.generation, packet.wire});
        });
    gathered_.queued = all(own);
    std::stable_sort(gathered_.queued->begin(), gathered_.queued->end(),
                     [](const Queued& a, const Queued& b) { return a.port < b.port; });
  }
  const auto [first, last] = std::equal_range(gathered_.queued->begin(), gathered_.queued->end(), Queued{.port = port},
                                              [](const Queued& a, const Queued& b) { return a.port < b.port; });
  return {first, last};
}

bool GatheredObservation::for_each_queued(std::uint32_t id, const VisitQueued& visit) {
  for (const Queued& q : queued(id)) {
    const Active* const active = find(q.src, q.slot, q.generation);
    if (active == nullptr)
      visit({.src = q.src, .bytes = q.bytes});
    else
      visit(
          {.flow = active->flow.id, .src = q.src, .dst = active->flow.dst, .tag = active->flow.tag, .bytes = q.bytes});
  }
  return true;
}

void GatheredObservation::for_each_active(const std::function<void(const host::FlowView&)>& visit) const {
  for (const Active& active : this->active()) visit(active.flow);
}

std::optional<OneWayReport> GatheredObservation::one_way_report(const host::FlowView& flow) const {
  const Active* const active = find(flow.src, flow.slot, flow.generation);
  return active != nullptr && active->has_report ? std::optional(active->report) : std::nullopt;
}

}  // namespace weir::engine
