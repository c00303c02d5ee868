#include "weir/learn/training_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>

#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/base/system_error.h"
#include "weir/base/text_file.h"
#include "weir/base/version.h"
#include "weir/learn/trained.h"
#include "weir/learn/trainer.h"
#include "weir/policy/policy_file.h"

namespace weir::learn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFrame = "weir training 1\n";

std::string path_of_file(const std::string& directory, const std::string& name) { return directory + "/" + name; }

void write_text(const std::string& path, std::string_view content, const char* mode) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) throw errno_error("cannot write " + path);
  const bool whole = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  if (std::fclose(file) != 0 || !whole) throw errno_error("cannot write " + path);
}

std::string framed(std::string_view content) {
  std::string out(kFrame);
  out += version();
  out += '\n';
  out += content;
  return out + checksum_of(out);
}

}  // namespace

std::optional<std::string> open_training(const std::string& directory, bool resume) {
  const std::string path = path_of_file(directory, kCheckpointFile);
  if (!fs::exists(path)) {
    if (fs::exists(directory) && !fs::is_empty(directory))
      throw InputError(fmt::format(
          "{}: it is not empty, and no training has left a checkpoint there; write another --out, or empty it",
          directory));
    fs::create_directories(directory);
    return std::nullopt;
  }
  if (!resume)
    throw InputError(
        fmt::format("{}: a training is there already; go on with --resume, or write another --out", directory));
  const std::string all = read_bytes(path, "a checkpoint of weir train");
  const std::string head = fmt::format("{}{}\n", kFrame, version());
  const std::size_t sum = checksum_of("").size();
  if (!all.starts_with(kFrame)) throw InputError(fmt::format("{}: it is no checkpoint of weir train", path));
  if (!all.starts_with(head))
    throw InputError(fmt::format("{}: it is of another version of weir, and this is {}; train again", path, version()));
  if (all.size() < head.size() + sum ||
      checksum_of(std::string_view(all).substr(0, all.size() - sum)) != all.substr(all.size() - sum))
    throw InputError(fmt::format("{}: it is cut short or changed", path));
  return all.substr(head.size(), all.size() - sum - head.size());
}

void write_whole(const std::string& directory, const std::string& name, std::string_view content) {
  const std::string path = path_of_file(directory, name);
  const std::string partial = path + ".partial";
  write_text(partial, name == kCheckpointFile ? framed(content) : std::string(content), "wb");
  if (std::rename(partial.c_str(), path.c_str()) != 0) throw errno_error("cannot write " + path);
}

void begin_progress(const std::string& directory, std::uint32_t updates) {
  std::string text = "update,decisions,learning_rate,loss,return,fairness,queue_us,validation_score\n";
  const std::string path = path_of_file(directory, "progress.csv");
  std::ifstream before(path);
  std::string line;
  std::getline(before, line);
  for (std::uint32_t n = 0; n < updates && std::getline(before, line); ++n) text += line + "\n";
  before.close();
  write_whole(directory, "progress.csv", text);
}

void add_progress(const std::string& directory, const Update& u) {
  const std::string score = u.validated ? fmt::format("{:.6g}", u.score) : "";
  write_text(path_of_file(directory, "progress.csv"),
             fmt::format("{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{}\n", u.number, u.decisions, u.rate, u.loss,
                         u.reward, u.fairness, u.queue * 1e6, score),
             "ab");
}

std::string policy_text(policy::Policy policy, const Curriculum& curriculum, const std::string& digest,
                        std::uint32_t update, double score) {
  policy.trained = trained_of(curriculum);
  policy.provenance["curriculum"] =
      curriculum.title.empty() ? fs::path(curriculum.file).filename().string() : curriculum.title;
  policy.provenance["curriculum_digest"] = digest;
  policy.provenance["seed"] = fmt::format("{}", curriculum.learner.seed);
  policy.provenance["update"] = fmt::format("{}", update);
  policy.provenance["validation_score"] = fmt::format("{:.6g}", score);
  policy.provenance["version"] = version();
  return policy::policy_text(policy);
}

std::string inputs_header(int width) {
  std::string out = "flow";
  for (int i = 1; i <= width; ++i) out += fmt::format(",in{}", i);
  return out + "\n";
}

std::size_t add_inputs(const TrajectoryStore& store, int width, std::uint32_t first_flow, std::string& text) {
  for (std::uint32_t flow = 0; flow < store.flows(); ++flow)
    for (const Step& step : store.sequence(flow).steps)
      text += fmt::format("{},{}\n", first_flow + flow,
                          fmt::join(std::span(step.decision.inputs).first(static_cast<std::size_t>(width)), ","));
  return store.steps();
}

}  // namespace weir::learn
