#include "weir/engine/endings/message_facts.h"

#include <algorithm>
#include <limits>
#include <map>

namespace weir::engine {

FactsOfMessages::FactsOfMessages(const Model& model) : model_(model), kind_(model.topology.hosts) {
  std::map<HostLinks, std::uint32_t> number;
  for (std::uint32_t host = 0; host < kind_.size(); ++host) {
    const auto [at, is_new] = number.emplace(links_of(host), static_cast<std::uint32_t>(kinds_.size()));
    if (is_new) kinds_.push_back(at->first);
    kind_[host] = at->second;
  }
}

std::size_t FactsOfMessages::Hash::operator()(const Key& key) const {
  std::uint64_t out = 0;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(key.size) << 16 | key.profile, std::uint64_t{key.src} << 32 | key.dst}) {
    out = (out ^ part) * 0x9fb21c651e98df25ull;
    out ^= out >> 32;
  }
  return out;
}

const MessageFacts& FactsOfMessages::of(std::uint32_t src, std::uint32_t dst, Bytes size, std::uint16_t profile) {
  const Key key{kind_[src], kind_[dst], size.count, profile};
  const auto known = known_.find(key);
  return known != known_.end() ? known->second : known_.emplace(key, work_out(src, dst, size, profile)).first->second;
}

FactsOfMessages::HostLinks FactsOfMessages::links_of(std::uint32_t host) const {
  HostLinks out{.attachment = model_.routing.attachment(host), .slowest = {std::numeric_limits<std::int64_t>::max()}};
  for (const std::uint32_t port : model_.routing.ports_of(host)) {
    const net::Link& link = model_.topology.links[port / 2];
    out.rate = out.rate + link.rate;
    out.slowest = std::min(out.slowest, link.rate);
    out.fastest = std::max(out.fastest, link.rate);
    out.least_delay = std::min(out.least_delay, link.delay);
    out.longest_delay = std::max(out.longest_delay, link.delay);
  }
  return out;
}

MessageFacts FactsOfMessages::work_out(std::uint32_t src, std::uint32_t dst, Bytes size, std::uint16_t profile) const {
  const net::Framing framing = model_.framing_without_int(model_.profiles[profile]);
  const std::int64_t packets = (size.count + framing.payload.count - 1) / framing.payload.count;
  const Bytes full = framing.payload + framing.header;
  const Bytes last = size - (packets - 1) * framing.payload + framing.header;
  const HostLinks& up = kinds_[kind_[src]];
  const HostLinks& down = kinds_[kind_[dst]];
  const auto work = [&](Rate rate) {
    return (packets - 1) * net::WideTime{transmission_time(full, rate).ps} + transmission_time(last, rate).ps;
  };
  const auto one_way = [&](Bytes wire) { return model_.paths.least_one_way(src, dst, wire); };
  // Packets that take several paths may overtake each other.
  const Bytes first = packets > 1 && !framing.sprayed ? full : last;
  return {.delivery = model_.paths.delivery(src, dst, size, framing),
          .ack = model_.paths.least_one_way(dst, src, framing.ack),
          .up_work = work(up.rate),
          .up_tail = (one_way(last) - transmission_time(last, up.slowest)).ps,
          .down_head = (one_way(first) - transmission_time(first, down.slowest) - down.longest_delay).ps,
          .down_work = work(down.rate),
          .down_tail = down.least_delay.ps,
          .cut_head = (up.least_delay + transmission_time(first, up.fastest)).ps,
          .cut_bits = ((packets - 1) * net::WideTime{full.count} + last.count) * 8,
          .cut_tail = (down.least_delay + transmission_time(last, down.fastest)).ps};
}

}  // namespace weir::engine
