#include <nlohmann/json.hpp>

#include "hosts/agent/config.h"
#include "hosts/agent/daemon.h"

namespace weir::hosts {
namespace {

using OrderedJson = nlohmann::ordered_json;

// All values of a table, as they would be written.
template <class T>
OrderedJson table(const T& values) {
  OrderedJson out = OrderedJson::object();
  for (const Param& param : params_of<T>().params()) {
    const ParamValue value = param.get(&values);
    if (const auto* flag = std::get_if<bool>(&value))
      out[param.name] = *flag;
    else if (const auto* whole = std::get_if<std::int64_t>(&value))
      out[param.name] = *whole;
    else if (const auto* number = std::get_if<double>(&value))
      out[param.name] = *number;
    else
      out[param.name] = format_value(value);
  }
  return out;
}

std::string threshold_text(const Threshold& threshold) {
  return threshold ? format_value(Time{*threshold * 1'000}) : "auto";
}

}  // namespace

nlohmann::ordered_json to_json(const Config& config) {
  auto peers = OrderedJson::array();
  for (const auto& peer : config.peers)
    peers.push_back({{"address", to_text(peer.address)},
                     {"local", peer.local ? to_text(*peer.local) : ""},
                     {"T", threshold_text(peer.threshold.value_or(config.threshold))},
                     {"hold", peer.hold}});
  return {
      {"file", config.file},
      {"interface", config.interfaces},
      {"mode", name_of(config.mode)},
      {"T", threshold_text(config.threshold)},
      {"headroom", format_value(config.headroom)},
      {"key_file", config.key_file},
      {"segment", !config.segment ? "auto" : (*config.segment == 0 ? "keep" : format_value(Bytes{*config.segment}))},
      {"rate", format_value(config.rate)},
      {"hold", table(config.hold)},
      {"rule", table(config.rule)},
      {"or_ack", table(config.or_ack)},
      {"clock", table(config.clock)},
      {"keys", table(config.keys)},
      {"metrics", table(config.metrics)},
      {"control", table(config.control)},
      {"test", table(config.test)},
      {"peer", peers}};
}

}  // namespace weir::hosts
