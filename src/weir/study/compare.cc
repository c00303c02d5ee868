#include "weir/study/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "weir/base/random.h"
#include "weir/study/run_differences.h"

namespace weir::study {
namespace {

constexpr std::string_view kFlowsFile = "flows.csv";

struct Listed {
  std::int64_t id = 0;
  FlowRow row;
};

// The rows of flows.csv in order of flow_id. `tags` holds the texts of their tags.
std::vector<Listed> listed(const RunFiles& files, std::set<std::string, std::less<>>& tags) {
  if (!files.has(kFlowsFile))
    throw InputError(
        fmt::format("{} has kept no {}; write keep = [\"{}\"] in [study] and run such results again with --fresh",
                    files.directory().path(), kFlowsFile, kFlowsFile));
  std::vector<Listed> out;
  result::Rows rows = files.rows(kFlowsFile, {"flow_id", "src", "dst", "size_bytes", "start_ps", "fct_ps", "tag"});
  while (rows.next()) {
    const auto tag = tags.insert(rows.text(6)).first;
    FlowRow row;
    row.tag = *tag;
    row.src = static_cast<std::int64_t>(rows.number(1));
    row.dst = static_cast<std::int64_t>(rows.number(2));
    row.size = rows.number(3);
    row.start = rows.number(4);
    row.value = rows.number(5);
    out.push_back({static_cast<std::int64_t>(rows.number(0)), row});
  }
  std::sort(out.begin(), out.end(), [](const Listed& a, const Listed& b) { return a.id < b.id; });
  return out;
}

// Of messages that wait for each other, whose start depends on the run.
std::set<std::string, std::less<>> waiting_tags(const RunFiles& files) {
  std::set<std::string, std::less<>> out;
  const auto summary = files.document("summary.json");
  if (const auto list = summary.find("collectives"); list != summary.end() && list->is_array())
    for (const auto& c : *list) out.insert(c.value("tag", ""));
  return out;
}

// How a flow of one run differs from that of the same number in the other; "" if it does not.
std::string difference(const FlowRow& a, const FlowRow& b, bool any_start) {
  const auto differs = [](const char* what, double x, double y) {
    return fmt::format("{} {:.0f} and {:.0f}", what, x, y);
  };
  if (a.src != b.src) return differs("senders", static_cast<double>(a.src), static_cast<double>(b.src));
  if (a.dst != b.dst) return differs("receivers", static_cast<double>(a.dst), static_cast<double>(b.dst));
  if (a.size != b.size) return differs("sizes", a.size, b.size);
  if (a.tag != b.tag) return fmt::format("tags '{}' and '{}'", a.tag, b.tag);
  if (a.start != b.start && !any_start) return differs("starts", a.start, b.start) + " ps";
  return "";
}

// Sums of logarithms of ratios over some flows that follow one another.
struct Block {
  double sum = 0;
  double n = 0;
};

std::vector<Block> blocks_of(const std::vector<double>& logs) {
  const std::size_t count = std::min(logs.size(), kBlocks);
  std::vector<Block> out(count);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    Block& block = out[i * count / logs.size()];
    block.sum += logs[i];
    block.n += 1;
  }
  return out;
}

// The geometric means of resampled blocks, ascending.
std::vector<double> resampled(const std::vector<Block>& blocks) {
  const RandomStream random(0, 0, Purpose::resampling);
  std::vector<double> out;
  out.reserve(kResamples);
  std::uint64_t drawn = 0;
  for (std::size_t i = 0; i < kResamples; ++i) {
    Block all;
    for (std::size_t j = 0; j < blocks.size(); ++j) {
      const Block& block = blocks[random.below(drawn++, blocks.size())];
      all.sum += block.sum;
      all.n += block.n;
    }
    out.push_back(std::exp(all.sum / all.n));
  }
  std::sort(out.begin(), out.end());
  return out;
}

double mean_of(std::span<const Ratios> seeds, double Ratios::*value) {
  double sum = 0;
  double n = 0;
  for (const Ratios& r : seeds)
    if (!std::isnan(r.*value)) {
      sum += r.*value;
      n += 1;
    }
  return n > 0 ? sum / n : kNoValue;
}

}  // namespace

