// Tables of a result: columns in memory, as NumPy arrays and as Arrow.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow.h"
#include "module.h"
#include "table.h"
#include "weir/base/archive.h"
#include "weir/base/error.h"
#include "weir/result/directory.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

using result::Column;
using result::ColumnData;

const ColumnData& column_of(const Table& table, const std::string& name) {
  const ColumnData* const column = table.data->find(name);
  if (column == nullptr) throw nb::key_error(name.c_str());
  return *column;
}

// An array that cannot be written and keeps the table alive.
template <class Number>
nb::object view(const std::shared_ptr<const result::Columns>& table, const std::vector<Number>& values) {
  auto* kept = new std::shared_ptr<const result::Columns>(table);
  const nb::capsule owner(kept,
                          [](void* p) noexcept { delete static_cast<std::shared_ptr<const result::Columns>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, const Number, nb::ndim<1>>(values.data(), {values.size()}, owner));
}

nb::object values(const Table& table, const std::string& name) {
  const ColumnData& column = column_of(table, name);
  switch (column.type) {
    case Column::Type::whole: return view(table.data, column.whole);
    case Column::Type::real: return view(table.data, column.real);
    case Column::Type::text: break;
  }
  return view(table.data, column.codes);
}

std::string kind(const Table& table, const std::string& name) {
  switch (column_of(table, name).type) {
    case Column::Type::whole: return "whole";
    case Column::Type::real: return "real";
    case Column::Type::text: break;
  }
  return "text";
}

template <class A>
void archive(A& a, result::Columns& table) {
  a.value(table.rows);
  a.each(table.columns, [&](ColumnData& column) {
    a.text(column.name);
    a.value(column.type);
    a.values(column.whole);
    a.values(column.real);
    a.values(column.codes);
    a.each(column.words, [&](std::string& word) { a.text(word); });
    a.values(column.valid);
    a.value(column.empty);
  });
}

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }

nb::bytes state_of(const Table& table) {
  Saver a;
  archive(a, const_cast<result::Columns&>(*table.data));  // a Saver changes nothing
  return bytes_of(a.content());
}

void set_state(Table& table, const nb::bytes& state) {
  auto data = std::make_shared<result::Columns>();
  Loader a(std::string_view(state.c_str(), state.size()));
  archive(a, *data);
  new (&table) Table{std::move(data)};
}

}  // namespace

Tables::Tables(std::map<std::string, std::string> texts) : texts_(std::move(texts)) {}

Tables::Tables(const std::string& folder) : directory_(std::make_shared<const result::Directory>(folder)) {}

Tables::~Tables() = default;

std::vector<std::string> Tables::files() const {
  std::vector<std::string> out;
  for (const result::TableKind& kind : result::table_kinds())
    if (directory_ ? directory_->has(kind.file) : texts_.contains(kind.file) || read_.contains(kind.file))
      out.push_back(kind.file);
  return out;
}

Table Tables::get(const std::string& file) {
  if (const auto at = read_.find(file); at != read_.end()) return {at->second};
  const result::TableKind* const kind = result::find_table(file);
  const bool has = kind != nullptr && (directory_ ? directory_->has(file) : texts_.contains(file));
  if (!has) throw nb::key_error(file.c_str());
  std::string text;
  if (!directory_) text = std::move(texts_.extract(file).mapped());
  std::shared_ptr<const result::Columns> table;
  {
    const nb::gil_scoped_release release;
    if (directory_) text = directory_->text(file);
    table = std::make_shared<const result::Columns>(
        result::read_columns(text, *kind, directory_ ? directory_->file(file) : file));
  }
  return {read_[file] = std::move(table)};
}

std::string Tables::text(const std::string& file) const {
  if (!directory_) throw nb::key_error(file.c_str());
  return directory_->text(file);
}

namespace {

// Of columns that Python has computed: whole numbers, real ones or texts, as the first value is.
Table table_of(const std::vector<std::pair<std::string, nb::list>>& columns) {
  result::Columns out;
  for (const auto& [name, list] : columns) {
    result::ColumnData column{.name = name};
    const std::string& key = name;
    const auto wrong = [&](const char* valid, nb::handle value) {
      return nb::type_error(
          ("'" + key + "' has " + valid + ", as in the first row: " + nb::cast<std::string>(nb::repr(value))).c_str());
    };
    for (nb::handle value : list) {
      if (column.whole.empty() && column.real.empty() && column.codes.empty())
        column.type = nb::isinstance<nb::str>(value)      ? result::Column::Type::text
                      : nb::isinstance<nb::float_>(value) ? result::Column::Type::real
                                                          : result::Column::Type::whole;
      if (column.type == result::Column::Type::text) {
        std::string text;
        if (!nb::try_cast(value, text)) throw wrong("texts", value);
        auto at = std::find(column.words.begin(), column.words.end(), text);
        if (at == column.words.end()) at = column.words.insert(at, text);
        column.codes.push_back(static_cast<std::int32_t>(at - column.words.begin()));
      } else if (column.type == result::Column::Type::real) {
        if (!nb::try_cast(value, column.real.emplace_back())) throw wrong("real numbers", value);
      } else if (!nb::try_cast(value, column.whole.emplace_back())) {
        throw wrong("whole numbers", value);
      }
    }
    out.rows = list.size();
    out.columns.push_back(std::move(column));
  }
  return {std::make_shared<const result::Columns>(std::move(out))};
}

}  // namespace

void add_tables(nb::module_& m) {
  nb::class_<Table>(m, "Columns", "A table as columns in memory.")
      .def("__len__", [](const Table& t) { return t.data->rows; })
      .def_prop_ro("names",
                   [](const Table& t) {
                     std::vector<std::string> out;
                     for (const ColumnData& column : t.data->columns) out.push_back(column.name);
                     return out;
                   })
      .def("kind", &kind, "name"_a, "\"whole\", \"real\" or \"text\".")
      .def("values", &values, "name"_a, nb::sig("def values(self, name: str) -> numpy.typing.NDArray[typing.Any]"),
           "The column's own memory: int64, float64, or for text the int32 codes of words.")
      .def(
          "valid", [](const Table& t, const std::string& name) { return view(t.data, column_of(t, name).valid); },
          "name"_a, nb::sig("def valid(self, name: str) -> numpy.typing.NDArray[numpy.uint8]"),
          "Bits of the rows that have a value, the lowest one first; an empty array means all have.")
      .def(
          "words", [](const Table& t, const std::string& name) { return column_of(t, name).words; }, "name"_a)
      .def(
          "arrow_schema", [](const Table& t) { return arrow_schema(*t.data); },
          nb::sig("def arrow_schema(self) -> object"))
      .def(
          "arrow_array", [](const Table& t) { return arrow_array(t.data); }, nb::sig("def arrow_array(self) -> object"))
      .def(
          "arrow_stream", [](const Table& t) { return arrow_stream(t.data); },
          nb::sig("def arrow_stream(self) -> object"))
      .def_static(
          "of", &table_of, "columns"_a,
          nb::sig("def of(columns: collections.abc.Sequence[tuple[str, list[int] | list[float] | list[str]]]) -> "
                  "Columns"))
      .def("__getstate__", &state_of)
      .def("__setstate__", &set_state);
  nb::class_<Tables>(m, "Tables", "The tables of a result, each of which is read when it is asked for.")
      .def(nb::init<const std::string&>(), "folder"_a)
      .def("files", &Tables::files)
      .def("get", &Tables::get, "file"_a)
      .def("text", &Tables::text, "file"_a, "A file of the result's directory.");
}

}  // namespace weir::python
