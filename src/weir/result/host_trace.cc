#include "weir/result/host_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>

#include "weir/base/csv.h"
#include "weir/base/error.h"
#include "weir/result/directory.h"

namespace weir::result {
namespace {

constexpr const char* kMeta = "meta.json";
constexpr const char* kFlows = "flows.csv";
constexpr const char* kPackets = "packets.csv";
constexpr const char* kOrAcks = "or_acks.csv";

// The rows of a table that has exactly these columns.
class Table {
 public:
  Table(const std::string& path, std::span<const std::string_view> columns)
      : text_(read_text(path)), reader_(text_, path), columns_(columns) {
    if (!reader_.next(fields_) || !std::equal(fields_.begin(), fields_.end(), columns.begin(), columns.end()))
      throw InputError(reader_.where(),
                       fmt::format("the first line names the columns; valid is {}", fmt::join(columns, ",")));
  }

  bool next() {
    if (!reader_.next(fields_)) return false;
    if (fields_.size() != columns_.size())
      throw InputError(reader_.where(), fmt::format("{} fields; valid is {}", fields_.size(), columns_.size()));
    return true;
  }
  const std::string& text(std::size_t column) const { return fields_[column]; }
  template <class T>
  T number(std::size_t column, T most = std::numeric_limits<T>::max()) const {
    T out{};
    const std::string& field = fields_[column];
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), out);
    if (error != std::errc() || end != field.data() + field.size() || !(out <= most))
      throw InputError(reader_.where(),
                       fmt::format("{}: '{}'; valid is a number of at most {}", columns_[column], field, most));
    return out;
  }

 private:
  std::string text_;
  CsvReader reader_;
  std::span<const std::string_view> columns_;
  std::vector<std::string> fields_;
};

bool has(const std::string& path, const char* name) {
  std::error_code error;
  return std::filesystem::is_regular_file(path + "/" + name, error);
}

void read_flows(const std::string& path, HostTrace& to) {
  static constexpr std::string_view kColumns[] = {"flow", "source", "source_port", "destination", "destination_port"};
  Table table(path + "/" + kFlows, kColumns);
  while (table.next()) {
    table.number<std::size_t>(0, to.flows.size());
    to.flows.push_back({table.text(1), table.text(3), table.number<std::uint16_t>(2), table.number<std::uint16_t>(4)});
  }
}

void read_packets(const std::string& path, HostTrace& to) {
  static constexpr std::string_view kColumns[] = {"time_ns", "flow", "seq", "length_bytes", "held_ns"};
  Table table(path + "/" + kPackets, kColumns);
  while (table.next() && !to.flows.empty())
    to.packets.push_back({table.number<std::int64_t>(0), table.number<std::size_t>(1, to.flows.size() - 1),
                          table.number<std::uint32_t>(2), table.number<std::uint32_t>(3),
                          table.number<std::int64_t>(4)});
}

void read_or_acks(const std::string& path, HostTrace& to) {
  static constexpr std::string_view kColumns[] = {"time_ns", "flow", "seq", "delay_ns", "beta", "pause_ns"};
  Table table(path + "/" + kOrAcks, kColumns);
  while (table.next() && !to.flows.empty())
    to.or_acks.push_back({table.number<std::int64_t>(0), table.number<std::size_t>(1, to.flows.size() - 1),
                          table.number<std::int64_t>(3), table.number<double>(4, 1.0), table.number<std::int64_t>(5)});
}

}  // namespace

std::int64_t HostTrace::begin() const { return meta.at("begin_ns").get<std::int64_t>(); }
std::int64_t HostTrace::begin_unix() const { return meta.at("begin_unix_ns").get<std::int64_t>(); }

std::int64_t HostTrace::threshold(const std::string& destination) const {
  for (const char* when : {"peers_at_end", "peers_at_begin"}) {
    const auto peers = meta.find(when);
    if (peers == meta.end() || !peers->is_array()) continue;
    for (const auto& peer : *peers)
      if (peer.value("address", "") == destination)
        if (const auto t = peer.value("T_ns", std::int64_t{0}); t > 0) return t;
  }
  return 0;
}

bool is_host_trace(const std::string& path) { return has(path, kMeta) && has(path, kPackets) && has(path, kOrAcks); }

HostTrace read_host_trace(const std::string& path) {
  HostTrace out{.path = path};
  const std::string file = path + "/" + kMeta;
  out.meta = parse_json(read_text(file), file);
  for (const char* key : {"begin_ns", "begin_unix_ns", "end_ns"})
    if (!out.meta.is_object() || !out.meta.contains(key) || !out.meta.at(key).is_number_integer())
      throw InputError(fmt::format("{}: {}: valid is a whole number of nanoseconds", file, key));
  read_flows(path, out);
  read_packets(path, out);
  read_or_acks(path, out);
  return out;
}

}  // namespace weir::result
