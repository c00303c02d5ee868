#include "weir/import/ns3_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "weir/base/params.h"
#include "weir/base/suggestion.h"
#include "weir/base/text.h"
#include "weir/import/ns3_words.h"
#include "weir/net/model/topology.h"
#include "weir/toml/document.h"

namespace weir::scenario {
namespace {

enum class Ns3Use { model, output, nothing, fork };

// Keys of third.cc, then those of its forks. `values` = 0: a map, whose first value says how many pairs follow.
struct Key {
  std::string_view name;
  std::size_t values = 1;
  Ns3Use use = Ns3Use::model;
  // A fork's: the value that stands for what third.cc does, and what others have here.
  std::string_view as_here = {};
  std::string_view counterpart = {};
};
constexpr Key kKeys[] = {
    {"ENABLE_QCN"},
    {"USE_DYNAMIC_PFC_THRESHOLD", 1, Ns3Use::nothing},
    {"CLAMP_TARGET_RATE"},
    {"PAUSE_TIME", 1, Ns3Use::nothing},
    {"DATA_RATE", 1, Ns3Use::nothing},
    {"LINK_DELAY", 1, Ns3Use::nothing},
    {"PACKET_PAYLOAD_SIZE"},
    {"L2_CHUNK_SIZE"},
    {"L2_ACK_INTERVAL"},
    {"L2_BACK_TO_ZERO"},
    {"TOPOLOGY_FILE"},
    {"FLOW_FILE"},
    {"TRACE_FILE"},
    {"TRACE_OUTPUT_FILE", 1, Ns3Use::output},
    {"SIMULATOR_STOP_TIME"},
    {"ALPHA_RESUME_INTERVAL"},
    {"RP_TIMER"},
    {"EWMA_GAIN"},
    {"FAST_RECOVERY_TIMES"},
    {"RATE_AI"},
    {"RATE_HAI"},
    {"ERROR_RATE_PER_LINK"},
    {"CC_MODE"},
    {"RATE_DECREASE_INTERVAL"},
    {"MIN_RATE"},
    {"FCT_OUTPUT_FILE", 1, Ns3Use::output},
    {"HAS_WIN"},
    {"GLOBAL_T"},
    {"MI_THRESH"},
    {"VAR_WIN"},
    {"FAST_REACT"},
    {"U_TARGET"},
    {"INT_MULTI"},
    {"RATE_BOUND"},
    {"ACK_HIGH_PRIO"},
    {"DCTCP_RATE_AI"},
    {"PFC_OUTPUT_FILE", 1, Ns3Use::output},
    {"LINK_DOWN", 3},
    {"ENABLE_TRACE"},
    {"KMAX_MAP", 0},
    {"KMIN_MAP", 0},
    {"PMAX_MAP", 0},
    {"BUFFER_SIZE"},
    {"QLEN_MON_FILE", 1, Ns3Use::output},
    {"QLEN_MON_START"},
    {"QLEN_MON_END"},
    {"MULTI_RATE"},
    {"SAMPLE_FEEDBACK"},
    {"PINT_LOG_BASE", 1, Ns3Use::nothing},
    {"PINT_PROB", 1, Ns3Use::nothing},
    // conweave-ns3
    {"FLOW_INPUT_FILE", 1, Ns3Use::output},
    {"CNP_OUTPUT_FILE", 1, Ns3Use::output},
    {"VOQ_MON_FILE", 1, Ns3Use::output},
    {"VOQ_MON_DETAIL_FILE", 1, Ns3Use::output},
    {"UPLINK_MON_FILE", 1, Ns3Use::output},
    {"CONN_MON_FILE", 1, Ns3Use::output},
    {"EST_ERROR_MON_FILE", 1, Ns3Use::output},
    {"SW_MONITORING_INTERVAL", 1, Ns3Use::output},
    {"FLOWGEN_START_TIME", 1, Ns3Use::nothing},
    {"FLOWGEN_STOP_TIME", 1, Ns3Use::nothing},
    {"LOAD", 1, Ns3Use::nothing},
    {"RANDOM_SEED"},
    {"LB_MODE", 1, Ns3Use::fork, "0", "DRILL, CONGA, LetFlow and ConWeave have none; 0 is ECMP"},
    {"ENABLE_PFC", 1, Ns3Use::fork, "1", "network.buffer.mode = \"lossy\" in a scenario made with --exact"},
    {"ENABLE_IRN", 1, Ns3Use::fork, "0", "algorithm.recovery.kind = \"irn\" in a scenario made with --exact"},
    {"CONWEAVE_TX_EXPIRY_TIME", 1, Ns3Use::nothing},
    {"CONWEAVE_REPLY_TIMEOUT_EXTRA", 1, Ns3Use::nothing},
    {"CONWEAVE_PATH_PAUSE_TIME", 1, Ns3Use::nothing},
    {"CONWEAVE_EXTRA_VOQ_FLUSH_TIME", 1, Ns3Use::nothing},
    {"CONWEAVE_DEFAULT_VOQ_WAITING_TIME", 1, Ns3Use::nothing},
    // SimAI
    {"BW_MON_FILE", 1, Ns3Use::output},
    {"RATE_MON_FILE", 1, Ns3Use::output},
    {"CNP_MON_FILE", 1, Ns3Use::output},
    {"MON_START", 1, Ns3Use::output},
    {"MON_END", 1, Ns3Use::output},
    {"QP_MON_INTERVAL", 1, Ns3Use::output},
    {"QLEN_MON_INTERVAL", 1, Ns3Use::output},
    {"BW_MON_INTERVAL", 1, Ns3Use::output},
    {"NIC_TOTAL_PAUSE_TIME", 1, Ns3Use::output},
};

const Key* key_named(const std::string& name) {
  const auto known = std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& key) { return key.name == name; });
  return known == std::end(kKeys) ? nullptr : known;
}