bool FlowPair::finished() const { return !std::isnan(row.value) && !std::isnan(other); }

PairedFlows pair_flows(const RunFiles& base, const RunFiles& other) {
  PairedFlows out;
  const auto a = listed(base, out.tags);
  const auto b = listed(other, out.tags);
  const auto waiting = waiting_tags(base);
  auto second = b.begin();
  for (const Listed& first : a) {
    while (second != b.end() && second->id < first.id) {
      ++out.only_other;
      ++second;
    }
    if (second == b.end() || second->id != first.id) {
      ++out.only_base;
      continue;
    }
    const auto why = difference(first.row, second->row, waiting.count(first.row.tag) > 0);
    if (!why.empty()) {
      const std::string load = load_text(differences(base, other));
      throw InputError(fmt::format(
          "{} and {} are not of the same flows: flow {} has {}; compare runs with the same traffic and seed{}",
          base.directory().path(), other.directory().path(), first.id, why,
          load.empty() ? "" : fmt::format(" (these differ in {})", load)));
    }
    out.flows.push_back({first.row, second->row.value});
    ++second;
  }
  out.only_other += static_cast<std::size_t>(b.end() - second);
  return out;
}

Ratios compare(std::span<const FlowPair* const> flows) {
  Ratios out;
  std::vector<double> logs;
  std::vector<Counted> ratios;
  double slower = 0;
  double faster = 0;
  double error = 0;
  double worst = 0;
  for (const FlowPair* pair : flows) {
    const bool in_base = !std::isnan(pair->row.value);
    const bool in_other = !std::isnan(pair->other);
    out.unfinished_base += !in_base && in_other;
    out.unfinished_other += in_base && !in_other;
    out.unfinished_both += !in_base && !in_other;
    if (!pair->finished()) continue;
    ratios.push_back({pair->ratio()});
    logs.push_back(std::log(pair->ratio()));
    error += std::abs(pair->ratio() - 1);
    worst = std::max(worst, std::abs(pair->ratio() - 1));
    slower += pair->other > pair->row.value ? 1 : 0;
    faster += pair->other < pair->row.value ? 1 : 0;
  }
  out.n = logs.size();
  if (logs.empty()) return out;
  out.median = statistic_of(ratios, {Statistic::Kind::percentile, 500});
  out.geomean = statistic_of(ratios, {Statistic::Kind::geomean});
  out.slower = slower / static_cast<double>(out.n);
  out.faster = faster / static_cast<double>(out.n);
  out.mean_error = error / static_cast<double>(out.n);
  out.worst_error = worst;
  if (out.n < 2) return out;
  const auto means = resampled(blocks_of(logs));
  out.low = means[kResamples / 40];  // 2.5 % at each end
  out.high = means[kResamples - 1 - kResamples / 40];
  return out;
}

Ratios over_seeds(std::span<const Ratios> seeds) {
  Ratios out;
  std::vector<double> means;
  for (const Ratios& r : seeds) {
    out.n += r.n;
    out.unfinished_base += r.unfinished_base;
    out.unfinished_other += r.unfinished_other;
    out.unfinished_both += r.unfinished_both;
    if (!std::isnan(r.geomean)) means.push_back(r.geomean);
    if (!std::isnan(r.worst_error)) out.worst_error = std::fmax(out.worst_error, r.worst_error);
  }
  if (means.empty()) return out;
  const Interval interval = geometric_confidence(means);
  out.geomean = interval.mean;
  out.low = interval.low;
  out.high = interval.high;
  out.median = mean_of(seeds, &Ratios::median);
  out.slower = mean_of(seeds, &Ratios::slower);
  out.faster = mean_of(seeds, &Ratios::faster);
  out.mean_error = mean_of(seeds, &Ratios::mean_error);
  return out;
}

}  // namespace weir::study
