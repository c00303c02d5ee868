#include "weir/policy/policy_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/suggestion.h"
#include "weir/base/text_file.h"
#include "weir/policy/check.h"
#include "weir/policy/decider.h"
#include "weir/policy/index.h"
#include "weir/policy/shipped.h"
#include "weir/policy/trained_table.h"
#include "weir/toml/document.h"
#include "weir/toml/parser.h"
#include "weir/toml/reader.h"
#include "weir/toml/writer.h"

namespace weir::policy {
namespace {

using scenario::key_error;
using scenario::List;
using scenario::TableReader;
using scenario::Value;

constexpr int kFormat = 1;
constexpr double kLargest = 1e9;  // check() has the bounds

// The tables of a policy file that are parameters and nothing else.
struct HeadTable {
  int format = kFormat;
  Kind kind = Kind::mlp;
  Arithmetic arithmetic = Arithmetic::float32;
  Inputs inputs = Inputs::code;
  int history = 2;
  double clip = 8;
  double step = 0.2;

  static void describe(ParamList<HeadTable>& p) {
    p.integer("format", &HeadTable::format, 0, 1e6, "of this file").required = true;
    p.choice("kind", &HeadTable::kind, {"mlp", "lstm", "tree"}, "what computes y").required = true;
    p.choice("arithmetic", &HeadTable::arithmetic, {"float32", "int8"}, "numbers of a network");
    p.choice("inputs", &HeadTable::inputs, {"paper", "code"}, "what goes in").required = true;
    p.integer("history", &HeadTable::history, -1e6, 1e6, "decisions that are seen").required = true;
    p.number("clip", &HeadTable::clip, -kLargest, kLargest, "largest input").required = true;
    p.number("step", &HeadTable::step, -kLargest, kLargest, "largest change of the rate").required = true;
  }
};

struct SignalTable {
  double target = 0;
  double beta = 0;
  double scale = 1;
  Time base_rtt;
  Time queue_unit;
  double queue_packets = 0;
  double power = 0.5;

  static void describe(ParamList<SignalTable>& p) {
    p.number("target", &SignalTable::target, -kLargest, kLargest, "where the signal is 0").required = true;
    p.number("beta", &SignalTable::beta, -kLargest, kLargest, "subtracted from the inflation").required = true;
    p.number("scale", &SignalTable::scale, -kLargest, kLargest, "factor").required = true;
    p.time("base_rtt", &SignalTable::base_rtt, "unit of round trips; 0 = the flow's").required = true;
    p.time("queue_unit", &SignalTable::queue_unit, "unit of queueing delays; 0 = by inflation");
    p.number("queue_packets", &SignalTable::queue_packets, -kLargest, kLargest, "packets that the unit has besides");
    p.number("power", &SignalTable::power, -kLargest, kLargest, "of the rate");
  }
};

int eighths_of(const TableReader& signal, double power) {
  const double eighths = 8 * power;
  if (!(eighths >= 1 && eighths <= 8 && eighths == std::floor(eighths)))
    throw signal.error_at("power", fmt::format("{} is not valid; write a multiple of 0.125 up to 1", power));
  return static_cast<int>(eighths);
}

enum class Type : std::uint8_t { dense, lstm };

struct LayerTable {
  Type type = Type::dense;
  int inputs = 1;
  int outputs = 1;
  Activation activation = Activation::none;

