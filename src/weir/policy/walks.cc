#include "weir/policy/walks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "weir/base/error.h"
#include "weir/base/random.h"

namespace weir::policy {
namespace {

constexpr int kDeciding = 8;
constexpr double kMicrosecond = 1e6;  // in picoseconds, the unit of all times here
constexpr double kLongestQueue = 400 * kMicrosecond;
constexpr double kMarkedFrom = 8 * kMicrosecond;  // 100 KB at 100 Gb/s
constexpr double kPacket = 0.08 * kMicrosecond;   // 1 KB at 100 Gb/s
constexpr double kLeastRate = 1e-4;

// Draws of one walk.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint32_t walk) : stream_(seed, walk, Purpose::algorithm) {}

  double uniform() { return stream_.uniform(next_++); }
  // From 1 to 2^bits; uniform within each power of two.
  double log_uniform(int bits) {
    const auto power = static_cast<int>(stream_.below(next_++, static_cast<std::uint64_t>(bits)));
    return std::ldexp(1 + uniform(), power);
  }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

struct WalkingFlow {
  double rate = 1;
  double next = 0;     // decision
  double decided = 0;  // the last one
  double lost = 0;     // packets since then
  alignas(8) std::array<std::byte, Decider::kMaxMemory> memory{};
  alignas(8) std::array<std::byte, Decider::kMaxMemory> taught{};  // the teacher's memory
};

Observation observe(const WalkingFlow& flow, double now, double base, double queue) {
  Observation o;
  o.rtt = Time{static_cast<std::int64_t>(base + queue)};
  o.base_rtt = Time{static_cast<std::int64_t>(base)};
  o.rate = flow.rate;
  o.sent = static_cast<std::uint32_t>(1 + (now - flow.decided) * flow.rate / kPacket);
  o.cnps = queue > kMarkedFrom ? 1 : 0;
  o.nacks = std::min(o.sent, static_cast<std::uint32_t>(flow.lost));
  o.packet = Time{static_cast<std::int64_t>(kPacket)};
  return o;
}

// `teacher` is null if the decider's own answers are wanted.
void walk_once(const Decider& decider, const Decider* teacher, const WalkOptions& options, std::uint32_t number,
               std::vector<Sample>& out) {
  Draws draws(options.seed, number);
  const double flows = std::floor(draws.log_uniform(13));
  const auto deciding = static_cast<std::size_t>(std::min(flows, double{kDeciding}));
  const double each = flows / static_cast<double>(deciding);
  const double base = (4 + 12 * draws.uniform()) * kMicrosecond;
  const bool cold = number % 2 == 0;
  std::vector<WalkingFlow> all(deciding);
  double total = 0;
  for (WalkingFlow& flow : all) {
    if (!cold) flow.rate = std::max(kLeastRate, std::min(1.0, draws.log_uniform(7) / 64 / flows));
    flow.next = base * (1 + draws.uniform());
    decider.start(flow.memory.data());
    if (teacher != nullptr) teacher->start(flow.taught.data());
    total += each * flow.rate;
  }
  double queue = 0;
  double now = 0;
  for (int i = 0; i < options.decisions; ++i) {
    auto& flow =
        *std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.next < b.next; });
    const double grown = queue + (total - 1) * (flow.next - now);
    queue = std::clamp(grown, 0.0, kLongestQueue);
    if (grown > kLongestQueue)
      for (WalkingFlow& other : all) other.lost += (grown - kLongestQueue) / total * other.rate / kPacket;
    now = flow.next;

    Sample& sample = out.emplace_back();
    sample.flow = number * kDeciding + static_cast<std::uint32_t>(&flow - all.data());
    sample.observation = observe(flow, now, base, queue);
    sample.factor = decider.decide(sample.observation, flow.memory.data(), sample.inputs, sample.y);
    const double rate = std::clamp(flow.rate * sample.factor, kLeastRate, 1.0);
    total += each * (rate - flow.rate);
    if (teacher != nullptr) {
      const auto width = static_cast<std::size_t>(teacher->policy().width());
      sample.y = teacher->evaluate(std::span(sample.inputs).first(width), flow.taught.data());
    }
    flow.rate = rate;
    flow.decided = now;
    flow.lost = 0;
    flow.next = now + base + queue + kPacket / rate * draws.uniform();
  }
}

std::vector<Sample> walk_all(const Decider& decider, const Decider* teacher, const WalkOptions& options) {
  std::vector<Sample> out;
  out.reserve(static_cast<std::size_t>(options.walks) * static_cast<std::size_t>(options.decisions));
  for (int i = 0; i < options.walks; ++i) walk_once(decider, teacher, options, static_cast<std::uint32_t>(i), out);
  return out;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto comma = line.find(',');
    out.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return out;
    line.remove_prefix(comma + 1);
  }
}

template <class T>
T cell(std::string_view text, const Where& where) {
  T out{};
  const auto* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, out);
  if (error != std::errc{} || end != last || !(static_cast<double>(out) > -1e30 && static_cast<double>(out) < 1e30))
    throw InputError(where, fmt::format("'{}' is not a number", text.substr(0, 40)));
  return out;
}

}  // namespace

std::vector<Sample> walk(const Decider& decider, const WalkOptions& options) {
  return walk_all(decider, nullptr, options);
}

std::vector<Sample> walk(const Decider& driver, const Decider& teacher, const WalkOptions& options) {
  return walk_all(driver, &teacher, options);
}

std::vector<Sample> read_samples(std::string_view text, const std::string& file, const Decider& decider) {
  const auto width = static_cast<std::size_t>(decider.policy().width());
  std::vector<Sample> out;
  std::vector<std::size_t> columns;
  std::optional<std::size_t> flow_column;
  std::size_t cells_in_line = 0;
  std::map<std::uint32_t, std::array<std::byte, Decider::kMaxMemory>> memories;
  for (int line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (row.empty()) continue;
    const Where where{file, line};
    const auto cells = cells_of(row);
    if (columns.empty()) {
      for (std::size_t i = 1; i <= width; ++i) {
        const auto found = std::find(cells.begin(), cells.end(), fmt::format("in{}", i));
        if (found == cells.end())
          throw InputError(where,
                           fmt::format("there is no column in{}; the policy has the inputs in1 to in{}", i, width));
        columns.push_back(static_cast<std::size_t>(found - cells.begin()));
      }
      if (const auto found = std::find(cells.begin(), cells.end(), "flow"); found != cells.end())
        flow_column = static_cast<std::size_t>(found - cells.begin());
      cells_in_line = cells.size();
      continue;
    }
    if (cells.size() != cells_in_line)
      throw InputError(where, fmt::format("{} cells; the header has {}", cells.size(), cells_in_line));
    Sample& sample = out.emplace_back();
    if (flow_column) sample.flow = cell<std::uint32_t>(cells[*flow_column], where);
    for (std::size_t i = 0; i < width; ++i) sample.inputs[i] = cell<float>(cells[columns[i]], where);
    const auto [memory, is_new] = memories.try_emplace(sample.flow);
    if (is_new) decider.start(memory->second.data());
    sample.y = decider.evaluate(std::span(sample.inputs).first(width), memory->second.data());
  }
  if (out.empty())
    throw InputError(Where{file, 0}, "there are no rows; write a header line in1,in2,... and a line for each decision");
  return out;
}

}  // namespace weir::policy
