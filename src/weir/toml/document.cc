#include "weir/toml/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "weir/base/params.h"
#include "weir/base/text.h"
#include "weir/toml/parser.h"

namespace weir::scenario {
namespace {

constexpr std::string_view kOverride = "--set ";

std::vector<std::string> split_key(std::string_view key) {
  std::vector<std::string> parts;
  for (;;) {
    const auto dot = key.find('.');
    parts.emplace_back(key.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    key.remove_prefix(dot + 1);
  }
}

// The value that one part of an override's key leads to.
Value& descend(Value& value, const std::string& part, const std::string& path, const Where& where,
               const std::string& key) {
  if (auto* list = value.as<List>()) {
    std::size_t index = 0;
    const auto* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, index);
    if (error != std::errc{} || stop != end || index >= list->size())
      throw key_error(where, key,
                      fmt::format("'{}' has no entry '{}'; {}", path, part,
                                  list->empty() ? "it is empty" : fmt::format("valid is 0 to {}", list->size() - 1)));
    return (*list)[index];
  }
  // `true` where a table may stand is that table with its defaults.
  if (const bool* on = value.as<bool>(); on != nullptr && *on) value.data = Table{};
  auto* table = value.as<Table>();
  if (table == nullptr)
    throw key_error(where, key, fmt::format("'{}' is {}, it has no key '{}'", path, value.type_name(), part));
  if (Value* known = table->find(part)) return *known;
  return table->entries.emplace_back(part, Value{where, Table{}}).second;
}

void collect(const Value& value, const std::string& path, Places& out) {
  out.emplace(path, value.where);
  if (const auto* table = value.as<Table>())
    for (const auto& [key, item] : table->entries) collect(item, join(path, key), out);
  if (const auto* list = value.as<List>())
    for (std::size_t i = 0; i < list->size(); ++i) collect((*list)[i], join(path, std::to_string(i)), out);
}

void add_leaves(const Value& value, const std::string& key, std::vector<std::pair<std::string, const Value*>>& out) {
  if (const auto* table = value.as<Table>()) {
    for (const auto& [name, item] : table->entries) add_leaves(item, join(key, name), out);
  } else if (const auto* list = value.as<List>()) {
    for (std::size_t i = 0; i < list->size(); ++i) add_leaves((*list)[i], join(key, std::to_string(i)), out);
  } else {
    out.emplace_back(key, &value);
  }
}

}  // namespace

Table::Table() = default;
Table::Table(const Table&) = default;
Table::Table(Table&&) noexcept = default;
Table& Table::operator=(const Table&) = default;
Table& Table::operator=(Table&&) noexcept = default;
Table::~Table() = default;

const Value* Table::find(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name == key) return &value;
  return nullptr;
}

Value* Table::find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

std::string_view Value::type_name() const {
  static constexpr std::string_view kNames[] = {"true or false", "a whole number", "a number", "text",
                                                "a date",        "a list",         "a table"};
  return kNames[data.index()];
}

bool is_override(const Where& where) { return where.line == 0 && where.file.starts_with("--"); }

void apply_override(Value& root, std::string_view assignment, std::string_view option) {
  const auto equals = assignment.find('=');
  const std::string key(assignment.substr(0, equals));
  if (equals == std::string_view::npos || !is_dotted_key(key))
    throw InputError(
        fmt::format("--set {}: not an assignment; write a dotted key and a value, like run.seed=7 or "
                    "traffic.0.load=0.3",
                    one_line(assignment, kQuoted)));
  if (find_invalid_utf8(assignment) != std::string_view::npos)
    throw InputError(fmt::format("--set {}: it is no text (UTF-8)", one_line(assignment, kQuoted)));
  const Where where{option.empty() ? std::string(kOverride) + key : std::string(option), 0};
  const auto text = assignment.substr(equals + 1);
  auto value = parse_toml_value(text, where);
  set_key(root, key, value ? std::move(*value) : Value{where, std::string(text)});
}

void set_key(Value& root, const std::string& key, Value value) {
  Value* at = &root;
  std::string path;
  for (const auto& part : split_key(key)) {
    at = &descend(*at, part, path, value.where, key);
    path = join(path, part);
  }
  const auto* before = at->replaced.empty() ? at->as<std::string>() : &at->replaced;
  const auto* now = value.as<std::string>();
  if (before != nullptr && now != nullptr && *before != *now) value.replaced = *before;
  *at = std::move(value);
}

bool is_dotted_key(std::string_view key) {
  if (std::count(key.begin(), key.end(), '.') >= static_cast<std::ptrdiff_t>(kMaxDepth)) return false;
  const auto parts = split_key(key);
  return std::find(parts.begin(), parts.end(), "") == parts.end();
}

Places places_of(const Value& root) {
  Places out;
  collect(root, "", out);
  return out;
}

std::optional<std::string> text_of(const Value& value) {
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* whole = value.as<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto* number = value.as<double>()) return fmt::format("{}", *number);
  if (const auto* flag = value.as<bool>()) return *flag ? "true" : "false";
  return std::nullopt;
}

std::vector<std::pair<std::string, const Value*>> leaves_of(const Value& root) {
  std::vector<std::pair<std::string, const Value*>> out;
  add_leaves(root, "", out);
  return out;
}

std::string join(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

InputError key_error(const Where& where, std::string_view path, std::string_view what) {
  // an override is named by its key already, or by an option that stands for that key alone
  if (is_override(where) && (!where.file.starts_with(kOverride) || where.file.substr(kOverride.size()) == path))
    return {{one_line(where.file, kQuoted), 0}, std::string(path), one_line(what)};
  return {where, std::string(path), one_line(fmt::format("key '{}': {}", one_line(path, kQuoted), what))};
}

}  // namespace weir::scenario
