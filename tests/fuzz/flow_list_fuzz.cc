// Any bytes are a list of valid flows, or an InputError; and what the CSV reader reads, written
// and read again, is the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/csv.h"
#include "weir/base/error.h"
#include "weir/traffic/flow_list.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

std::vector<std::vector<std::string>> read(std::string_view text) {
  weir::CsvReader csv(text, "fuzz");
  std::vector<std::vector<std::string>> out;
  for (std::vector<std::string> fields; csv.next(fields);) out.push_back(fields);
  return out;
}

void check_csv(std::string_view text) {
  const auto records = read(text);
  // a byte-order mark in the first field would be skipped on reading it back
  std::string written = "first\n";
  for (const auto& record : records) weir::append_csv_record(written, record);
  auto again = read(written);
  again.erase(again.begin());
  require(again == records);
}

void check_flows(std::string_view text) {
  constexpr std::uint32_t kHosts = 320;
  const auto table = weir::traffic::parse_flow_list(text, "fuzz", kHosts);
  for (const auto& flow : table.flows) {
    weir::traffic::check_flow(flow, kHosts, {});
    require(flow.tag < table.tags.size() && flow.profile < table.algorithms.size());
  }
  weir::traffic::FlowList list(table.flows);
  weir::Time last;
  while (const auto flow = list.next()) {
    require(flow->start >= last);
    last = flow->start;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check_csv(text);
  } catch (const weir::InputError&) {
    return 0;
  }
  try {
    check_flows(text);
  } catch (const weir::InputError&) {
  }
  return 0;
}
