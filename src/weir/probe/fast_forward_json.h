// What was skipped, as manifest.json and summary.json tell it.
#pragma once

#include <nlohmann/json.hpp>

#include "weir/engine/fast_forward_report.h"

namespace weir::probe {

inline nlohmann::ordered_json to_json(const engine::FastForwardReport& r) {
  nlohmann::ordered_json json;
  json["theta"] = r.theta;
  json["messages"] = r.messages;
  json["skipped"] = r.skipped;
  json["spans"] = r.spans;
  json["left_out_ps"] = r.skipped_time.ps;
  json["skipped_packets"] = r.unsent;
  json["checked"] = r.checked;
  json["mean_error"] = r.checked > 0 ? nlohmann::ordered_json(r.mean_error) : nullptr;
  json["worst_error"] = r.checked > 0 ? nlohmann::ordered_json(r.worst_error) : nullptr;
  json["unforeseen"] = r.unforeseen;
  return json;
}

}  // namespace weir::probe
