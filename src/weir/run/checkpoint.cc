#include "weir/run/checkpoint.h"

#include <fmt/format.h>

#include <string_view>

#include "weir/base/archive.h"
#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/base/version.h"

namespace weir::run {
namespace {

constexpr std::string_view kMagic = "weir checkpoint\n";
constexpr std::size_t kChecksum = 32;  // characters
constexpr std::string_view kScenario = "scenario.toml";

std::string scenario_checksum(const std::string& folder) {
  return checksum_of(read_text_file(fmt::format("{}/{}", folder, kScenario), "the scenario of the run"));
}

}  // namespace

std::string build_of_weir() {
  return fmt::format("{} ({}, {} {} {} {} {})", version(), __VERSION__, sizeof(void*), sizeof(host::Flow),
                     sizeof(net::Descriptor), sizeof(net::Packet), sizeof(cc::FlowFacts));
}

void keep_checkpoint(probe::ResultDirectory& directory, engine::Engine& engine, probe::Probes& probes,
                     const probe::RunClock& clock, const CheckpointRhythm& rhythm) {
  Saver a;
  if (directory.is_nowhere()) return save(a, engine, probes);  // of a rank that tells the first one its part
  a.bytes(kMagic.data(), kMagic.size());
  a.text(build_of_weir());
  a.text(scenario_checksum(directory.partial()));
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
  const auto refuse = [&](const std::string& why) { throw InputError(fmt::format("{}: {}", file, why)); };
  const std::string_view all = content;
  if (!all.starts_with(kMagic)) refuse("it is no checkpoint of Weir");
  if (all.size() < kMagic.size() + kChecksum) refuse("it is cut short");
  const std::string_view body = all.substr(0, all.size() - kChecksum);
  // The version first: another one may keep its checksum elsewhere.
  Loader a(body.substr(kMagic.size()));
  std::string text;
  a.text(text);
  if (text != build_of_weir())
    refuse(fmt::format("it is of weir {}, and this is {}; run the scenario again", text, build_of_weir()));
  if (checksum_of(body) != all.substr(body.size())) refuse("it is cut short or changed");
  a.text(text);
  if (text != scenario_checksum(folder)) refuse("it is of another scenario than the one beside it");
  Checkpoint out;
  a.value(out.partitions);
  a.value(out.now);
  a.value(out.wall_s);
  a.value(out.cpu_s);
  a.value(out.rhythm);
  out.state = a.rest();
  return out;
}

void save(Saver& a, engine::Engine& engine, probe::Probes& probes) {
  engine.save(a);
  probes.save(a);
}

void load(std::string_view state, engine::Engine& engine, probe::Probes& probes) {
  Loader a(state);
  engine.load(a);
  probes.load(a);
  if (!a.at_end()) throw InputError("what was saved is longer than this run needs");
}

}  // namespace weir::run
