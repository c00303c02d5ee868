#include "weir/traffic/flow_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "weir/base/csv.h"
#include "weir/base/suggestion.h"
#include "weir/base/text_file.h"
#include "weir/traffic/fields.h"
#include "weir/traffic/hosts.h"

namespace weir::traffic {
namespace {

enum class Column { src, dst, size, start, id, tag, algorithm, sport, dport, ignored };

struct ColumnName {
  std::string_view name;
  Column column = Column::ignored;
  std::string_view unit = {};  // of a start time
};

constexpr ColumnName kColumns[] = {
    {"src", Column::src},
    {"dst", Column::dst},
    {"size_bytes", Column::size},
    {"start_ps", Column::start, "ps"},
    {"start_ns", Column::start, "ns"},
    {"start_us", Column::start, "us"},
    {"tag", Column::tag},
    {"algorithm", Column::algorithm},
    {"profile", Column::algorithm},
    {"sport", Column::sport},
    {"dport", Column::dport},
    {"flow_id", Column::id},
    // columns of Weir's own flows.csv and of other simulators' results
    {"actual_start_ns"},
    {"finish_ps"},
    {"fct_ps"},
    {"fct_ns"},
    {"ideal_fct_ps"},
    {"standalone_fct_ns"},
    {"slowdown"},
    {"retransmitted_packets"},
};

constexpr std::string_view kRequired = "needed are src, dst, size_bytes and one of start_ps, start_ns, start_us";

// Suggests the column that an unknown one may mean. No other unit is suggested for a start time: a wrong unit would be
// off by powers of ten.
std::string meant(std::string_view name, const std::vector<std::string>& names) {
  if (name.starts_with("start") || name == "time")
    return " (did you mean 'start_us', or 'start_ns' or 'start_ps'? the unit of the times is part of the name)";
  return did_you_mean(name, names);
}

// What the columns of one file mean, in their order.
std::vector<ColumnName> read_header(const std::vector<std::string>& header, const Where& where) {
  std::vector<ColumnName> columns;
  std::map<Column, std::string_view> seen;
  for (const auto& name : header) {
    const auto known =
        std::find_if(std::begin(kColumns), std::end(kColumns), [&](const auto& c) { return c.name == name; });
    if (known == std::end(kColumns)) {
      std::vector<std::string> names;
      for (const auto& c : kColumns) names.emplace_back(c.name);
      throw InputError(
          where, fmt::format("unknown column '{}'{}; valid is {}", name, meant(name, names), fmt::join(names, ", ")));
    }
    if (known->column != Column::ignored) {
      const auto [first, is_new] = seen.emplace(known->column, known->name);
      if (!is_new && first->second == name) throw InputError(where, fmt::format("column '{}' is there twice", name));
      if (!is_new)
        throw InputError(where, fmt::format("columns '{}' and '{}' say the same; keep one", first->second, name));
    }
    columns.push_back(*known);
  }
  for (const auto& c : kColumns) {
    if (c.column > Column::start) break;
    if (!seen.contains(c.column)) throw InputError(where, fmt::format("column '{}' is missing; {}", c.name, kRequired));
  }
  return columns;
}

Time start_time(std::string_view field, const ColumnName& column, const Where& where) {
  // only digits and a point: a unit in the field would contradict the column's
  const bool plain = !field.empty() && field.find_first_not_of("0123456789.") == std::string_view::npos;
  try {
    if (plain) return parse_time(fmt::format("{} {}", field, column.unit));
  } catch (const InputError&) {
  }
  throw InputError(where,
                   fmt::format("{} = '{}' is not valid; write a number of {}, at least 0 and a whole number of ps",
                               column.name, field, column.unit));
}

std::uint16_t port_number(std::string_view field, std::string_view column, const Where& where) {
  if (field.empty()) return 0;
  return static_cast<std::uint16_t>(whole_number(field, column, 1, 65535, where));
}

// The distinct texts of one column.
class Names {
 public:
  explicit Names(std::vector<FlowTable::Name>& list) : list_(list) { index_of("", {}); }

  std::uint16_t index_of(const std::string& text, const Where& where) {
    const auto [known, is_new] = index_.emplace(text, static_cast<std::uint16_t>(list_.size()));
    if (is_new) {
      if (list_.size() > UINT16_MAX) throw InputError(where, "more than 65535 different names in one column");
      list_.push_back({text, where});
    }
    return known->second;
  }

