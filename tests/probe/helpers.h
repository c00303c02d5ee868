// Small runs whose every instant can be computed by hand, and what they leave behind.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "weir/cc/algorithm.h"
#include "weir/engine/time/simulation.h"
#include "weir/net/model/topologies.h"
#include "weir/probe/probe_set.h"
#include "weir/traffic/flow_list.h"

namespace weir::probe {

// Flows of a profile without a window to speak of, unless told otherwise.
struct Lab {
  using Flows = std::vector<traffic::Flow>;

  explicit Lab(net::Topology topology, Flows flows, const std::string& algorithm = "fixed-window",
               const std::function<void(engine::Model&)>& edit = {}, engine::RunOptions options = {})
      : model(std::move(topology), 1), traffic(model.topology.hosts) {
    const cc::Algorithm* a = cc::find_algorithm(algorithm);
    auto params = a->params->make();
    if (algorithm == "fixed-window") a->params->find("window")->set(params.get(), Bytes{1'000'000'000});
    model.profiles.push_back({algorithm, a, params, a->receiver(params.get())});
    if (edit) edit(model);
    traffic.add(std::make_unique<traffic::FlowList>(std::move(flows)), std::nullopt);
    simulation = std::make_unique<engine::Simulation>(model, traffic, options);
  }

  // Runs to the end.
  Summary run(const ProbeParams& params, ResultDirectory* out = nullptr) {
    const RunClock clock;
    ProbeSet probes(params, *simulation, tags, out);
    simulation->advance();
    Summary summary = probes.finish();
    manifest = probes.manifest(clock);
    return summary;
  }

  engine::Model model;
  traffic::Traffic traffic;
  std::unique_ptr<engine::Simulation> simulation;
  std::vector<std::string> tags{"web", "incast"};
  Manifest manifest;
};

inline traffic::Flow flow(Time start, std::uint32_t src, std::uint32_t dst, Bytes size, std::uint16_t tag = 0) {
  return {.start = start, .src = src, .dst = dst, .size = size, .tag = tag};
}

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in.good()) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

// A new empty directory for the test that runs, removed at its end.
class Scratch {
 public:
  Scratch() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            (std::string("weir-") + test->test_suite_name() + "-" + test->name() + "-" + std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  // Names of what it holds.
  std::vector<std::string> content() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
    return names;
  }

 private:
  std::filesystem::path path_;
};

// Runs to the end; the lines of one of the tables that it leaves, the header line first.
inline std::vector<std::string> table_of(Lab& lab, const ProbeParams& probes, const std::string& file) {
  const Scratch scratch;
  ResultDirectory out(scratch / "r");
  lab.run(probes, &out);
  store(out, {}, lab.manifest);
  out.commit();
  std::istringstream text(text_of(scratch / ("r/" + file)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// The text of every file of a directory.
inline std::map<std::string, std::string> files_in(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    files[entry.path().filename()] = text_of(entry.path());
  return files;
}

}  // namespace weir::probe
