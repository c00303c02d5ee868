#include "weir/scenario/nic_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "weir/scenario/each_flow.h"
#include "weir/scenario/fidelity.h"

namespace weir::scenario {
namespace {

// Whether switches drop what they have no room for, of all classes.
bool switches_drop(const Scenario& s) {
  const auto is_paused = [](const net::ClassRow& c) { return c.pfc; };
  return s.buffer.mode != net::BufferMode::lossless ||
         (!s.classes.empty() && std::none_of(s.classes.begin(), s.classes.end(), is_paused));
}

}  // namespace

void choose_nics(const TableReader& table, Scenario& s) {
  constexpr double kTolerance = 100;
  constexpr double kJitter = 1;
  if (!s.run.fidelity->chooses_nics || !switches_drop(s)) return;
  if (table.find("rate_tolerance") == nullptr) s.host.rate_tolerance = kTolerance;
  if (table.find("send_jitter") == nullptr) s.host.send_jitter = kJitter;
}

void warn_of_lock_out(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  if (!s.run.fidelity->chooses_nics || !switches_drop(s) || !model.host.ideal_nics()) return;
  struct Senders {
    std::uint32_t first = 0;
    std::uint32_t other = 0;
    Bytes bytes;  // of all of them; not exact beyond the buffer
  };
  std::unordered_map<std::uint32_t, Senders> senders_to;  // by receiver
  for_each_flow(s, model, [&](std::uint32_t src, std::uint32_t dst, Bytes size, std::uint16_t) {
    const auto link_of = [&](std::uint32_t h) { return model.topology.links[model.routing.nic(h) / 2]; };
    const Rate rate = link_of(dst).rate;
    if (link_of(src).rate != rate) return true;
    Senders& senders = senders_to.emplace(dst, Senders{src, src, {}}).first->second;
    if (src != senders.first) senders.other = src;
    senders.bytes = std::min(senders.bytes, s.buffer.size) + size;
    if (senders.other == senders.first || senders.bytes <= s.buffer.size) return true;
    out.push_back(fmt::format(
        "hosts {} and {} send to host {}, all with links of {}, and the last port drops what it has no room "
        "for; NICs that are ideal keep step with it, so that the losses are always the same one's and few "
        "long flows can lock each other out; leave host.rate_tolerance and host.send_jitter out, or write "
        "numbers above 0",
        senders.first, senders.other, dst, format_value(rate)));
    return false;
  });
}

}  // namespace weir::scenario