 private:
  std::vector<FlowTable::Name>& list_;
  std::map<std::string, std::uint16_t> index_;
};

// The scenario's index of every name, `fallback` for the first.
std::vector<std::uint16_t> resolve(const std::vector<FlowTable::Name>& names, const Context::IndexOf& index_of,
                                   std::uint16_t fallback, std::string_view column) {
  std::vector<std::uint16_t> out{fallback};
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (!index_of) throw InputError(names[i].where, fmt::format("column '{}' cannot be used here; remove it", column));
    out.push_back(index_of(names[i].text, names[i].where));
  }
  return out;
}

}  // namespace

void check_flow(const Flow& flow, std::uint32_t hosts, const Where& where) {
  if (flow.src >= hosts) throw InputError(where, no_such_host(flow.src, hosts));
  if (flow.dst >= hosts) throw InputError(where, no_such_host(flow.dst, hosts));
  if (flow.src == flow.dst) throw InputError(where, fmt::format("flow of host {} to itself", flow.src));
  if (flow.size < Bytes{1} || flow.size > kMaxFlowSize)
    throw InputError(where, fmt::format("flow of {} bytes; valid is 1 to {}", flow.size.count, kMaxFlowSize.count));
  if (flow.start.ps < 0)
    throw InputError(where, fmt::format("flow that starts at {} ps; valid is at least 0", flow.start.ps));
}

FlowTable parse_flow_list(std::string_view text, const std::string& file, std::uint32_t hosts) {
  CsvReader csv(text, file);
  std::vector<std::string> fields;
  if (!csv.next(fields))
    throw InputError(Where{file, 0}, fmt::format("empty; the first line names the columns, {}", kRequired));
  const auto columns = read_header(fields, csv.where());

  FlowTable out;
  Names tags(out.tags);
  Names algorithms(out.algorithms);
  while (csv.next(fields)) {
    const Where& where = csv.where();
    if (fields.size() != columns.size())
      throw InputError(where, fmt::format("{} fields, but the header has {}", fields.size(), columns.size()));
    Flow flow;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto& field = fields[i];
      const auto name = columns[i].name;
      switch (columns[i].column) {
        case Column::src: flow.src = static_cast<std::uint32_t>(whole_number(field, name, 0, UINT32_MAX, where)); break;
        case Column::dst: flow.dst = static_cast<std::uint32_t>(whole_number(field, name, 0, UINT32_MAX, where)); break;
        case Column::size: flow.size = {whole_number(field, name, 1, kMaxFlowSize.count, where)}; break;
        case Column::start: flow.start = start_time(field, columns[i], where); break;
        case Column::id: flow.id = static_cast<std::uint64_t>(whole_number(field, name, 0, INT64_MAX, where)); break;
        case Column::tag: flow.tag = tags.index_of(field, where); break;
        case Column::algorithm: flow.profile = algorithms.index_of(field, where); break;
        case Column::sport: flow.sport = port_number(field, name, where); break;
        case Column::dport: flow.dport = port_number(field, name, where); break;
        case Column::ignored: break;
      }
    }
    check_flow(flow, hosts, where);
    out.flows.push_back(flow);
  }
  return out;
}

FlowList::FlowList(std::vector<Flow> flows) : flows_(std::move(flows)) {
  std::stable_sort(flows_.begin(), flows_.end(),
                   [](const Flow& a, const Flow& b) { return std::pair(a.start, a.id) < std::pair(b.start, b.id); });
}

FlowList::FlowList(const Params& params, const Context& context) {
  if (params.file.empty()) throw InputError("file", "missing; name a CSV file of flows");
  const auto path = (std::filesystem::path(context.folder) / params.file).string();
  auto table = parse_flow_list(read_named_file(path, "a CSV file of flows", "file"), path, context.hosts());
  if (table.flows.empty()) throw InputError(Where{path, 0}, "a header and no flows; write at least one flow");
  const auto tags = resolve(table.tags, context.tag_of, context.labels.tag, "tag");
  const auto profiles = resolve(table.algorithms, context.profile_of, context.labels.profile, "algorithm");
  for (auto& flow : table.flows) {
    flow.tag = tags[flow.tag];
    flow.profile = profiles[flow.profile];
  }
  *this = FlowList(std::move(table.flows));
}

std::optional<Flow> FlowList::next() {
  if (sent_ == flows_.size()) return std::nullopt;
  return flows_[sent_++];
}

}  // namespace weir::traffic
