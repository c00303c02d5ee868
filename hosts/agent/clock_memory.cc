#include "hosts/agent/clock_memory.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "hosts/agent/private_file.h"
#include "hosts/clock/line.h"

namespace weir::hosts {
namespace {

constexpr int kVersion = 1;
// Older than that nothing of it is worth anything: clocks have wandered by milliseconds, and routes may be others.
constexpr std::int64_t kOldest = 3'600'000'000'000;

std::string boot_id() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string out;
  std::getline(in, out);
  return out;
}

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

// A time or an offset.
std::int64_t time_of(const nlohmann::json& value) {
  require(value.is_number_integer(), "a time is no whole number");
  const auto out = value.get<std::int64_t>();
  require(out > -clock::kTimeLimit && out < clock::kTimeLimit, "a time is none that a clock shows");
  return out;
}

// An error or a delay, ns.
double size_of(const nlohmann::json& value) {
  const auto out = value.get<double>();
  require(std::isfinite(out) && out >= 0 && out < 1e18, "an error or a delay is none");
  return out;
}

ClockMemory peer_of(const nlohmann::json& entry, std::int64_t now) {
  ClockMemory out;
  const auto address = parse_address(entry.at("address").get<std::string>());
  require(address.has_value(), "an address is none");
  out.address = *address;
  const auto& line = entry.at("line");
  clock::PairLine& to = out.known.line.emplace();
  to.at = time_of(line.at("at_ns"));
  require(to.at <= now, "a line is of another time");
  to.offset = time_of(line.at("offset_ns"));
  to.drift = line.at("drift").get<double>();
  require(std::abs(to.drift) <= clock::kDriftLimit, "a drift is none that a clock has");
  to.offset_error = size_of(line.at("offset_error_ns"));
  to.drift_error = size_of(line.at("drift_error"));
  to.margin = size_of(line.at("delay_ns"));
  to.bias = size_of(line.at("bias_ns"));
  require(to.offset_error > 0 && to.bias <= to.offset_error, "a line has no error");
  if (const auto& least = entry.at("least_delay"); !least.is_null()) {
    out.known.least = {to.at, size_of(least.at("ns")), size_of(least.at("noise_ns"))};
  }
  return out;
}

}  // namespace

bool write_clock_memory(const std::string& file, const std::vector<ClockMemory>& memory, std::int64_t now) {
  auto peers = nlohmann::ordered_json::array();
  for (const auto& [address, known] : memory) {
    if (!known.line || now - known.line->at >= kOldest) continue;
    nlohmann::ordered_json least;
    if (known.least) least = {{"ns", known.least->delay}, {"noise_ns", known.least->noise}};
    peers.push_back({{"address", to_text(address)},
                     {"line",
                      {{"at_ns", known.line->at},
                       {"offset_ns", known.line->offset},
                       {"drift", known.line->drift},
                       {"offset_error_ns", known.line->offset_error},
                       {"drift_error", known.line->drift_error},
                       {"delay_ns", known.line->margin},
                       {"bias_ns", known.line->bias}}},
                     {"least_delay", least}});
  }
  const nlohmann::ordered_json all{{"version", kVersion}, {"boot_id", boot_id()}, {"now_ns", now}, {"peers", peers}};
  return replace_private_file(file, all.dump(1) + "\n", false);
}

std::vector<ClockMemory> read_clock_memory(const std::string& file, std::int64_t now, std::string& why) {
  try {
    const std::string text = read_private_file(file);
    if (text.empty()) return {};
    const auto json = nlohmann::json::parse(text);
    require(json.at("version") == kVersion, "it is of another version");
    require(json.at("boot_id") == boot_id(), "the host has been started anew since");
    const std::int64_t then = time_of(json.at("now_ns"));
    require(then <= now && now - then < kOldest, "it is older than an hour");
    std::vector<ClockMemory> out;
    for (const auto& entry : json.at("peers")) out.push_back(peer_of(entry, now));
    return out;
  } catch (const nlohmann::json::exception&) {
    why = "it is not what an agent has written";
  } catch (const std::exception& error) {
    why = error.what();
  }
  return {};
}

}  // namespace weir::hosts
