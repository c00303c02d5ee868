// Fat trees (.topo).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "weir/import/htsim_files.h"
#include "weir/import/htsim_lines.h"

namespace weir::scenario {
namespace {

class TreeReader {
 public:
  TreeReader(std::string_view text, const std::string& file) : lines_(text, file) {}

  HtsimTree read() {
    while (lines_.next()) read_line();
    for (const char* name : {"nodes", "tiers", "podsize"})
      if (!where_.contains(name)) throw InputError(lines_.whole_file(), fmt::format("{} is missing", name));
    for (std::uint32_t t = 0; t < out_.tiers; ++t) check_tier(t);
    check_shape();
    out_.where = place(0, "downlink_speed_gbps");
    return out_;
  }

 private:
  static std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
  }
  std::string key(std::uint32_t tier, std::string_view name) const { return fmt::format("tier {} {}", tier, name); }
  Where place(std::uint32_t tier, std::string_view name) const {
    const auto known = where_.find(key(tier, name));
    return known == where_.end() ? lines_.whole_file() : known->second;
  }

  std::uint32_t once(const std::string& name, std::string_view word, std::uint32_t min, std::uint32_t max) {
    const auto value = static_cast<std::uint32_t>(lines_.whole(word, min, max));
    lines_.end();
    const auto [known, is_new] = where_.emplace(name, lines_.where());
    if (!is_new) throw lines_.error(fmt::format("{} is there already, in line {}", word, known->second.line));
    return value;
  }

  void read_line() {
    constexpr std::uint32_t kMost = 1'000'000'000;
    const std::string word = lower(lines_.word(""));
    if (word == "nodes") {
      out_.nodes = once(word, word, 2, kMostHtsimNodes);
    } else if (word == "tiers") {
      out_.tiers = once(word, word, 2, 3);
    } else if (word == "podsize") {
      out_.pod = once(word, word, 1, kMostHtsimNodes);
    } else if (word == "tier") {
      tier_ = static_cast<std::uint32_t>(lines_.whole(word, 0, 2));
      lines_.end();
      if (!tiers_.insert(*tier_).second) throw lines_.error(fmt::format("tier {} is there already", *tier_));
    } else if (!tier_) {
      throw lines_.error(fmt::format("'{}' is not valid here; valid is Nodes, Tiers, Podsize, and then Tier 0", word));
    } else {
      HtsimTier& t = out_.tier[*tier_];
      const auto value = [&](std::uint32_t min) { return once(key(*tier_, word), word, min, kMost); };
      if (word == "downlink_speed_gbps")
        t.gbps = value(1);
      else if (word == "downlink_latency_ns")
        t.latency_ns = value(1);
      else if (word == "switch_latency_ns")
        t.switch_latency_ns = value(0);
      else if (word == "radix_down")
        t.radix_down = value(1);
      else if (word == "radix_up" && *tier_ < 2)
        t.radix_up = value(1);
      else if (word == "bundle")
        t.bundle = value(1);
      else if (word == "oversubscribed")
        t.oversubscribed = value(1);
      else if (word == "queue_down" || word == "queue_up")
        out_.queues = value(0) > 0 || out_.queues;
      else
        throw lines_.error(
            fmt::format("'{}' is not valid here; valid is Tier, Downlink_speed_Gbps, Downlink_Latency_ns, "
                        "Switch_Latency_ns, Radix_Down, Radix_Up (but of the last tier), Bundle, "
                        "Oversubscribed, Queue_down, Queue_up",
                        word));
    }
  }

  void check_tier(std::uint32_t t) const {
    constexpr std::int64_t kMostGbps = 100'000;
    const HtsimTier& tier = out_.tier[t];
    const auto need = [&](bool there, std::string_view name) {
      if (!there) throw InputError(lines_.whole_file(), fmt::format("{} of tier {} is missing", name, t));
    };
    need(tier.gbps > 0, "Downlink_speed_Gbps");
    need(tier.latency_ns > 0, "Downlink_Latency_ns");
    need(tier.radix_down > 0, "Radix_Down");
    need(t + 1 == out_.tiers || tier.radix_up > 0, "Radix_Up");
    if (tier.gbps > kMostGbps)
      throw InputError(place(t, "downlink_speed_gbps"), fmt::format("valid is at most {}", kMostGbps));
    if (tier.radix_down % tier.bundle != 0)
      throw InputError(place(t, "radix_down"),
                       fmt::format("{} is no multiple of this tier's Bundle, {}", tier.radix_down, tier.bundle));
    if (t + 1 < out_.tiers && tier.radix_up % out_.tier[t + 1].bundle != 0)
      throw InputError(place(t, "radix_up"), fmt::format("{} is no multiple of the Bundle of tier {}, {}",
                                                         tier.radix_up, t + 1, out_.tier[t + 1].bundle));
    if (t + 1 == out_.tiers) return;
    const std::int64_t down = tier.radix_down * tier.gbps;
    const std::int64_t up = std::int64_t{tier.radix_up} * out_.tier[t + 1].gbps * tier.oversubscribed;
    if (down != up)
      throw InputError(
          place(t, "radix_up"),
          fmt::format("{} links down of {} Gbps and {} up of {} Gbps, which is not Oversubscribed {}", tier.radix_down,
                      tier.gbps, tier.radix_up, out_.tier[t + 1].gbps, tier.oversubscribed));
  }

  void check_shape() const {
    const auto& tier = out_.tier;
    if (tier[0].bundle != 1) throw InputError(place(0, "bundle"), "hosts have one link; valid is 1");
    if (out_.nodes % out_.pod != 0)
      throw InputError(where_.at("podsize"), fmt::format("{} does not divide Nodes, {}", out_.pod, out_.nodes));
    if (out_.tiers == 2 && out_.pod != out_.nodes)
      throw InputError(where_.at("podsize"), fmt::format("two tiers are one pod; valid is {}", out_.nodes));
    if (out_.pod % tier[0].radix_down != 0)
      throw InputError(place(0, "radix_down"),
                       fmt::format("{} does not divide Podsize, {}", tier[0].radix_down, out_.pod));
    const std::uint64_t edges = std::uint64_t{out_.edges_per_pod()} * tier[1].bundle;
    if (tier[1].radix_down != edges)
      throw InputError(place(1, "radix_down"),
                       fmt::format("{}, but a pod has {} links to each switch of this tier; valid is {}",
                                   tier[1].radix_down, edges, edges));
    if (out_.tiers < 3) return;
    const std::uint64_t pods = std::uint64_t{out_.pods()} * tier[2].bundle;
    if (tier[2].radix_down != pods)
      throw InputError(place(2, "radix_down"),
                       fmt::format("{}, but there are {} links from pods to each core; valid is {}", tier[2].radix_down,
                                   pods, pods));
  }

  HtsimLines lines_;
  HtsimTree out_;
  std::map<std::string, Where> where_;
  std::optional<std::uint32_t> tier_;
  std::set<std::uint32_t> tiers_;
};

}  // namespace

HtsimTree parse_htsim_tree(std::string_view text, const std::string& file) { return TreeReader(text, file).read(); }

}  // namespace weir::scenario
