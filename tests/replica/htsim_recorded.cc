#include "tests/replica/htsim_recorded.h"

#include <fstream>
#include <sstream>

#include "weir/base/csv.h"
#include "weir/base/text_file.h"
#include "weir/scenario/build.h"

namespace weir::replica::htsim_test {

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  const std::string text = read_text_file(kFolder + file, "a file of results");
  CsvReader reader(text, kFolder + file);
  std::vector<std::vector<std::string>> rows;
  for (std::vector<std::string> fields; reader.next(fields);) rows.push_back(fields);
  rows.erase(rows.begin());
  return rows;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

HtsimRun recorded_run(const std::vector<std::string>& row) {
  HtsimRun run{row.at(0), {}, std::stoull(row.at(4)), std::stoull(row.at(5)), std::stoull(row.at(6))};
  run.arguments = {"-tm", kFolder + row.at(1)};
  if (!row.at(2).empty()) run.arguments.insert(run.arguments.end(), {"-topo", kFolder + row.at(2)});
  for (const std::string& word : words(row.at(3))) run.arguments.push_back(word);
  return run;
}

Result run_of(const scenario::HtsimImport& made, const std::function<void(const uet::Acknowledged&)>& watch) {
  const app::Folder folder("htsim");
  std::ofstream(folder / "a.csv") << made.connections;
  std::ofstream(folder / "a.graph") << made.graph;
  std::ofstream(folder / "a.toml") << made.toml;
  const scenario::Run run = scenario::build(scenario::load_scenario_file(folder / "a.toml"));
  auto* replica = dynamic_cast<HtsimUet*>(run.simulation.get());
  if (watch) replica->watch(watch);
  Result out;
  run.simulation->on_finish([&](const host::FlowRecord& r) {
    if (out.finish.size() <= r.id) {
      out.start.resize(r.id + 1, Time{-1});
      out.finish.resize(r.id + 1, Time{-1});
      out.profile.resize(r.id + 1);
    }
    out.start[r.id] = r.start;
    out.finish[r.id] = r.finish;
    out.profile[r.id] = r.profile;
  });
  while (!run.simulation->advance()) {
  }
  for (std::uint32_t c = 0; replica != nullptr && c < out.finish.size(); ++c)
    out.messages.push_back(replica->messages(c));
  out.counters = run.simulation->counters();
  return out;
}

Result simulate(const std::vector<std::string>& arguments, const std::function<void(const uet::Acknowledged&)>& watch) {
  return run_of(
      scenario::import_htsim(arguments, {.connections_name = "a.csv", .graph_name = "a.graph"}, read_text_file), watch);
}

std::string write(const app::Folder& folder, const std::string& name, const std::string& content) {
  std::ofstream(folder / name) << content;
  return folder / name;
}

}  // namespace weir::replica::htsim_test
