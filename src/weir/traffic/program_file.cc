#include "weir/traffic/program_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "weir/base/csv.h"
#include "weir/base/suggestion.h"
#include "weir/base/text_file.h"
#include "weir/traffic/fields.h"
#include "weir/traffic/flow_list.h"
#include "weir/traffic/hosts.h"

namespace weir::traffic {
namespace {

enum class ProgramColumn { id, src, dst, size, delay, after, tag, algorithm };

constexpr std::array<std::pair<std::string_view, ProgramColumn>, 9> kProgramColumns{
    {{"id", ProgramColumn::id},
     {"src", ProgramColumn::src},
     {"dst", ProgramColumn::dst},
     {"size_bytes", ProgramColumn::size},
     {"delay", ProgramColumn::delay},
     {"after", ProgramColumn::after},
     {"tag", ProgramColumn::tag},
     {"algorithm", ProgramColumn::algorithm},
     {"profile", ProgramColumn::algorithm}}};
constexpr std::size_t kNeeded = 4;

std::vector<ProgramColumn> columns_of(const std::vector<std::string>& header, const Where& where) {
  std::vector<std::string> names;
  for (const auto& [name, column] : kProgramColumns) names.emplace_back(name);
  std::vector<ProgramColumn> columns;
  for (const auto& name : header) {
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end())
      throw InputError(where, fmt::format("unknown column '{}'{}; valid is {}", name, did_you_mean(name, names),
                                          fmt::join(names, ", ")));
    const ProgramColumn column = kProgramColumns[static_cast<std::size_t>(known - names.begin())].second;
    if (std::find(columns.begin(), columns.end(), column) != columns.end())
      throw InputError(where, fmt::format("column '{}' is there twice", name));
    columns.push_back(column);
  }
  for (std::size_t i = 0; i < kNeeded; ++i)
    if (std::find(columns.begin(), columns.end(), kProgramColumns[i].second) == columns.end())
      throw InputError(where, fmt::format("column '{}' is missing; needed are id, src, dst and size_bytes",
                                          kProgramColumns[i].first));
  return columns;
}

// An event of a row, as the column `after` names it.
struct Named {
  std::int64_t id = 0;
  Event event = Event::received;
  std::uint32_t then = 0;
};

class ProgramReader {
 public:
  ProgramReader(const std::string& file, const Context& context) : file_(file), context_(context) {}

  Program read(std::string_view text) {
    CsvReader csv(text, file_);
    std::vector<std::string> fields;
    if (!csv.next(fields))
      throw InputError(Where{file_, 0},
                       "empty; the first line names the columns, needed are id, src, dst and size_bytes");
    const auto columns = columns_of(fields, csv.where());
    while (csv.next(fields)) {
      const Where& where = csv.where();
      if (fields.size() != columns.size())
        throw InputError(where, fmt::format("{} fields, but the header has {}", fields.size(), columns.size()));
      if (nodes_.size() == kMaxNodes) throw InputError(where, fmt::format("more than {} rows", kMaxNodes));
      lines_.push_back(where.line);
      read_row(columns, fields, where);
    }
    std::vector<Program::Edge> edges;
    for (std::size_t i = 0; i < after_.size(); ++i) {
      const Named& n = after_[i];
      const auto known = node_of_.find(n.id);
      if (known == node_of_.end())
        throw InputError(place(n.then), fmt::format("after: there is no row with the id {}", n.id));
      edges.push_back({known->second, n.event, n.then});
    }
    Program out(std::move(nodes_), edges, context_.labels.tag);
    check_program(
        out, [this](std::uint32_t node) { return place(node); },
        [this](std::uint32_t node) { return fmt::format("id {}", ids_[node]); });
    return out;
  }

 private:
  Where place(std::uint32_t node) const { return {file_, lines_[node]}; }

