#include "weir/study/nccl_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "weir/scenario/build.h"
#include "weir/traffic/collectives.h"

namespace weir::study {
namespace {

using traffic::Collective;
using traffic::Operation;

// Of a `float`, which nccl-tests takes unless told otherwise.
constexpr std::int64_t kElement = 4;

bool is_one_of(Operation operation, std::initializer_list<Operation> some) {
  return std::find(some.begin(), some.end(), operation) != some.end();
}

// Those whose count nccl-tests tells of a whole buffer; of others it is that of a rank's part.
bool counts_all(Operation operation) {
  return is_one_of(operation, {Operation::ring_all_reduce, Operation::halving_doubling_all_reduce,
                               Operation::hierarchical_all_reduce, Operation::tree_all_reduce,
                               Operation::in_switch_all_reduce, Operation::ring_broadcast, Operation::ring_reduce});
}

bool reduces(Operation operation) {
  return is_one_of(operation, {Operation::ring_reduce_scatter, Operation::pat_reduce_scatter,
                               Operation::in_switch_reduce_scatter}) ||
         (counts_all(operation) && operation != Operation::ring_broadcast);
}

bool has_root(Operation operation) {
  return is_one_of(operation,
                   {Operation::ring_broadcast, Operation::ring_reduce, Operation::gather, Operation::scatter});
}

const scenario::TrafficSource* collective_of(const scenario::Scenario& s) {
  const auto found = std::find_if(s.traffic.begin(), s.traffic.end(),
                                  [](const auto& source) { return source.kind->name == "collective"; });
  return found == s.traffic.end() ? nullptr : &*found;
}

// With as many decimals as the width has room for, as nccl-tests prints it.
std::string number_in(double value, std::size_t width) {
  for (const int decimals : {2, 1, 0})
    if (std::string out = fmt::format("{:{}.{}f}", value, width, decimals); out.size() <= width) return out;
  return fmt::format("{:{}.{}e}", value, width, width >= 7 ? 1 : 0);
}

// What a row begins with.
std::string operation_text(const scenario::Scenario& s, const Collective& c, std::int64_t size) {
  const std::uint32_t hosts = scenario::build_topology(s).hosts;
  traffic::Context context;
  context.host_rates.resize(hosts);
  const std::size_t ranks =
      c.ranks > 0 ? c.ranks : traffic::hosts_of_job(c.hosts, c.places, c.placement, c.group, context).size();
  const std::int64_t parts = counts_all(c.operation) ? 1 : static_cast<std::int64_t>(ranks);
  return fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:6}", size, size / kElement / parts, "float",
                     reduces(c.operation) ? "sum" : "none",
                     has_root(c.operation) ? static_cast<std::int64_t>(c.root) : -1);
}

constexpr std::string_view kHead =
    "#       size         count      type   redop    root     time   algbw   busbw\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n";

// The mean over seeds; nothing where no run has it.
std::optional<double> mean_of(const Measurements& measured, std::size_t point, std::string_view name) {
  for (std::size_t m = 0; m < measured.study.measures.size(); ++m)
    if (measured.study.measures[m].name() == name)
      if (const auto v = measured.over_seeds(point, m)) return v->mean;
  return std::nullopt;
}

// Labels of axes by which sizes do not differ: "algorithm=hpcc, channels=2".
std::string series_of(const Study& study, const Point& point) {
  std::string out;
  for (std::size_t a = 0; a < study.axes.size(); ++a) {
    const AxisPoint& at = study.axes[a].points[point[a]];
    const bool sizes =
        std::any_of(at.set.begin(), at.set.end(), [](const Override& o) { return o.key.ends_with(".size"); });
    if (!sizes) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", study.axes[a].name, at.label);
  }
  return out;
}

}  // namespace

std::string_view nccl_measures() {
  return R"(
    [[measure]]
    name = "buffer"
    of = "summary"
    key = "collectives.0.buffer_bytes"
    unit = "B"
    [[measure]]
    name = "time"
    of = "summary"
    key = "collectives.0.completion_ps"
    unit = "ps"
    [[measure]]
    name = "algbw"
    of = "summary"
    key = "collectives.0.algorithm_bandwidth_bps"
    unit = "bit/s"
    [[measure]]
    name = "busbw"
    of = "summary"
    key = "collectives.0.bus_bandwidth_bps"
    unit = "bit/s"
  )";
}

void check_nccl_table(const Plan& plan, std::size_t run, const scenario::Scenario& s, const traffic::Traffic& traffic) {
  const auto& parts = traffic.program().parts();
  std::size_t collectives = parts.size();
  double factor = parts.empty() ? 0 : parts[0].bus_factor;
  for (const auto& driver : traffic.drivers())
    if (const auto sums = driver->sums()) {
      factor = sums->bus_factor;
      ++collectives;
    }
  if (collectives == 1 && collective_of(s) != nullptr && factor > 0) return;
  const std::string at =
      plan.study.axes.empty() ? "" : " at point " + plan.study.describe(plan.points[plan.runs[run].point]);
  throw scenario::key_error(
      plan.study.where, "study.table",
      fmt::format("\"nccl-tests\" tells of one collective operation with a bandwidth, of kind = \"collective\", and "
                  "there {}{}; leave this out, or the others",
                  collectives == 1 ? "is another one" : fmt::format("are {}", collectives), at));
}

std::string nccl_table(const Plan& plan, const Measurements& measured) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> series;  // in the order in which they come
  for (std::size_t p = 0; p < measured.points.size(); ++p) {
    const std::string name = series_of(measured.study, measured.points[p]);
    auto found = std::find_if(series.begin(), series.end(), [&](const auto& one) { return one.first == name; });
    if (found == series.end()) found = series.insert(series.end(), {name, {}});
    found->second.push_back(p);
  }
  std::string out;
  for (const auto& [name, points] : series) {
    if (!out.empty()) out += "\n";
    if (!name.empty()) out += fmt::format("# {}\n", name);
    out += kHead;
    double sum = 0;
    std::size_t rows = 0;
    for (const std::size_t p : points) {
      const auto s = plan.scenario(p * plan.seeds);
      const auto& c = *static_cast<const Collective*>(collective_of(s)->params.get());
      const auto buffer = mean_of(measured, p, "buffer");
      const auto time = mean_of(measured, p, "time");
      const auto algorithm = mean_of(measured, p, "algbw");
      const auto bus = mean_of(measured, p, "busbw");
      const double size = buffer.value_or(static_cast<double>(c.size.count) * c.repeat) / c.repeat;
      out += operation_text(s, c, static_cast<std::int64_t>(size));
      if (buffer && time && algorithm && bus) {
        const double us = *time / c.repeat * 1e-6;
        const double rate = size / us * 1e-3;
        out +=
            fmt::format("  {}  {}  {}\n", number_in(us, 7), number_in(rate, 6), number_in(rate * *bus / *algorithm, 6));
        sum += rate * *bus / *algorithm;
        ++rows;
      } else {
        out += fmt::format("  {:>7}  {:>6}  {:>6}\n", "N/A", "N/A", "N/A");
      }
    }
    if (rows > 0) out += fmt::format("# Avg bus bandwidth    : {:g}\n", sum / static_cast<double>(rows));
  }
  return out;
}

}  // namespace weir::study
