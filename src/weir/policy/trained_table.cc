#include "weir/policy/trained_table.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/toml/document.h"
#include "weir/toml/writer.h"

namespace weir::policy {
namespace {

using scenario::List;
using scenario::TableReader;
using scenario::Value;

Time time_of(const std::string& text) { return parse_time(text); }
Rate rate_of(const std::string& text) { return parse_rate(text); }

// The value's T, by the function that reads it from text; whole numbers are read as such.
template <class T>
T bound(const Value& value, T (*read)(const std::string&)) {
  if (read == nullptr) {
    if constexpr (std::is_same_v<T, std::int64_t>)
      if (const auto* whole = value.as<std::int64_t>()) return *whole;
  } else if (const auto* text = value.as<std::string>()) {
    return read(*text);
  }
  throw InputError(fmt::format("{} is not valid here", value.type_name()));
}

// A list of the least and the largest value.
template <class T>
Range<T> range_at(const TableReader& table, std::string_view key, std::string_view form,
                  T (*read)(const std::string&) = nullptr) {
  const Value* value = table.find(key);
  if (value == nullptr) throw table.error_at(key, fmt::format("missing; write {}", form));
  const auto* list = value->as<List>();
  if (list == nullptr || list->size() != 2) throw table.error_at(key, fmt::format("write {}", form));
  try {
    return {bound((*list)[0], read), bound((*list)[1], read)};
  } catch (const InputError& error) {
    throw table.error_at(key, fmt::format("{}; write {}", error.what(), form));
  }
}

template <class T>
std::string list_of(const Range<T>& range) {
  return fmt::format("[{}, {}]", scenario::toml_text(format_value(range.low)),
                     scenario::toml_text(format_value(range.high)));
}

}  // namespace

std::optional<Trained> read_trained(const TableReader& document) {
  if (document.find("trained") == nullptr) return std::nullopt;
  const TableReader table = document.table("trained");
  table.allow_only({"base_rtt", "rate", "hops", "flows"});
  return Trained{.base_rtt = range_at<Time>(table, "base_rtt", "two times, [\"8 us\", \"16 us\"]", time_of),
                 .rate = range_at<Rate>(table, "rate", "two rates, [\"10 Gbps\", \"100 Gbps\"]", rate_of),
                 .hops = range_at<std::int64_t>(table, "hops", "two whole numbers, [1, 5]"),
                 .flows = range_at<std::int64_t>(table, "flows", "two whole numbers, [2, 128]")};
}

std::string trained_text(const Trained& t) {
  return fmt::format("\n[trained]\nbase_rtt = {}\nrate = {}\nhops = [{}, {}]\nflows = [{}, {}]\n", list_of(t.base_rtt),
                     list_of(t.rate), t.hops.low, t.hops.high, t.flows.low, t.flows.high);
}

}  // namespace weir::policy
