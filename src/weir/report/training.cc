#include "weir/report/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string_view>
#include <system_error>

#include "weir/base/params.h"
#include "weir/policy/decider.h"
#include "weir/policy/policy_file.h"
#include "weir/report/read.h"
#include "weir/toml/parser.h"

namespace weir::report {
namespace {

constexpr const char* kProgress = "progress.csv";
constexpr const char* kCurriculum = "curriculum.toml";
constexpr const char* kPolicy = "policy.toml";

using Facts = std::vector<std::pair<std::string, std::string>>;

bool has_file(const std::string& directory, const char* name) {
  std::error_code error;
  return std::filesystem::is_regular_file(directory + "/" + name, error);
}

// "4-12-12-1", "4-32-16-LSTM 16-1" or "31 nodes, depth 5".
std::string shape_in_words(const policy::Policy& p) {
  if (p.kind == policy::Kind::tree) {
    std::vector<std::pair<int, int>> open{{0, 0}};  // node and depth
    int deepest = 0;
    while (!open.empty()) {
      const auto [at, depth] = open.back();
      open.pop_back();
      deepest = std::max(deepest, depth);
      const policy::TreeNode& node = p.nodes[static_cast<std::size_t>(at)];
      if (node.feature < 0) continue;
      open.emplace_back(node.left, depth + 1);
      open.emplace_back(node.right, depth + 1);
    }
    return fmt::format("tree of {} nodes, depth {}", p.nodes.size(), deepest);
  }
  std::string out = std::to_string(p.width());
  for (const policy::Layer& layer : p.layers) out += fmt::format("-{}{}", layer.lstm ? "LSTM " : "", layer.outputs);
  return out;
}

// Of weights and their scales; of a tree its thresholds, values and places.
std::size_t bytes_of(const policy::Policy& p) {
  std::size_t bytes = p.nodes.size() * (sizeof(float) + 3 * sizeof(std::int16_t));
  const std::size_t weight = p.arithmetic == policy::Arithmetic::int8 ? 1 : sizeof(float);
  for (const policy::Layer& layer : p.layers) {
    bytes += layer.weights.size() * weight + layer.row_scales.size() * sizeof(float);
    if (p.arithmetic == policy::Arithmetic::int8) bytes += sizeof(float);
  }
  return bytes;
}

Facts facts_of(const policy::Policy& p) {
  const policy::Decider decider(p);
  Facts out{{"network", shape_in_words(p)}};
  if (p.kind != policy::Kind::tree)
    out.emplace_back("arithmetic", p.arithmetic == policy::Arithmetic::int8 ? "int8" : "float32");
  out.emplace_back("size", fmt::format("{} B", bytes_of(p)));
  out.emplace_back("memory of a flow", fmt::format("{} B", decider.memory()));
  out.emplace_back("inputs", p.inputs == policy::Inputs::paper ? "rate, RTT inflation, CNPs, NACKs"
                                                               : fmt::format("factor and signal of {} decision{}",
                                                                             p.history, p.history == 1 ? "" : "s"));
  out.emplace_back("factor", fmt::format("{:.4g} to {:.4g}", 1 / (1 + p.step), 1 + p.step));
  out.emplace_back("target",
                   fmt::format("{:g}, with beta {:g} and scale {:g}", p.signal.target, p.signal.beta, p.signal.scale));
  out.emplace_back("base RTT",
                   p.signal.base_rtt.ps > 0 ? format_value(p.signal.base_rtt) : std::string("of each flow"));
  if (p.signal.queue_unit > Time{})
    out.emplace_back("queueing delay", fmt::format("in units of {} and {:g} packets", format_value(p.signal.queue_unit),
                                                   p.signal.queue_packets));
  static const std::map<std::string, std::string, std::less<>> kNames{{"update", "update chosen"},
                                                                      {"validation_score", "validation score"},
                                                                      {"curriculum_digest", "curriculum's digest"}};
  for (const auto& [key, value] : p.provenance) {
    const auto name = kNames.find(key);
    out.emplace_back(name == kNames.end() ? key : name->second, value);
  }
  out.emplace_back("digest", policy::digest(p));
  return out;
}

void read_progress(const std::string& path, Training& to) {
  const CsvTable table(path);
  for (const std::string& name : table.columns())
    if (name != "update") to.columns.push_back({name, {}});
  std::vector<std::string> wanted{"update"};
  for (const ProgressColumn& column : to.columns) wanted.push_back(column.name);
  table.each(wanted, [&](std::span<const double> values, std::span<const std::string>) {
    to.updates.push_back(values[0]);
    for (std::size_t i = 0; i < to.columns.size(); ++i) to.columns[i].values.push_back(values[i + 1]);
  });
}

// "" = there is none.
std::string text_at(const scenario::Value& document, std::initializer_list<std::string_view> path) {
  const scenario::Value* at = &document;
  for (const std::string_view key : path) {
    const auto* table = at->as<scenario::Table>();
    at = table == nullptr ? nullptr : table->find(key);
    if (at == nullptr) return "";
  }
  const auto* text = at->as<std::string>();
  return text == nullptr ? "" : *text;
}

}  // namespace

bool is_training(const std::string& path) { return has_file(path, kProgress) && has_file(path, kCurriculum); }

Training read_training(const std::string& path, std::string name) {
  Training out{.name = std::move(name)};
  const std::string curriculum = path + "/" + kCurriculum;
  out.curriculum = read_text(curriculum);
  const scenario::Value document = scenario::parse_toml(out.curriculum, curriculum);
  out.title = text_at(document, {"title"});
  const std::string method = text_at(document, {"learner", "method"});
  out.gives_policy = method.empty() || method == "adpg";
  read_progress(path + "/" + kProgress, out);
  if (!has_file(path, kPolicy)) return out;
  out.policy = policy::read_policy(path + "/" + kPolicy);
  out.facts = facts_of(*out.policy);
  return out;
}

Training read_policy_alone(const std::string& file, std::string name) {
  Training out{.name = std::move(name)};
  out.policy = policy::read_policy(file);
  out.facts = facts_of(*out.policy);
  return out;
}

}  // namespace weir::report
