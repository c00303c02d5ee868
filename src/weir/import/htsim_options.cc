#include "weir/import/htsim_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "weir/base/error.h"
#include "weir/base/suggestion.h"
#include "weir/base/text.h"
#include "weir/toml/document.h"

namespace weir::scenario {
namespace {

enum class HtsimUse { model, output, nothing, refused };

// Options of htsim_uec (main_uec.cpp), with the number of values that follow.
struct Known {
  std::string_view name;
  std::size_t values = 1;
  HtsimUse use = HtsimUse::model;
  std::string_view instead = {};
};
constexpr Known kOptions[] = {
    {"-tm"},
    {"-goal"},
    {"-topo"},
    {"-nodes"},
    {"-tiers"},
    {"-linkspeed"},
    {"-hop_latency"},
    {"-switch_latency"},
    {"-mtu"},
    {"-q"},
    {"-queue_size_bdp_factor"},
    {"-ecn", 2},
    {"-disable_trim", 0},
    {"-trimsize"},
    {"-seed"},
    {"-end"},
    {"-cwnd"},
    {"-target_q_delay"},
    {"-qa_gate"},
    {"-sack_threshold"},
    {"-load_balancing_algo"},
    {"-paths"},
    {"-strat"},
    {"-ar_method"},
    {"-ar_granularity"},
    {"-ar_sticky_delta"},
    {"-sender_cc_algo"},
    {"-sender_cc_only", 0},
    {"-sender_cc", 0},
    {"-receiver_cc", 0},
    {"-receiver_cc_only", 0},
    {"-oversubscribed_cc", 0},
    {"-force_disable_oversubscribed_cc", 0},
    {"-sleek", 0},
    {"-Ai"},
    {"-Md"},
    {"-alpha"},
    {"-queue_type"},
    {"-planes"},
    {"-conn_reuse", 0},
    {"-failed"},
    {"-enable_accurate_base_rtt", 0},
    {"-disable_base_rtt_update_on_nack", 0},
    {"-o", 1, HtsimUse::output},
    {"-log", 1, HtsimUse::output},
    {"-logtime", 1, HtsimUse::output},
    {"-logtime_us", 1, HtsimUse::output},
    {"-debug", 0, HtsimUse::output},
    {"-host_queue_type", 1, HtsimUse::nothing},  // NICs pace what they put there
    {"-pcie", 1, HtsimUse::refused, "the model of the receiver's PCIe is not possible; leave it out"},
};
const Known& option_named(const std::string& name) {
  const auto known =
      std::find_if(std::begin(kOptions), std::end(kOptions), [&](const Known& k) { return k.name == name; });
  if (known != std::end(kOptions)) return *known;
  std::vector<std::string> names;
  for (const Known& k : kOptions) names.emplace_back(k.name);
  throw HtsimOptions::error_at(name, fmt::format("not an option of htsim_uec{}; valid is {}", did_you_mean(name, names),
                                                 fmt::join(names, ", ")));
}

}  // namespace

HtsimOptions::HtsimOptions(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Known& known = option_named(arguments[i]);
    if (known.use == HtsimUse::refused) throw error_at(arguments[i], std::string(known.instead));
    if (arguments.size() - i - 1 < known.values)
      throw error_at(arguments[i], fmt::format("{} values follow; write {}", arguments.size() - i - 1, known.values));
    const std::string name(known.name);
    if (known.use != HtsimUse::model && !values_.contains(name)) ignored_.push_back(name);
    if (values_.contains(name)) repeated_.insert(name);
    values_[name] = {arguments.begin() + static_cast<std::ptrdiff_t>(i + 1),
                     arguments.begin() + static_cast<std::ptrdiff_t>(i + 1 + known.values)};
    // Of -paths and a -strat that sets the paths the later one counts.
    order_[name] = i;
    i += known.values;
  }
}

InputError HtsimOptions::error_at(std::string_view name, const std::string& what) {
  return InputError(one_line(fmt::format("{}: {}", name, what)));
}

std::string HtsimOptions::choice(const std::string& name, const std::string& fallback,
                                 const std::vector<std::string>& valid) const {
  std::string word = text(name, fallback);
  if (std::find(valid.begin(), valid.end(), word) == valid.end())
    throw error_at(name, fmt::format("'{}' is not possible{}; valid is {}", word, did_you_mean(word, valid),
                                     fmt::join(valid, ", ")));
  return word;
}

std::int64_t HtsimOptions::whole(const std::string& name, std::int64_t fallback, std::int64_t min, std::int64_t max,
                                 std::size_t which) const {
  if (!has(name)) return fallback;
  const std::string& word = values_.at(name)[which];
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < min || value > max)
    throw error_at(name, fmt::format("'{}' is not valid; write a whole number from {} to {}", word, min, max));
  return value;
}

double HtsimOptions::number(const std::string& name, double fallback, double min, double max) const {
  if (!has(name)) return fallback;
  const std::string& word = values_.at(name).front();
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !(value >= min && value <= max))
    throw error_at(name, fmt::format("'{}' is not valid; write a number from {} to {}", word, min, max));
  return value;
}

Time HtsimOptions::microseconds(const std::string& name, double fallback, double least) const {
  double value = fallback;
  if (has(name)) {
    const std::string& word = values_.at(name).front();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !(value >= least && value <= 1e6))
      throw error_at(name,
                     fmt::format("'{}' is not valid; write a number of microseconds from {} to 1000000", word, least));
  }
  return {static_cast<std::int64_t>(value * 1e6)};
}

}  // namespace weir::scenario
