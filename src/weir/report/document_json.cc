#include "weir/base/version.h"
#include "weir/report/document.h"

namespace weir::report {

Json to_json(const Document& document) {
  Json out{{"title", document.title},    {"version", version()},     {"runs", Json::array()},
           {"studies", Json::array()},   {"figures", Json::array()}, {"claims", document.claims},
           {"notices", document.notices}};
  for (const Run& run : document.runs) {
    Json item{{"name", run.name}};
    if (!run.group.empty()) item["group"] = run.group;
    item["manifest"] = run.manifest;
    item["summary"] = run.summary;
    item["scenario"] = run.scenario;
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
                              {"points", study.points}});
  }
  for (const Figure& figure : document.figures) out["figures"].push_back(to_json(figure));
  return out;
}

}  // namespace weir::report