  static void describe(ParamList<LayerTable>& p) {
    p.choice("type", &LayerTable::type, {"dense", "lstm"}, "kind of layer").required = true;
    p.integer("inputs", &LayerTable::inputs, -1e6, 1e6, "columns").required = true;
    p.integer("outputs", &LayerTable::outputs, -1e6, 1e6, "units").required = true;
    p.choice("activation", &LayerTable::activation, {"none", "relu", "tanh"}, "of a dense layer");
  }
};

float number_at(const Value& value, const std::string& key) {
  double number = 0;
  if (const auto* whole = value.as<std::int64_t>()) {
    number = static_cast<double>(*whole);
  } else if (const auto* real = value.as<double>()) {
    number = *real;
  } else {
    throw key_error(value.where, key, fmt::format("it is {}; write a number", value.type_name()));
  }
  const auto out = static_cast<float>(number);
  if (!std::isfinite(out))
    throw key_error(value.where, key, fmt::format("{} is not valid; write a number that a float holds", number));
  return out;
}

const List& list_at(const Value& value, const std::string& key, std::string_view what) {
  const auto* list = value.as<List>();
  if (list == nullptr) throw key_error(value.where, key, fmt::format("it is {}; write {}", value.type_name(), what));
  return *list;
}

const Value& required(const TableReader& table, std::string_view key, std::string_view what) {
  const Value* value = table.find(key);
  if (value == nullptr) throw table.error_at(key, fmt::format("missing; write {}", what));
  return *value;
}

std::vector<float> numbers_at(const Value& value, const std::string& key, std::string_view what) {
  std::vector<float> out;
  for (const Value& item : list_at(value, key, what)) out.push_back(number_at(item, key));
  return out;
}

Layer read_layer(const TableReader& table, bool int8) {
  LayerTable head;
  table.read(params_of<LayerTable>(), &head, {"weights", "row_scales", "input_scale"});
  Layer out;
  out.lstm = head.type == Type::lstm;
  out.activation = head.activation;
  out.inputs = head.inputs;
  out.outputs = head.outputs;
  const std::string weights = scenario::join(table.path(), "weights");
  constexpr std::string_view kRows = "a list of rows, [[0.5, -0.25], [1.0, 0.125]]";
  const Value& rows = required(table, "weights", kRows);
  const std::int64_t columns = std::int64_t{out.inputs} + (out.lstm ? out.outputs : 0);
  for (const Value& row : list_at(rows, weights, kRows)) {
    const auto numbers = numbers_at(row, weights, "a row of numbers, [0.5, -0.25]");
    if (static_cast<std::int64_t>(numbers.size()) != columns)
      throw key_error(row.where, weights,
                      fmt::format("a row of {}; write {} numbers, one for each {}", numbers.size(), columns,
                                  out.lstm ? "input and hidden unit" : "input"));
    out.weights.insert(out.weights.end(), numbers.begin(), numbers.end());
  }
  constexpr std::string_view kScales = "a list with one number for each row";
  if (int8) required(table, "row_scales", kScales);
  if (int8) required(table, "input_scale", "a number above 0");
  if (const Value* scales = table.find("row_scales"))
    out.row_scales = numbers_at(*scales, scenario::join(table.path(), "row_scales"), kScales);
  if (const Value* scale = table.find("input_scale"))
    out.input_scale = number_at(*scale, scenario::join(table.path(), "input_scale"));
  return out;
}

TreeNode read_node(const Value& value, const std::string& key) {
  constexpr std::string_view kForms = "[input, threshold, left, right], or [y] for a leaf";
  const auto n = numbers_at(value, key, kForms);
  TreeNode out;
  if (n.size() == 1) {
    out.value = n[0];
    return out;
  }
  if (n.size() != 4) throw key_error(value.where, key, fmt::format("{} numbers; write {}", n.size(), kForms));
  for (const std::size_t i : {0, 2, 3})
    if (!(n[i] >= 0 && n[i] <= kMaxNodes && n[i] == std::floor(n[i])))
      throw key_error(value.where, key,
                      fmt::format("{} is not the number of an input or a node; write {}", n[i], kForms));
  out.feature = static_cast<int>(n[0]);
  out.threshold = n[1];
  out.left = static_cast<int>(n[2]);
  out.right = static_cast<int>(n[3]);
  return out;
}

Policy read(const TableReader& root) {
  HeadTable head;
  // the version first: what else there is depends on it
  const Param& version = *params_of<HeadTable>().find("format");
  for (const auto& [table, what] : {std::pair{"topology", "a scenario"}, {"environment", "a curriculum"}})
    if (const Value* found = root.find(table); found != nullptr && root.find("format") == nullptr)
      throw root.error_at(table,
                          fmt::format("this is {}; name the file of a policy, or a policy that comes with Weir", what));
  const Value& written = required(root, "format", fmt::format("{}, the version of the format of policies", kFormat));
  version.set(&head, scenario::read_value(written, version, "format"));
  if (head.format != kFormat)
    throw root.error_at("format", fmt::format("version {} is not known here; valid is {}", head.format, kFormat));
  root.read(params_of<HeadTable>(), &head, {"signal", "layer", "nodes", "trained", "provenance"});
  SignalTable signal;
  required(root, "signal", "a table [signal]");
  root.table("signal").read(params_of<SignalTable>(), &signal);

  Policy out;
  out.kind = head.kind;
  out.arithmetic = head.arithmetic;
  out.inputs = head.inputs;
  out.history = head.history;
  out.clip = head.clip;
  out.step = head.step;
  out.signal = {.target = signal.target,
                .beta = signal.beta,
                .scale = signal.scale,
                .base_rtt = signal.base_rtt,
                .queue_unit = signal.queue_unit,
                .queue_packets = signal.queue_packets,
                .power = eighths_of(root.table("signal"), signal.power)};
  for (const auto& table : root.tables("layer"))
    out.layers.push_back(read_layer(table, out.arithmetic == Arithmetic::int8));
  if (const Value* nodes = root.find("nodes"))
    for (const Value& node : list_at(*nodes, "nodes", "a list of nodes"))
      out.nodes.push_back(read_node(node, fmt::format("nodes.{}", out.nodes.size())));
  out.trained = read_trained(root);
  const TableReader provenance = root.table("provenance");
  for (const auto& key : provenance.keys()) out.provenance[key] = provenance.text(key);
  return out;
}

// The shortest text that reads back to the same float, by way of a double.
std::string text_of(float v) {
  if (v == 0) return std::signbit(v) ? "-0.0" : "0";
  std::string text = fmt::format("{}", v);
  double back = 0;
  std::from_chars(text.data(), text.data() + text.size(), back);
  if (static_cast<float>(back) != v) text = fmt::format("{}", static_cast<double>(v));
  return text;
}

std::string text_of(const float* from, std::size_t count) {
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + text_of(from[i]);
  return out + "]";
}

// Lines of at most 120 characters.
std::string wrapped(const std::vector<float>& numbers) {
  std::string out = "[";
  std::size_t line = 15;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string text = text_of(numbers[i]) + (i + 1 < numbers.size() ? "," : "]");
    if (line + text.size() + 1 > 118) {
      out += "\n ";
      line = 1;
    }
    out += (i == 0 ? "" : " ") + text;
    line += text.size() + 1;
  }
  return out;
}

template <class T, class Table>
std::string word(const Table& table, std::string_view key) {
  return std::get<T>(params_of<Table>().find(key)->get(&table));
}

bool is_bare(std::string_view key) {
  constexpr std::string_view kBare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
}

std::string text_of_decisions(const Policy& p) {
  check(p);
  scenario::TomlWriter toml("A policy for pcc_rl.");
  const HeadTable head{kFormat, p.kind, p.arithmetic, p.inputs, p.history, p.clip, p.step};
  toml.value("format", kFormat);
  toml.text("kind", word<std::string>(head, "kind"));
  if (p.kind != Kind::tree) toml.text("arithmetic", word<std::string>(head, "arithmetic"));
  toml.text("inputs", word<std::string>(head, "inputs"));
  toml.value("history", p.history);
  toml.value("clip", p.clip);
  toml.value("step", p.step);
  if (p.kind == Kind::tree) {
    toml.lines(
        "\n# [input, threshold, left, right]: go left if the input is below the threshold. [y]: a leaf.\nnodes = [\n");
    for (const TreeNode& node : p.nodes)
      toml.lines(node.feature < 0 ? fmt::format("  [{}],\n", text_of(node.value))
                                  : fmt::format("  [{}, {}, {}, {}],\n", node.feature, text_of(node.threshold),
                                                node.left, node.right));
    toml.lines("]\n");
  }
  toml.section("[signal]");
  toml.value("target", p.signal.target);
  toml.value("beta", p.signal.beta);
  toml.value("scale", p.signal.scale);
  toml.text("base_rtt", format_value(p.signal.base_rtt));
  if (p.signal.queue_unit > Time{}) {
    toml.text("queue_unit", format_value(p.signal.queue_unit));
    toml.value("queue_packets", p.signal.queue_packets);
  }
  if (p.signal.power != Signal{}.power) toml.value("power", p.signal.power / 8.0);
  for (const Layer& layer : p.layers) {
    const LayerTable table{layer.lstm ? Type::lstm : Type::dense, layer.inputs, layer.outputs, layer.activation};
    toml.section("[[layer]]");
    toml.text("type", word<std::string>(table, "type"));
    toml.value("inputs", layer.inputs);
    toml.value("outputs", layer.outputs);
    if (!layer.lstm) toml.text("activation", word<std::string>(table, "activation"));
    if (p.arithmetic == Arithmetic::int8) {
      toml.line("input_scale", text_of(layer.input_scale));
      toml.line("row_scales", wrapped(layer.row_scales));
    }
    toml.lines("weights = [\n");
    const auto columns = index(layer.inputs + (layer.lstm ? layer.outputs : 0));
    for (std::size_t at = 0; at < layer.weights.size(); at += columns)
      toml.lines(fmt::format("  {},\n", text_of(&layer.weights[at], columns)));
    toml.lines("]\n");
  }
  return toml.take();
}

}  // namespace

