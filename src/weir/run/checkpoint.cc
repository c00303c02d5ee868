#include "weir/run/checkpoint.h"

#include <fmt/format.h>

#include <string_view>

#include "weir/base/archive.h"
#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/base/version.h"
#include "weir/host/flow.h"

namespace weir::run {
namespace {

constexpr std::string_view kMagic = "weir checkpoint\n";
constexpr std::size_t kChecksum = 32;  // characters
constexpr std::string_view kScenario = "scenario.toml";

// The files that the run does not write again, its scenario among them, and their checksums.
void save_finished_files(Saver& a, const probe::ResultDirectory& directory) {
  result::Contents files = directory.contents();
  std::erase_if(files, [](const auto& file) { return file.second.checksum.empty(); });
  a.length(files.size());
  for (const auto& [name, facts] : files) {
    a.text(name);
    a.text(facts.checksum);
  }
}

// Throws InputError unless they are in the folder as they were.
void check_finished_files(Loader& a, const std::string& folder) {
  std::string name;
  std::string checksum;
  for (std::size_t left = a.length(); left > 0; --left) {
    a.text(name);
    a.text(checksum);
    const std::string path = fmt::format("{}/{}", folder, name);
    if (checksum_of(read_bytes(path, "a file of the run")) == checksum) continue;
    if (name == kScenario)
      throw InputError(
          fmt::format("{}/{}: it is of another scenario than the one beside it", folder, probe::kCheckpoint));
    throw InputError(fmt::format("{}: it has been changed since the run wrote it", path));
  }
}

}  // namespace

std::string build_of_weir() {
  return fmt::format("{} ({}, {} {} {} {} {})", version(), __VERSION__, sizeof(void*), sizeof(host::Flow),
                     sizeof(net::Descriptor), sizeof(net::Packet), sizeof(cc::FlowFacts));
}

void keep_checkpoint(probe::ResultDirectory& directory, engine::Engine& engine, probe::ProbeSet& probes,
                     const probe::RunClock& clock, const CheckpointRhythm& rhythm) {
  Saver a;
  if (directory.is_nowhere()) return save(a, engine, probes);  // of a rank that tells the first one its part
  a.bytes(kMagic.data(), kMagic.size());
  a.text(build_of_weir());
  save_finished_files(a, directory);
  a.value(engine.partitions());
  a.value(engine.now());
  a.value(clock.wall_s());
  a.value(clock.cpu_s());
  a.value(rhythm);
  save(a, engine, probes);
  std::string content = a.take();
  content += checksum_of(content);
  directory.keep_checkpoint(content);
}

Checkpoint read_checkpoint(const std::string& folder) {
  const std::string file = fmt::format("{}/{}", folder, probe::kCheckpoint);
  const std::string content = read_bytes(file, "the checkpoint");
  const auto error = [&](const std::string& why) { return InputError(fmt::format("{}: {}", file, why)); };
  const std::string_view all = content;
  if (!all.starts_with(kMagic)) throw error("it is no checkpoint of Weir");
  if (all.size() < kMagic.size() + kChecksum) throw error("it is cut short");
  const std::string_view body = all.substr(0, all.size() - kChecksum);
  // The version first: another one may keep its checksum elsewhere.
  Loader a(body.substr(kMagic.size()));
  std::string text;
  a.text(text);
  if (text != build_of_weir())
    throw error(fmt::format("it is of weir {}, and this is {}; run the scenario again", text, build_of_weir()));
  if (checksum_of(body) != all.substr(body.size())) throw error("it is cut short or changed");
  check_finished_files(a, folder);
  Checkpoint out;
  a.value(out.partitions);
  a.value(out.now);
  a.value(out.wall_s);
  a.value(out.cpu_s);
  a.value(out.rhythm);
  out.state = a.rest();
  return out;
}

void save(Saver& a, engine::Engine& engine, probe::ProbeSet& probes) {
  engine.save(a);
  probes.save(a);
}

void load(std::string_view state, engine::Engine& engine, probe::ProbeSet& probes) {
  Loader a(state);
  engine.load(a);
  probes.load(a);
  if (!a.at_end()) throw InputError("what was saved is longer than this run needs");
}

}  // namespace weir::run
