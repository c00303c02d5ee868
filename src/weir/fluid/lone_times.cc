#include "weir/fluid/lone_times.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace weir::fluid {

LoneTimes::LoneTimes(const engine::Model& model) : model_(model) {
  if (model.routing.hosts_have_several_ports()) return;
  std::vector<std::pair<Rate, Time>> found;
  std::set<std::size_t> between;  // switches
  for (const net::Link& link : model.topology.links) {
    const std::pair kind(link.rate, link.delay);
    const auto at = static_cast<std::size_t>(std::find(found.begin(), found.end(), kind) - found.begin());
    if (at == found.size()) found.push_back(kind);
    kinds_.push_back(static_cast<std::uint8_t>(at + 1));
    if (std::min(link.a, link.b) >= model.topology.hosts) between.insert(at);
  }
  const bool are_alike = model.routing.by_arithmetic() || between.size() <= 1;
  if (!are_alike || found.size() > std::numeric_limits<std::uint8_t>::max()) kinds_.clear();
}

std::uint64_t LoneTimes::kinds(std::span<const PathFinder::Use> path, const net::Framing& framing) const {
  std::uint64_t out = 0;
  if (kinds_.empty() || framing.sprayed || path.size() > sizeof(out)) return 0;
  for (const auto& use : path) out = out << 8 | kinds_[use.link / 2];
  return out;
}

const LoneTimes::Times& LoneTimes::of(std::uint32_t src, std::uint32_t dst, Bytes size, std::uint16_t profile,
                                      std::span<const PathFinder::Use> path) {
  const net::Framing framing = model_.framing(model_.profiles[profile]);
  const Key key{size, kinds(path, framing), profile};
  const auto mixed = static_cast<std::uint64_t>(size.count) ^ key.kinds ^ profile;
  Known& known = known_[mixed * 0x9E3779B97F4A7C15u >> 58];
  if (key.kinds == 0 || known.key != key) known = {key, find(src, dst, size, framing, path)};
  return known.times;
}

LoneTimes::Times LoneTimes::find(std::uint32_t src, std::uint32_t dst, Bytes size, const net::Framing& framing,
                                 std::span<const PathFinder::Use> path) {
  ports_.clear();
  Rate slowest = kMaxRate;
  for (const auto& use : path) {
    ports_.push_back(use.link);
    slowest = std::min(slowest, model_.topology.links[use.link / 2].rate);
  }
  const std::int64_t packets = (size.count + framing.payload.count - 1) / framing.payload.count;
  const Bytes wire = size + packets * framing.header;
  const Time received = net::Paths::delivery_by(model_.topology, ports_, size, framing);
  return {.tail = std::max(Time{}, received - transmission_time(wire, slowest)),
          .back = model_.paths.one_way(dst, src, framing.ack) + model_.host.answer_delay(),
          .delivery = model_.paths.delivery(src, dst, size, framing),
          .ideal_fct = model_.paths.ideal_fct(src, dst, size, framing),
          .packets = packets,
          .wire = kBitsPerByte * static_cast<double>(wire.count)};
}

}  // namespace weir::fluid