Policy parse_policy(std::string_view text, const std::string& file) {
  const Value document = scenario::parse_toml(text, file);
  const TableReader root(document, "");
  Policy out = read(root);
  try {
    const Decider whole(out);
  } catch (const InputError& error) {
    // where the value stands, or the smallest table around it
    const auto places = scenario::places_of(document);
    const std::string key = error.key().value_or("");
    for (std::string at = key;;) {
      if (const auto known = places.find(at); known != places.end())
        throw key_error(known->second, key, error.reason());
      const auto dot = at.rfind('.');
      if (dot == std::string::npos) throw key_error(Where{file, 0}, key, error.reason());
      at.resize(dot);
    }
  }
  return out;
}

Policy read_policy(const std::string& file) { return parse_policy(read_document(file, "a policy, a TOML file"), file); }

std::string policy_text(const Policy& policy) {
  std::string out = text_of_decisions(policy);
  if (policy.trained) out += trained_text(*policy.trained);
  if (policy.provenance.empty()) return out;
  out += "\n[provenance]\n";
  for (const auto& [key, value] : policy.provenance)
    out += fmt::format("{} = {}\n", is_bare(key) ? key : scenario::toml_text(key), scenario::toml_text(value));
  return out;
}

std::string digest(const Policy& policy) { return checksum_of(text_of_decisions(policy)); }

Policy shipped_policy(std::string_view name) {
  std::vector<std::string> names;
  for (const Shipped& one : shipped()) {
    if (one.name == name) return parse_policy(one.text, fmt::format("data/policies/{}.toml", name));
    names.emplace_back(one.name);
  }
  throw InputError("policy", fmt::format("unknown policy '{}'{}; valid is {}, or a file like \"./mine.toml\"", name,
                                         did_you_mean(name, names), fmt::join(names, ", ")));
}

bool names_policy_file(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".toml");
}

Policy find_policy(const std::string& name) {
  return names_policy_file(name) ? read_policy(name) : shipped_policy(name);
}

}  // namespace weir::policy
