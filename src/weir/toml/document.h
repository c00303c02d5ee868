// A document as a tree of values that know where they stand, and overrides of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/text.h"

namespace weir::scenario {

// Keys, lists and tables that a value may lie under: what reads a document calls itself once per level.
inline constexpr std::size_t kMaxDepth = 64;

struct Value;
using List = std::vector<Value>;

// In the order of the file. Its members are defined where Value is known.
struct Table {
  Table();
  Table(const Table&);
  Table(Table&&) noexcept;
  Table& operator=(const Table&);
  Table& operator=(Table&&) noexcept;
  ~Table();

  std::vector<std::pair<std::string, Value>> entries;

  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
};

struct Date {};  // nothing here is a date, but TOML has them

struct Value {
  Where where;
  std::variant<bool, std::int64_t, double, std::string, Date, List, Table> data;
  std::string replaced = {};  // the text that the document had instead of this one; "" = none, or the same

  template <class T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&data);
  }
  // "text", "a table", ... for messages.
  std::string_view type_name() const;
};

// "network.buffer.size=32 MB", "traffic.0.load=0.5": sets a value, which is TOML if it can be and
// text otherwise, and makes the tables on its way. Its place is "--set <key>", or the option of the
// command that stands for it.
void apply_override(Value& root, std::string_view assignment, std::string_view option = "");
// The same with a value that stands somewhere else: in a study.
void set_key(Value& root, const std::string& key, Value value);
// Whether these are words with a dot between each two, kMaxDepth at most.
bool is_dotted_key(std::string_view key);
// Whether a place is an override's.
bool is_override(const Where&);

// Where each value and table stands, by dotted key.
using Places = std::map<std::string, Where, std::less<>>;
Places places_of(const Value& root);

// A number, a text or a flag as text; nothing for others.
std::optional<std::string> text_of(const Value& value);

// The values that are neither tables nor lists, with their dotted keys, in the order of the document. They are part of
// `root`.
std::vector<std::pair<std::string, const Value*>> leaves_of(const Value& root);

// "a.b"; or "b" if a is empty.
std::string join(std::string_view path, std::string_view key);

// The error "file:line: key 'path': what", or "--set path: what".
InputError key_error(const Where& where, std::string_view path, std::string_view what);

}  // namespace weir::scenario
