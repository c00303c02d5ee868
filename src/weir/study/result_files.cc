#include "weir/study/result_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

#include "weir/traffic/text_file.h"

namespace weir::study {
namespace {

const std::vector<ResultFile>& result_files() {
  static const std::vector<ResultFile> list{
      {"flows.csv",
       "",
       false,
       "flow_id",
       {"size_bytes", "start_ps", "finish_ps", "fct_ps", "ideal_fct_ps", "slowdown", "retransmitted_packets"}},
      {"queue_cdf.csv", "queues", false, "tier", {"queue_bytes"}},
      {"queues.csv", "queues", true, "port", {"queue_bytes"}},
      {"rates.csv", "rates", true, "flow_id", {"rate_bps", "pacing_bps", "window_bytes"}},
      {"delays.csv",
       "delays",
       true,
       "flow_id",
       {"sent_ps", "delay_ps", "measured_ps", "rtt_ps", "known_delay_ps", "known_rtt_ps"}},
      {"fairness.csv", "rates", true, "", {"active", "jain", "jain_pacing"}},
      {"link_series.csv", "links", true, "port", {"sent_bytes", "utilisation"}},
  };
  return list;
}

}  // namespace

const ResultFile* result_file(std::string_view name) {
  for (const ResultFile& file : result_files())
    if (file.name == name) return &file;
  return nullptr;
}

std::vector<std::string> series_files() {
  std::vector<std::string> out;
  for (const ResultFile& file : result_files())
    if (file.has_time) out.emplace_back(file.name);
  return out;
}

std::string turn_on(std::string_view probe) {
  return fmt::format("add [probes.{}] to the scenario, or set \"probes.{}\" = true", probe, probe);
}

std::string missing_probe(const scenario::Scenario& s, std::string_view file) {
  const ResultFile* known = result_file(file);
  if (known == nullptr || known->probe.empty()) return "";
  for (const auto& kind : probe::probe_kinds())
    if (kind.name == known->probe && kind.get(s.probes) == nullptr) return turn_on(kind.name);
  const bool series = (file != "queues.csv" || s.probes.queues->series) &&
                      (file != "rates.csv" || s.probes.rates->series) &&
                      (file != "link_series.csv" || s.probes.links->series);
  return series ? "" : fmt::format("set \"probes.{}.series\" = true", known->probe);
}

std::string unit_of_column(std::string_view column) {
  if (column.ends_with("_ps")) return "ps";
  if (column.ends_with("_bytes")) return "B";
  if (column.ends_with("_bps")) return "bit/s";
  return "1";
}

const std::string& RunFiles::text(std::string_view name) const {
  const auto known = texts_.find(name);
  if (known != texts_.end()) return known->second;
  return texts_
      .emplace(std::string(name), traffic::read_text_file(fmt::format("{}/{}", folder_, name), "a file of a result"))
      .first->second;
}

nlohmann::ordered_json RunFiles::document(std::string_view name) const {
  auto out = nlohmann::ordered_json::parse(text(name), nullptr, false);
  if (!out.is_object())
    throw InputError(
        fmt::format("{}/{}: this is no whole JSON document; remove that directory and run again", folder_, name));
  return out;
}

bool RunFiles::has(std::string_view name) const { return std::filesystem::exists(fmt::format("{}/{}", folder_, name)); }

Columns::Columns(const std::string& text, std::string_view file, const std::vector<std::string>& names)
    : reader_(text, std::string(file)) {
  reader_.next(fields_);
  width_ = fields_.size();
  for (const auto& name : names) {
    const auto found = std::find(fields_.begin(), fields_.end(), name);
    if (found == fields_.end()) throw InputError(fmt::format("{} has no column '{}'", file, name));
    at_.push_back(static_cast<std::size_t>(found - fields_.begin()));
  }
}

bool Columns::next() {
  if (!reader_.next(fields_)) return false;
  if (fields_.size() != width_) fail(reader_.where(), fmt::format("{} fields in place of {}", fields_.size(), width_));
  return true;
}

double Columns::number(std::size_t column) const {
  const std::string& field = text(column);
  double out = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(field.data(), field.data() + field.size(), out);
  return out;
}

void FlowFilter::describe(ParamList<FlowFilter>& p) {
  p.text("tag", &FlowFilter::tag, "flows of this tag");
  p.text("algorithm", &FlowFilter::algorithm, "flows of this algorithm or profile");
  p.integer("src", &FlowFilter::src, -1, net::kMaxHosts, "flows of this sender; -1 = all");
  p.integer("dst", &FlowFilter::dst, -1, net::kMaxHosts, "flows to this receiver; -1 = all");
  p.bytes("above", &FlowFilter::above, "flows larger than this");
  p.bytes("up_to", &FlowFilter::up_to, "flows no larger than this; 0 = all");
  p.time("from", &FlowFilter::from, "flows that start then or later; of a series: rows from then on");
  p.time("until", &FlowFilter::until, "flows that start before; of a series: rows before; 0 = to the end");
}

}  // namespace weir::study
