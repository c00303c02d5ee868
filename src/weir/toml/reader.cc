#include "weir/toml/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "weir/base/suggestion.h"

namespace weir::scenario {
namespace {

// How a value of this parameter is written.
std::string form(const Param& p) {
  if (!p.choices.empty()) return p.valid();
  const auto type = p.type_name();
  if (type == "text") return "text in quotes";
  if (type == "boolean") return "true or false";
  if (type == "integer") return "a whole number";
  if (type == "number") return "a number";
  return fmt::format("a {} in quotes, like \"{}\"", type == "bytes" ? "size" : type,
                     type == "time" ? "10 us" : (type == "bytes" ? "100 KB" : "100 Gbps"));
}

// The text that parse_value understands; nothing if the type does not fit.
std::optional<std::string> plain_text(const Value& value, const Param& param) {
  const auto type = param.type_name();
  const bool numeric = type == "integer" || type == "number";
  const bool worded = type == "text" || type == "choice";
  if (const auto* flag = value.as<bool>()) {
    if (type != "boolean") return std::nullopt;
    return *flag ? "true" : "false";
  }
  if (const auto* whole = value.as<std::int64_t>()) {
    if (type == "boolean") return std::nullopt;
    return fmt::format("{}", *whole);  // of a text as well: a host is a number
  }
  if (const auto* number = value.as<double>()) {
    if (type == "boolean" || worded) return std::nullopt;
    return fmt::format("{}", *number);
  }
  if (const auto* text = value.as<std::string>()) {
    if ((numeric || type == "boolean") && !is_override(value.where)) return std::nullopt;
    return *text;
  }
  return std::nullopt;
}

}  // namespace

ParamValue read_value(const Value& value, const Param& param, const std::string& path) {
  const auto text = plain_text(value, param);
  if (!text) throw key_error(value.where, path, fmt::format("it is {}; write {}", value.type_name(), form(param)));
  try {
    return parse_value(param, *text);
  } catch (const InputError& error) {
    throw key_error(value.where, path, error.reason());
  }
}

TableReader::TableReader(const Value& value, std::string path)
    : where_(value.where), path_(std::move(path)), table_(value.as<Table>()) {
  if (table_ == nullptr)
    throw key_error(where_, path_, fmt::format("it is {}; write a table, [{}]", value.type_name(), path_));
}

const Where& TableReader::place(std::string_view key) const {
  const Value* value = find(key);
  return value == nullptr ? where_ : value->where;
}

InputError TableReader::error_at(std::string_view key, std::string_view what) const {
  return key_error(place(key), join(path_, key), what);
}

std::string TableReader::text(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return "";
  const auto* text = value->as<std::string>();
  if (text == nullptr) throw error_at(key, fmt::format("it is {}; write text in quotes", value->type_name()));
  return *text;
}

std::string TableReader::required_text(std::string_view key, std::string_view what) const {
  if (find(key) == nullptr) throw error_at(key, fmt::format("missing; write {}", what));
  return text(key);
}

std::vector<std::string> TableReader::texts(std::string_view key) const {
  std::vector<std::string> out;
  const Value* value = find(key);
  if (value == nullptr) return out;
  const auto* list = value->as<List>();
  if (list == nullptr) throw error_at(key, "must be a list of texts");
  for (const Value& item : *list) {
    const auto* text = item.as<std::string>();
    if (text == nullptr) throw error_at(key, "must be a list of texts");
    out.push_back(*text);
  }
  return out;
}

TableReader TableReader::table(std::string_view key) const {
  static const Value kEmpty = [] {
    Value out;
    out.data.emplace<Table>();
    return out;
  }();
  const Value* value = find(key);
  TableReader out(value == nullptr ? kEmpty : *value, join(path_, key));
  if (value == nullptr) out.where_ = where_;
  return out;
}

std::vector<std::string> TableReader::keys() const {
  std::vector<std::string> out;
  for (const auto& entry : table_->entries) out.push_back(entry.first);
  return out;
}

std::vector<TableReader> TableReader::tables(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return {};
  const std::string name = join(path_, key);
  const auto* list = value->as<List>();
  if (list == nullptr)
    throw error_at(key, fmt::format("it is {}; write a list of tables, [[{}]]", value->type_name(), name));
  std::vector<TableReader> out;
  for (std::size_t i = 0; i < list->size(); ++i) out.emplace_back((*list)[i], join(name, std::to_string(i)));
  return out;
}

void TableReader::read(const ParamSet& set, void* object, const std::vector<std::string>& others) const {
  auto keys = set.names();
  keys.insert(keys.end(), others.begin(), others.end());
  allow_only(keys);
  read_known(set, object);
}

void TableReader::read_known(const ParamSet& set, void* object) const {
  for (const Param& p : set.params()) {
    const Value* value = find(p.name);
    if (value != nullptr) {
      p.set(object, read_value(*value, p, join(path_, p.name)));
    } else if (p.required) {
      throw error_at(p.name, fmt::format("missing; write {} ({})", form(p), p.meaning));
    }
  }
}

void TableReader::allow_only(const std::vector<std::string>& keys) const {
  for (const auto& [key, value] : table_->entries) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const bool section = value.as<Table>() != nullptr || value.as<List>() != nullptr;
    throw key_error(value.where, join(path_, key),
                    fmt::format("unknown {}{}; valid is {}", section ? "table" : "key", did_you_mean(key, keys),
                                fmt::join(keys, ", ")));
  }
}

}  // namespace weir::scenario
