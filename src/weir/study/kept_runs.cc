#include "weir/study/kept_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "weir/base/simulator.h"
#include "weir/base/text.h"
#include "weir/base/text_file.h"
#include "weir/base/version.h"
#include "weir/cc/plugin.h"
#include "weir/scenario/effective.h"

namespace weir::study {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

bool is_same(const result::Directory& result, const scenario::Effective& wanted) {
  const auto holds = [&](const std::string& name, const std::string& text) {
    return result.has(name) && result.text(name) == text;
  };
  return holds("scenario.toml", wanted.toml) &&
         std::all_of(wanted.attachments.begin(), wanted.attachments.end(),
                     [&](const auto& file) { return holds(file.name, file.content); });
}

// A plug-in that the run used and that is not loaded now; "" if there is none.
std::string other_plugin(const Json& manifest) {
  const auto plugins = manifest.find("plugins");
  if (plugins == manifest.end()) return "";
  const auto& loaded = cc::loaded_plugins();
  for (const Json& used : *plugins) {
    if (!used.is_object()) return "a plug-in that cannot be read";
    const auto is_it = [&](const cc::Plugin& plugin) { return used.value("xxh128", "") == plugin.checksum; };
    if (std::none_of(loaded.begin(), loaded.end(), is_it)) return one_line(used.value("file", ""), kQuoted);
  }
  return "";
}

Json kept_values(const RunFiles& files) {
  return files.has("measures.json") ? files.document("measures.json") : Json::object();
}

// What the study reads and the run has not kept; "" if it is all there.
std::string lost(const Study& study, const RunFiles& files) {
  const Json kept = kept_values(files);
  for (const Measure& m : study.measures)
    if ((m.is_of_pairs() || !kept.contains(m.definition())) && !files.has(m.file()))
      return fmt::format("has not kept {}, from which measure '{}' is taken", m.file(), m.name());
  for (const FigureSpec& f : study.figures)
    if (!f.file().empty() && !files.has(f.file()))
      return fmt::format("has not kept {}, of which figure '{}' is made", f.file(), f.params.id);
  return "";
}

// The same of one whose files can be read.
std::string difference(const Plan& plan, std::size_t run, const RunFiles& files) {
  const Json& manifest = files.directory().manifest();
  const auto text = [&](const char* key) {
    const auto at = manifest.find(key);
    return at != manifest.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  if (text("simulator") != simulator())
    return fmt::format("was made by weir {}, which simulates otherwise than this one, {}", text("version"), version());
  if (const auto plugin = other_plugin(manifest); !plugin.empty())
    return fmt::format("used the plug-in {} as it was then; it is another one now", plugin);
  if (!files.directory().is_checked()) return "lists no files in its manifest.json, so that nothing can be checked";
  if (manifest.value("complete", Json()) != true) {
    const Json why = manifest.value("ended_by", Json("interrupted"));
    return why == "interrupted" ? "was interrupted" : fmt::format("could not go on (ended_by: {})", why.dump());
  }
  files.directory().check_all();
  if (!is_same(files.directory(), scenario::effective(plan.scenario(run)))) return "is of another scenario";
  return lost(plan.study, files);
}

}  // namespace

std::string results_of(const std::string& dir) { return dir + "/runs"; }
std::string leases_of(const std::string& dir) { return dir + "/claims"; }
std::string failures_of(const std::string& dir) { return dir + "/failed"; }
std::string result_of(const std::string& dir, const std::string& run_name) {
  return fmt::format("{}/runs/{}", dir, run_name);
}
std::string failure_of(const std::string& dir, const std::string& run_name) {
  return fmt::format("{}/{}.txt", failures_of(dir), run_name);
}
std::string failed_scenario_of(const std::string& dir, const std::string& run_name) {
  return fmt::format("{}/{}.toml", failures_of(dir), run_name);
}

bool is_result(const std::string& run_dir) { return fs::exists(run_dir + "/manifest.json"); }

std::string difference(const Plan& plan, std::size_t run, const std::string& run_dir) {
  if (!is_result(run_dir)) return "is no result of weir";
  try {
    return difference(plan, run, RunFiles(run_dir));
  } catch (const InputError& error) {
    return fmt::format("is damaged: {}", error.what());
  }
}

std::string measures_json(const Study& study, const std::string& run_dir) {
  const RunFiles files(run_dir);
  Json out = Json::object();
  const auto put = [&](const Measure& m) {
    Json list = Json::array();
    for (const double v : m.values(files)) list.push_back(std::isnan(v) ? Json(nullptr) : Json(v));
    out[m.definition()] = std::move(list);
  };
  for (const Measure& m : study.measures) {
    if (m.is_of_pairs()) continue;
    put(m);
    if (const auto counter = m.counter()) put(*counter);
  }
  return out.dump(1) + "\n";
}

Measured kept_measures(const Study& study, const std::string& run_dir) {
  const RunFiles files(run_dir);
  const Json kept = kept_values(files);
  const auto values_of = [&](const Measure& m) {
    const auto found = kept.find(m.definition());
    if (found == kept.end()) return m.values(files);
    Values out;
    for (const Json& v : *found) out.push_back(v.is_number() ? v.get<double>() : kNoValue);
    return out;
  };
  Measured out;
  for (const Measure& m : study.measures) {
    out.values.push_back(m.is_of_pairs() ? Values{} : values_of(m));
    const auto counter = m.is_of_pairs() || m.is_list() ? std::nullopt : m.counter();
    const bool known = counter && (kept.contains(counter->definition()) || files.has(counter->file()));
    out.counts.push_back(known ? values_of(*counter).front() : kNoValue);
  }
  return out;
}

}  // namespace weir::study
