#include "arrow.h"

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

// https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html define these structs, whose names
// and members are the interface.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace weir::python {
namespace {

using result::Column;
using result::ColumnData;
using result::Columns;
using Shared = std::shared_ptr<const Columns>;

constexpr std::int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

// What the private_data of a schema or an array owns.
struct SchemaParts {
  std::string name;
  std::vector<std::unique_ptr<ArrowSchema>> owned;
  std::vector<ArrowSchema*> children;
};
struct ArrayParts {
  Shared table;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<ArrowArray>> owned;
  std::vector<ArrowArray*> children;
  std::vector<std::uint8_t> valid;    // of real numbers: made here
  std::vector<std::int32_t> offsets;  // of words, with their characters
  std::string characters;
};

// Children that a consumer has moved away have no release function any more.
template <class Parts, class Struct>
void release(Struct* s) {
  auto* parts = static_cast<Parts*>(s->private_data);
  for (const auto& child : parts->owned)
    if (child->release != nullptr) child->release(child.get());
  s->release = nullptr;
  delete parts;
}

std::unique_ptr<ArrowSchema> schema(const char* format, const std::string& name, std::int64_t flags,
                                    std::vector<std::unique_ptr<ArrowSchema>> children,
                                    std::unique_ptr<ArrowSchema> dictionary) {
  auto* parts = new SchemaParts{name, std::move(children), {}};
  for (const auto& child : parts->owned) parts->children.push_back(child.get());
  ArrowSchema* words = dictionary.get();
  const auto count = static_cast<std::int64_t>(parts->children.size());
  if (dictionary) parts->owned.push_back(std::move(dictionary));
  return std::make_unique<ArrowSchema>(ArrowSchema{format, parts->name.c_str(), nullptr, flags, count,
                                                   count > 0 ? parts->children.data() : nullptr, words,
                                                   release<SchemaParts, ArrowSchema>, parts});
}

std::unique_ptr<ArrowSchema> schema_of(const ColumnData& column) {
  switch (column.type) {
    case Column::Type::whole: return schema("l", column.name, kNullable, {}, nullptr);
    case Column::Type::real: return schema("g", column.name, kNullable, {}, nullptr);
    case Column::Type::text: break;
  }
  return schema("i", column.name, 0, {}, schema("u", "", 0, {}, nullptr));
}

std::unique_ptr<ArrowSchema> schema_of(const Columns& table) {
  std::vector<std::unique_ptr<ArrowSchema>> children;
  for (const ColumnData& column : table.columns) children.push_back(schema_of(column));
  return schema("+s", "", 0, std::move(children), nullptr);
}

std::unique_ptr<ArrowArray> array(ArrayParts* parts, std::size_t length, std::size_t nulls,
                                  std::unique_ptr<ArrowArray> dictionary = nullptr) {
  for (const auto& child : parts->owned) parts->children.push_back(child.get());
  ArrowArray* words = dictionary.get();
  const auto count = static_cast<std::int64_t>(parts->children.size());
  if (dictionary) parts->owned.push_back(std::move(dictionary));
  return std::make_unique<ArrowArray>(ArrowArray{static_cast<std::int64_t>(length), static_cast<std::int64_t>(nulls), 0,
                                                 static_cast<std::int64_t>(parts->buffers.size()), count,
                                                 parts->buffers.data(), count > 0 ? parts->children.data() : nullptr,
                                                 words, release<ArrayParts, ArrowArray>, parts});
}

std::unique_ptr<ArrowArray> words_of(const Shared& table, const ColumnData& column) {
  auto* parts = new ArrayParts{.table = table};
  parts->offsets.push_back(0);
  for (const std::string& word : column.words) {
    parts->characters += word;
    parts->offsets.push_back(static_cast<std::int32_t>(parts->characters.size()));
  }
  parts->buffers = {nullptr, parts->offsets.data(), parts->characters.data()};
  return array(parts, column.words.size(), 0);
}

std::unique_ptr<ArrowArray> array_of(const Shared& table, const ColumnData& column) {
  auto* parts = new ArrayParts{.table = table};
  if (column.type == Column::Type::text) {
    parts->buffers = {nullptr, column.codes.data()};
    return array(parts, table->rows, 0, words_of(table, column));
  }
  if (column.type == Column::Type::whole) {
    parts->buffers = {column.valid.empty() ? nullptr : column.valid.data(), column.whole.data()};
    return array(parts, table->rows, column.empty);
  }
  std::size_t nulls = 0;
  for (std::size_t row = 0; row < column.real.size(); ++row) {
    if (!std::isnan(column.real[row])) continue;
    if (nulls++ == 0) parts->valid.assign((column.real.size() + 7) / 8, 0xff);
    parts->valid[row / 8] = static_cast<std::uint8_t>(parts->valid[row / 8] & ~(1u << row % 8));
  }
  parts->buffers = {parts->valid.empty() ? nullptr : parts->valid.data(), column.real.data()};
  return array(parts, table->rows, nulls);
}

std::unique_ptr<ArrowArray> array_of(const Shared& table) {
  auto* parts = new ArrayParts{.table = table, .buffers = {nullptr}};
  for (const ColumnData& column : table->columns) parts->owned.push_back(array_of(table, column));
  return array(parts, table->rows, 0);
}

struct Stream {
  Shared table;
  bool has_ended = false;
};

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  try {
    *out = *schema_of(*static_cast<Stream*>(stream->private_data)->table);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
  return 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto& from = *static_cast<Stream*>(stream->private_data);
  *out = {};
  if (from.has_ended) return 0;
  try {
    *out = *array_of(from.table);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
  from.has_ended = true;
  return 0;
}

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<Stream*>(stream->private_data);
  stream->release = nullptr;
}

// A capsule that owns the struct; one that nobody has taken is released with it.
template <class Struct>
nb::capsule capsule(std::unique_ptr<Struct> owned, const char* name) {
  return nb::capsule(owned.release(), name, [](void* p) noexcept {
    auto* s = static_cast<Struct*>(p);
    if (s->release != nullptr) s->release(s);
    delete s;
  });
}

}  // namespace

nb::capsule arrow_schema(const Columns& table) { return capsule(schema_of(table), "arrow_schema"); }

nb::capsule arrow_array(const Shared& table) { return capsule(array_of(table), "arrow_array"); }

nb::capsule arrow_stream(Shared table) {
  auto* from = new Stream{std::move(table)};
  return capsule(
      std::make_unique<ArrowArrayStream>(ArrowArrayStream{
          get_schema, get_next, [](ArrowArrayStream*) -> const char* { return nullptr; }, release_stream, from}),
      "arrow_array_stream");
}

}  // namespace weir::python