  void read_row(const std::vector<ProgramColumn>& columns, const std::vector<std::string>& fields, const Where& where) {
    const auto node = static_cast<std::uint32_t>(nodes_.size());
    Program::Node n{.tag = context_.labels.tag, .profile = context_.labels.profile};
    bool to = false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string& field = fields[i];
      switch (columns[i]) {
        case ProgramColumn::id: name(node, whole_number(field, "id", 0, INT64_MAX, where), where); break;
        case ProgramColumn::src: n.src = host(field, "src", where); break;
        case ProgramColumn::dst:
          to = !field.empty();
          if (to) n.dst = host(field, "dst", where);
          break;
        case ProgramColumn::size:
          if (!field.empty()) n.size = {whole_number(field, "size_bytes", 0, kMaxFlowSize.count, where)};
          break;
        case ProgramColumn::delay: n.delay = field.empty() ? Time{} : delay(field, where); break;
        case ProgramColumn::after: read_after(field, node, where); break;
        case ProgramColumn::tag:
          if (!field.empty()) n.tag = index(tags_, context_.tag_of, field, "tag", where);
          break;
        case ProgramColumn::algorithm:
          if (!field.empty()) n.profile = index(profiles_, context_.profile_of, field, "algorithm", where);
          break;
      }
    }
    if (!to) n.dst = n.src;
    const bool computation = n.size.count == 0;
    if (computation && n.dst != n.src)
      throw InputError(where, "message of 0 bytes; write at least 1, or leave dst empty for a computation");
    if (!computation && !to) throw InputError(where, fmt::format("message of {} bytes without dst", n.size.count));
    if (!computation && n.dst == n.src) throw InputError(where, fmt::format("message of host {} to itself", n.src));
    nodes_.push_back(n);
  }

  void name(std::uint32_t node, std::int64_t id, const Where& where) {
    const auto [known, is_new] = node_of_.emplace(id, node);
    if (!is_new)
      throw InputError(where, fmt::format("id {} a second time; line {} has it already", id, lines_[known->second]));
    ids_.push_back(id);
  }

  std::uint32_t host(const std::string& field, std::string_view column, const Where& where) const {
    const std::int64_t h = whole_number(field, column, 0, UINT32_MAX, where);
    if (h >= context_.hosts()) throw InputError(where, no_such_host(h, context_.hosts()));
    return static_cast<std::uint32_t>(h);
  }

  static Time delay(const std::string& field, const Where& where) {
    try {
      const Time t = parse_time(field);
      if (t >= Time{} && t <= kMaxTime) return t;
    } catch (const InputError&) {
    }
    throw InputError(where, fmt::format("delay = '{}' is not valid; write a time such as '1.5 us', from 0 to {}", field,
                                        format_value(kMaxTime)));
  }

  void read_after(std::string_view list, std::uint32_t node, const Where& where) {
    while (!list.empty()) {
      const auto semicolon = list.find(';');
      std::string_view item = list.substr(0, semicolon);
      list.remove_prefix(semicolon == std::string_view::npos ? list.size() : semicolon + 1);
      while (item.starts_with(' ')) item.remove_prefix(1);
      while (item.ends_with(' ')) item.remove_suffix(1);
      const auto dot = item.find('.');
      Named n{.id = whole_number(item.substr(0, dot), "after", 0, INT64_MAX, where), .then = node};
      if (dot != std::string_view::npos) n.event = event(item.substr(dot + 1), where);
      after_.push_back(n);
    }
  }

  static Event event(std::string_view word, const Where& where) {
    static const std::vector<std::string> words{"started", "sent", "received"};
    const auto known = std::find(words.begin(), words.end(), word);
    if (known == words.end())
      throw InputError(where, fmt::format("after: unknown event '{}'{}; valid is started, sent, received", word,
                                          did_you_mean(word, words)));
    return static_cast<Event>(known - words.begin());
  }

  using Indices = std::map<std::string, std::uint16_t, std::less<>>;
  static std::uint16_t index(Indices& seen, const Context::IndexOf& index_of, const std::string& text,
                             std::string_view column, const Where& where) {
    if (const auto known = seen.find(text); known != seen.end()) return known->second;
    if (!index_of) throw InputError(where, fmt::format("column '{}' cannot be used here; remove it", column));
    return seen[text] = index_of(text, where);
  }

  const std::string& file_;
  const Context& context_;
  std::vector<Program::Node> nodes_;
  std::vector<std::int64_t> ids_;  // by node
  std::vector<int> lines_;
  std::unordered_map<std::int64_t, std::uint32_t> node_of_;
  std::vector<Named> after_;
  Indices tags_;
  Indices profiles_;
};

}  // namespace

Program parse_program(std::string_view text, const std::string& file, const Context& context) {
  return ProgramReader(file, context).read(text);
}

Program read_program(const ProgramFile& params, const Context& context) {
  if (params.file.empty()) throw InputError("file", "missing; name a CSV file of messages");
  const auto path = (std::filesystem::path(context.folder) / params.file).string();
  Program out = parse_program(read_named_file(path, "a CSV file of messages", "file"), path, context);
  if (out.empty()) throw InputError(Where{path, 0}, "a header and no rows; write at least one message");
  return out;
}

}  // namespace weir::traffic
