#include "weir/study/figure_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "weir/study/measure.h"

namespace weir::study {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

template <std::size_t n>
std::string_view find(const std::array<Words, n>& list, std::string_view key) {
  for (const auto& [name, words] : list)
    if (name == key) return words;
  return {};
}

constexpr std::array<Words, 5> kColumns{{{"slowdown", "FCT slowdown"},
                                         {"fct_ps", "completion time"},
                                         {"jain", "Jain's index"},
                                         {"jain_pacing", "Jain's index of pacing rates"},
                                         {"queue_bytes", "queue"}}};

// Distributions of summary.json.
constexpr std::array<Words, 2> kDistributions{{{"slowdown", "FCT slowdown"}, {"queues", "queue"}}};

// Other values of summary.json.
constexpr std::array<Words, 10> kKeys{{{"flows.mean_fct_ps", "mean completion time"},
                                       {"flows.max_fct_ps", "largest completion time"},
                                       {"flows.last_finish_ps", "finish of the last flow"},
                                       {"fairness.mean_jain", "mean of Jain's index"},
                                       {"fairness.min_jain", "smallest of Jain's index"},
                                       {"fairness.convergence_ps", "time to fairness"},
                                       {"fairness.flows.min_over_max", "least over largest rate of flows"},
                                       {"fairness.senders.min_over_max", "least over largest rate of senders"},
                                       {"fairness.flows.jain", "Jain's index of flows"},
                                       {"fairness.senders.jain", "Jain's index of senders"}}};

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto dot = path.find('.');
    out.push_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return out;
    path.remove_prefix(dot + 1);
  }
}

std::string_view without_unit(std::string_view name) {
  for (const std::string_view unit : {"_ps", "_bytes", "_bps"})
    if (name.ends_with(unit)) return name.substr(0, name.size() - unit.size());
  return name;
}

// "FCT slowdown of web, 95th percentile" of slowdown.by_tag.web.p95.
std::string key_in_words(std::string_view key) {
  if (const auto known = find(kKeys, key); !known.empty()) return std::string(known);
  const auto parts = parts_of(key);
  const std::string_view last = parts.back();
  std::string what = with_spaces(without_unit(last));
  if (const auto quantity = find(kDistributions, parts.front()); !quantity.empty() && parts.size() > 2) {
    const auto statistic = statistic_of_key(last);
    what = fmt::format("{}, {}", quantity, statistic ? in_words(*statistic) : what);
  }
  // a name stands between the kind of part and the value, and may have dots
  constexpr std::array<Words, 4> kNamed{
      {{"by_tag", "of"}, {"by_algorithm", "of"}, {"by_tier", "of tier"}, {"by_direction", "of"}}};
  if (parts.size() < 4) return what;
  const auto of = find(kNamed, parts[1]);
  if (of.empty()) return what;
  const std::size_t begin = parts[0].size() + parts[1].size() + 2;
  const std::string_view name = key.substr(begin, key.size() - begin - last.size() - 1);
  const auto comma = std::min(what.find(','), what.size());
  return fmt::format("{} {} {}{}", what.substr(0, comma), of, name, what.substr(comma));
}

}  // namespace

std::string quantity_of_column(std::string_view column) {
  const auto known = find(kColumns, column);
  return known.empty() ? with_spaces(without_unit(column)) : std::string(known);
}

std::string in_words(const Statistic& statistic) {
  using Kind = Statistic::Kind;
  switch (statistic.kind) {
    case Kind::mean: return "mean";
    case Kind::geomean: return "geometric mean";
    case Kind::min: return "smallest value";
    case Kind::max: return "largest value";
    case Kind::count: return "number";
    case Kind::sum: return "sum";
    case Kind::std: return "standard deviation";
    case Kind::percentile: break;
  }
  if (statistic.thousandths == 500) return "median";
  constexpr std::array<const char*, 4> kOrdinals{"th", "st", "nd", "rd"};
  const unsigned whole = statistic.thousandths / 10;
  const unsigned last = statistic.thousandths % 10 != 0 || whole / 10 == 1 ? 0 : whole % 10;
  return fmt::format("{:g}{} percentile", statistic.thousandths / 10.0, kOrdinals[last < kOrdinals.size() ? last : 0]);
}

std::string in_words(const FlowFilter& f) {
  std::string out;
  if (!f.tag.empty()) out += " of " + f.tag;
  if (!f.algorithm.empty()) out += fmt::format("{} {}", f.tag.empty() ? " of" : " under", f.algorithm);
  if (f.src >= 0) out += fmt::format(" from host {}", f.src);
  if (f.dst >= 0) out += fmt::format(" to host {}", f.dst);
  if (f.above > Bytes{}) out += fmt::format(", above {}", format_value(f.above));
  if (f.up_to > Bytes{}) out += fmt::format(", up to {}", format_value(f.up_to));
  if (f.from > Time{}) out += fmt::format(", from {} on", format_value(f.from));
  if (f.until > Time{}) out += fmt::format(", before {}", format_value(f.until));
  return out;
}

std::string with_spaces(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

std::string Measure::in_words() const {
  if (!params.key.empty()) return key_in_words(params.key);
  if (kind->name == "recovery") return "recovery of " + quantity_of_column(params.column);
  const bool requests = kind->name == "requests";
  std::string of = requests ? " of requests" : "";
  const bool queues = kind->name == "queues";
  if (queues && params.tier != "all") of += fmt::format(" of tier {}", params.tier);
  of += study::in_words(params.filter);
  if (statistic.kind == Statistic::Kind::count)
    return fmt::format("number of {}{}",
                       queues                ? "samples"
                       : requests            ? "requests"
                       : params.file.empty() ? "flows"
                                             : "rows",
                       requests ? study::in_words(params.filter) : of);
  const auto quantity =
      is_of_pairs() ? "ratio of completion times" : quantity_of_column(queues ? "queue_bytes" : params.column);
  return fmt::format("{}{}, {}", quantity, of, study::in_words(statistic));
}

}  // namespace weir::study