std::string suggestion(const std::string& name) {
  std::vector<std::string> names;
  for (const Key& key : kKeys) names.emplace_back(key.name);
  return did_you_mean(name, names);
}

// What cannot be read, all in one message.
class Refused {
 public:
  void unknown(const std::string& name, const Where& where) {
    add(where, fmt::format("unknown key '{}'{}", one_line(name, kQuoted), suggestion(name)));
  }
  void value(const Key& key, const std::string& value, const Where& where) {
    add(where, fmt::format("{}: '{}' is not possible, only {} ({})", key.name, one_line(value, kQuoted), key.as_here,
                           key.counterpart));
  }
  void fail_if_any() const {
    if (!message_.empty()) throw InputError(first_, message_);
  }

 private:
  void add(const Where& where, const std::string& what) {
    if (message_.empty()) {
      first_ = where;
      message_ = what;
    } else {
      message_ += fmt::format("; line {}: {}", where.line, what);
    }
  }

  Where first_;
  std::string message_;
};

}  // namespace

Ns3Config::Ns3Config(std::string_view text, const std::string& file) : file_(file) {
  Refused refused;
  for_each_ns3_line(text, [&](const std::vector<std::string>& words, int line) {
    if (words.empty()) return;
    const Where here{file_, line};
    const Key* named = key_named(words[0]);
    if (named == nullptr) return refused.unknown(words[0], here);
    const Key& key = *named;
    std::size_t expected = key.values;
    if (key.values == 0 && words.size() > 1) expected = 1 + 2 * read_ns3_whole(words[1], 1, 1000, here, key.name);
    if (words.size() - 1 != expected)
      throw InputError(here,
                       key.values == 0
                           ? fmt::format("{}: write how many rates there are, then each rate and its value", key.name)
                           : fmt::format("{}: {} values; write {}", key.name, words.size() - 1, expected));
    const auto [known, is_new] = entries_.try_emplace(words[0]);
    if (!is_new) throw InputError(here, fmt::format("{} is there already, in line {}", key.name, known->second.line));
    known->second = {line, {words.begin() + 1, words.end()}};
    if (key.use == Ns3Use::fork && words[1] != key.as_here) refused.value(key, words[1], here);
  });
  refused.fail_if_any();
}

const Ns3Config::Entry* Ns3Config::find(const std::string& key) const {
  const auto known = entries_.find(key);
  return known == entries_.end() ? nullptr : &known->second;
}

Where Ns3Config::where(const std::string& key) const {
  const Entry* entry = find(key);
  return {file_, entry == nullptr ? 0 : entry->line};
}

InputError Ns3Config::error_at(const std::string& key, const std::string& what) const {
  return {where(key), fmt::format("{}: {}", key, what)};
}

std::vector<std::string> Ns3Config::without_effect() const {
  std::vector<std::pair<int, std::string>> found;
  for (const Key& key : kKeys) {
    if (key.use != Ns3Use::output && key.use != Ns3Use::nothing) continue;
    if (const Entry* entry = find(std::string(key.name))) found.emplace_back(entry->line, key.name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> out;
  for (const auto& [line, name] : found) out.push_back(name);
  return out;
}

std::uint64_t Ns3Config::whole(const std::string& key, std::uint64_t fallback, std::uint64_t min,
                               std::uint64_t max) const {
  const Entry* entry = find(key);
  return entry == nullptr ? fallback : read_ns3_whole(entry->values[0], min, max, where(key), key);
}

bool Ns3Config::flag(const std::string& key, bool fallback) const { return whole(key, fallback, 0, 1) != 0; }

double Ns3Config::number(const std::string& key, double fallback, double min, double max) const {
  const Entry* entry = find(key);
  return entry == nullptr ? fallback : read_ns3_number(entry->values[0], min, max, where(key), key);
}

Rate Ns3Config::rate(const std::string& key, Rate fallback) const {
  const Entry* entry = find(key);
  if (entry == nullptr) return fallback;
  try {
    return parse_ns3_rate(entry->values[0], {});
  } catch (const InputError& error) {
    throw error_at(key, error.what());
  }
}

std::string Ns3Config::text(const std::string& key) const {
  const Entry* entry = find(key);
  return entry == nullptr ? "" : entry->values[0];
}

void Ns3Config::require(const std::vector<std::string>& keys, std::string_view why) const {
  for (const auto& key : keys)
    if (!has(key)) throw InputError(Where{file_, 0}, fmt::format("{} is missing; {}", key, why));
}

std::map<std::uint64_t, double> Ns3Config::by_rate(const std::string& key, double max) const {
  std::map<std::uint64_t, double> out;
  const Entry* entry = find(key);
  if (entry == nullptr) return out;
  const auto most = static_cast<std::uint64_t>(kMaxRate.bits_per_second);
  for (std::size_t i = 1; i < entry->values.size(); i += 2)
    out[read_ns3_whole(entry->values[i], 1, most, where(key), key)] =
        read_ns3_number(entry->values[i + 1], 0, max, where(key), key);
  return out;
}

std::vector<std::uint64_t> Ns3Config::link_down() const {
  std::vector<std::uint64_t> out(3);
  const Entry* entry = find("LINK_DOWN");
  constexpr std::uint64_t kMost[] = {1'000'000'000'000, kMaxHosts, kMaxHosts};
  if (entry != nullptr)
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = read_ns3_whole(entry->values[i], 0, kMost[i], where("LINK_DOWN"), "LINK_DOWN");
  return out;
}

}  // namespace weir::scenario
