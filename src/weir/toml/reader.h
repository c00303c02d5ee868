// From tables of a document to objects whose parameters describe themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/toml/document.h"

namespace weir::scenario {

// One table of the document, and what it is called.
class TableReader {
 public:
  // Throws InputError if the value is not a table.
  TableReader(const Value& value, std::string path);

  const Where& where() const { return where_; }
  const std::string& path() const { return path_; }
  const Value* find(std::string_view key) const { return table_->find(key); }
  // In the order of the file.
  std::vector<std::string> keys() const;
  // Where a key stands, or the table if it is not there.
  const Where& place(std::string_view key) const;
  // An error about the value of a key, or about a key that is missing.
  InputError error_at(std::string_view key, std::string_view what) const;

  // The text of a key; "" if it is not there.
  std::string text(std::string_view key) const;
  // The same for one that has to be there; `what` completes "missing; write ...".
  std::string required_text(std::string_view key, std::string_view what) const;
  // A list of texts; empty if the key is not there.
  std::vector<std::string> texts(std::string_view key) const;
  // A table within, or an empty one in its place.
  TableReader table(std::string_view key) const;
  // The tables of a list [[key]]; none if it is not there.
  std::vector<TableReader> tables(std::string_view key) const;

  // Sets the parameters that are written here. Keys that are neither parameters nor `others` are
  // refused, and so is the lack of a required one.
  void read(const ParamSet& set, void* object, const std::vector<std::string>& others = {}) const;
  // The same, whatever other keys there are.
  void read_known(const ParamSet& set, void* object) const;
  // Refuses keys that are not listed.
  void allow_only(const std::vector<std::string>& keys) const;

 private:
  Where where_;
  std::string path_;
  const Table* table_;
};

// The value of a parameter as it is written. Throws InputError that names `path`.
ParamValue read_value(const Value& value, const Param& param, const std::string& path);

}  // namespace weir::scenario
