#include "weir/report/packed.h"

#ifdef WEIR_HAS_ZLIB
#include <zlib.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace weir::report {
namespace {

static_assert(std::endian::native == std::endian::little, "typed arrays of a page are little-endian");

template <class T>
std::string bytes_of(const PackedColumn& column) {
  std::string out(column.values.size() * sizeof(T), '\0');
  T before{};
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    const double value = column.values[i];
    T here;
    if constexpr (std::is_integral_v<T>)
      here = std::isnan(value) ? static_cast<T>(~T{0}) : static_cast<T>(static_cast<std::uint64_t>(value));
    else
      here = value;
    const T told = column.delta ? static_cast<T>(here - before) : here;
    std::memcpy(out.data() + i * sizeof(T), &told, sizeof(T));
    before = here;
  }
  return out;
}

std::string bytes_of(const PackedColumn& column) {
  switch (column.packing) {
    case Packing::u8: return bytes_of<std::uint8_t>(column);
    case Packing::u16: return bytes_of<std::uint16_t>(column);
    case Packing::u32: return bytes_of<std::uint32_t>(column);
    case Packing::f64: break;
  }
  return bytes_of<double>(column);
}

const char* name_of(Packing packing) {
  switch (packing) {
    case Packing::u8: return "u8";
    case Packing::u16: return "u16";
    case Packing::u32: return "u32";
    case Packing::f64: break;
  }
  return "f64";
}

#ifdef WEIR_HAS_ZLIB
std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                Z_DEFAULT_COMPRESSION) != Z_OK)
    throw std::runtime_error("zlib cannot compress a column");
  out.resize(size);
  return out;
}
#else
std::string compressed(const std::string&) { throw std::logic_error("this build has no zlib"); }
#endif

}  // namespace

#ifdef WEIR_HAS_ZLIB
bool can_pack() { return true; }
#else
bool can_pack() { return false; }
#endif

Json packed(const std::vector<PackedColumn>& columns) {
  Json out;
  out["rows"] = columns.empty() ? std::size_t{0} : columns.front().values.size();
  out["columns"] = Json::object();
  for (const PackedColumn& column : columns) {
    Json& c = out["columns"][column.name];
    c["type"] = name_of(column.packing);
    c["data"] = base64(compressed(bytes_of(column)));
    if (column.delta) c["delta"] = true;
  }
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < n ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace weir::report
