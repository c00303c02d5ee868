#include "weir/base/version.h"
#include "weir/figure/document.h"
#include "weir/report/document.h"
#include "weir/result/percentile.h"

namespace weir::report {
namespace {

// Percentiles of distributions that would be the largest of so few values are null, as tables for people leave them
// away.
Json told(Json node) {
  if (node.is_object() && node.contains("count") && node.at("count").is_number_unsigned())
    for (const auto& [key, thousandths] : result::kPercentileKeys)
      if (node.contains(key) && result::is_the_largest(node.at("count").get<std::size_t>(), thousandths))
        node[std::string(key)] = nullptr;
  if (node.is_structured())
    for (Json& part : node) part = told(std::move(part));
  return node;
}

// The first of them.
Json paused_json(const std::vector<PausedPort>& ports) {
  constexpr std::size_t kMaxShown = 10;
  Json out = Json::array();
  for (const PausedPort& p : ports) {
    if (out.size() == kMaxShown) break;
    out.push_back({{"port", p.port},
                   {"from", p.from},
                   {"to", p.to},
                   {"pauses", p.pauses},
                   {"paused_ps", p.paused_ps},
                   {"share", p.share}});
  }
  return out;
}

Json counts_json(const std::vector<std::vector<std::optional<Study::Count>>>& columns) {
  Json out = Json::array();
  for (const auto& column : columns) {
    out.push_back(Json::array());
    for (const auto& n : column)
      out.back().push_back(n ? Json{{"fewest", n->fewest}, {"most", n->most}, {"few", n->few}} : Json(nullptr));
  }
  return out;
}

}  // namespace

Json to_json(const Document& document) {
  Json out{{"title", document.title},          {"version", version()},       {"runs", Json::array()},
           {"studies", Json::array()},         {"trainings", Json::array()}, {"captures", Json::array()},
           {"figures", Json::array()},         {"claims", document.claims},  {"notices", document.notices},
           {"no_figures", document.no_figures}};
  for (const Run& run : document.runs) {
    Json item{{"name", run.name}};
    if (!run.group.empty()) item["group"] = run.group;
    if (!run.labels.empty()) item["labels"] = run.labels;
    item["manifest"] = run.manifest;
    item["summary"] = told(run.summary);
    item["scenario"] = run.scenario;
    item["algorithms"] = run.algorithms;
    if (!run.events.empty()) item["events"] = run.events;
    if (!run.paused.empty()) {
      item["paused_ports"] = run.paused.size();
      item["paused"] = paused_json(run.paused);
    }
    if (!run.differences.empty()) {
      item["differences"] = Json::array();
      for (const auto& [key, value] : run.differences) item["differences"].push_back({key, value});
    }
    out["runs"].push_back(std::move(item));
  }
  for (const Study& study : document.studies) {
    Json failed = Json::array();
    for (const auto& [run, message] : study.failed) failed.push_back({{"run", run}, {"message", message}});
    out["studies"].push_back({{"name", study.name},
                              {"runs", study.runs},
                              {"done", study.done},
                              {"failed", std::move(failed)},
                              {"columns", study.columns},
                              {"units", study.units},
                              {"words", study.words},
                              {"better", study.better},
                              {"best", study.best},
                              {"points", study.points},
                              {"counts", counts_json(study.counts)}});
  }
  for (const Training& training : document.trainings) {
    Json facts = Json::array();
    for (const auto& [name, value] : training.facts) facts.push_back({name, value});
    Json item{{"name", training.name}, {"updates", training.updates.size()}, {"facts", std::move(facts)}};
    if (!training.title.empty()) item["title"] = training.title;
    if (!training.curriculum.empty()) item["curriculum"] = training.curriculum;
    out["trainings"].push_back(std::move(item));
  }
  for (const HostCapture& capture : document.captures) {
    Json facts = Json::array();
    for (const auto& [name, value] : capture.facts) facts.push_back({name, value});
    out["captures"].push_back({{"name", capture.name}, {"facts", std::move(facts)}});
  }
  for (const Figure& figure : document.figures) out["figures"].push_back(to_json(figure, figure::Form::drawn));
  return out;
}

}  // namespace weir::report
