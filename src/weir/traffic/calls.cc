#include "weir/traffic/calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "weir/base/csv.h"
#include "weir/base/suggestion.h"
#include "weir/base/text_file.h"

namespace weir::traffic {
namespace {

const std::vector<std::string> kCallColumns{
    "operation", "name",          "size",       "ranks",          "stride",  "root",       "sizes",
    "chunks",    "active_chunks", "window",     "step_delay",     "compute", "group",      "order",
    "channels",  "slots",         "chunk_size", "slots_freed_by", "slow",    "slow_factor"};

// The parameters that the columns set; null = the column `name` of the call.
std::vector<const Param*> call_columns_of(const std::vector<std::string>& header, const Where& where) {
  std::vector<const Param*> out;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string& name = header[i];
    if (std::find(kCallColumns.begin(), kCallColumns.end(), name) == kCallColumns.end())
      throw InputError(where, fmt::format("unknown column '{}'{}; valid is {}", name, did_you_mean(name, kCallColumns),
                                          fmt::join(kCallColumns, ", ")));
    if (std::find(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(i), name) !=
        header.begin() + static_cast<std::ptrdiff_t>(i))
      throw InputError(where, fmt::format("column '{}' is there twice", name));
    out.push_back(params_of<Collective>().find(name));
  }
  if (std::find(header.begin(), header.end(), "operation") == header.end())
    throw InputError(where, "column 'operation' is missing");
  return out;
}

void set(Collective& what, const Param& param, const std::string& field, const Where& where) {
  try {
    param.set(&what, parse_value(param, field));
  } catch (const InputError& error) {
    throw InputError(where, error.what());
  }
}

}  // namespace

Collective without_columns(const Calls& common) {
  Collective out;
  out.hosts = common.hosts;
  out.placement = common.placement;
  out.places = common.places;
  out.start = common.start;
  out.messages = common.messages;
  out.group = common.group;
  out.scale_up_rate = common.scale_up_rate;
  out.scale_up_latency = common.scale_up_latency;
  out.scale_up_sharing = common.scale_up_sharing;
  out.pxn = common.pxn;
  return out;
}

std::vector<NamedCall> parse_calls(std::string_view text, const std::string& file, const Calls& common) {
  CsvReader csv(text, file);
  std::vector<std::string> fields;
  if (!csv.next(fields)) throw InputError(Where{file, 0}, "empty; the first line names the columns, such as operation");
  const auto columns = call_columns_of(fields, csv.where());
  const auto operation =
      static_cast<std::size_t>(std::find(fields.begin(), fields.end(), "operation") - fields.begin());
  std::vector<NamedCall> out;
  while (csv.next(fields)) {
    const Where& where = csv.where();
    if (fields.size() != columns.size())
      throw InputError(where, fmt::format("{} fields, but the header has {}", fields.size(), columns.size()));
    NamedCall& call = out.emplace_back();
    call.name = fields[operation];
    call.where = where;
    call.what = without_columns(common);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].empty() && i != operation) continue;
      if (columns[i] == nullptr)
        call.name = fields[i];
      else
        set(call.what, *columns[i], fields[i], where);
    }
  }
  if (out.empty()) throw InputError(Where{file, 0}, "a header and no rows; write at least one call");
  return out;
}

std::vector<NamedCall> read_calls(const Calls& calls, const Context& context) {
  if (calls.file.empty()) throw InputError("file", "missing; name a CSV file of collective operations");
  const std::string path = (std::filesystem::path(context.folder) / calls.file).string();
  auto out = parse_calls(read_named_file(path, "a CSV file of collective operations", "file"), path, calls);
  if (std::uint64_t{calls.repeat} * out.size() > kMaxCalls)
    throw InputError("repeat",
                     fmt::format("{} times {} calls are too many; valid are {}", calls.repeat, out.size(), kMaxCalls));
  return out;
}

void Calls::describe(ParamList<Calls>& p) {
  Param& file = p.text("file", &Calls::file,
                       "CSV of collective operations, one after the other: the column operation, and as needed size, "
                       "compute, ranks, stride, name and other parameters of a collective");
  file.required = true;
  file.names_file = [](std::string_view) { return true; };
  p.integer("repeat", &Calls::repeat, 1, kMaxCalls, "how often all of them are done, one after the other");
  p.text("hosts", &Calls::hosts, "those that take part: \"all\", \"0-15\", \"0-255:32\", \"0-3,8\"");
  p.choice("placement", &Calls::placement, {"in-order", "random"}, "which rank is where: as listed, or at random");
  p.text("places", &Calls::places,
         "of these hosts, in the order of `placement`, those at these places: \"0-31\"; at random, all tables with the "
         "same hosts and group have one order then, so that jobs at other places have other hosts");
  p.time("start", &Calls::start, "the first call begins, with its computation");
  p.choice("messages", &Calls::messages, {"rows", "sums"},
           "rows: each message is a flow in the results; sums: messages have no rows and no percentiles");
  describe_servers(p, true);
  describe_pxn(p);
}

}  // namespace weir::traffic
