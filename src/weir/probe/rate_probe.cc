#include "weir/probe/rate_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "weir/probe/statistics.h"

namespace weir::probe {
namespace {

std::int64_t rate_bps(std::int64_t bytes, Time span) {
  return static_cast<std::int64_t>(static_cast<__int128>(bytes) * 8 * kPicosecondsPerSecond / span.ps);
}

Shares shares_of(const std::vector<double>& rates) {
  Shares out;
  if (rates.empty()) return out;
  out.count = rates.size();
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  out.least_bps = *least;
  out.most_bps = *most;
  out.mean_bps = std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
  if (*most <= 0) return out;
  out.min_over_max = *least / *most;
  out.jain = jain(rates);
  return out;
}

}  // namespace

void Convergence::add(Time begin, Time end, double index, Time last_start) {
  if (last_start != last_start_) {
    last_start_ = last_start;
    high_since_.reset();
    time_.reset();
  }
  if (time_ || begin < last_start) return;
  if (index < threshold_) {
    high_since_.reset();
    return;
  }
  if (!high_since_) high_since_ = end;
  if (end - *high_since_ >= hold_) time_ = *high_since_ - last_start;
}

void RateProbe::check(const Params& params, const Checks& checks) {
  const auto& tags = checks.setting.tags;
  if (params.tag.empty() || std::find(tags.begin(), tags.end(), params.tag) != tags.end()) return;
  checks.of_key("tag", [&] {
    throw InputError(fmt::format("no traffic has the tag '{}'; tags are {}", params.tag, fmt::join(tags, ", ")));
  });
}

void RateProbe::add_possible(const Params&, const Setting&, Summary& out) {
  out.fairness.emplace().intervals = 1;
  out.fairness->convergence = Time{};
  out.fairness->flows.count = 1;
  out.fairness->senders.count = 1;
}

RateProbe::RateProbe(const Params& params, const Context& context)
    : params_(params), simulation_(context.engine), convergence_(params.threshold, params.hold) {
  const auto& tags = context.tags;
  if (!params.tag.empty())
    tag_ = static_cast<std::uint16_t>(std::find(tags.begin(), tags.end(), params.tag) - tags.begin());
  simulation_.every(params.interval, [this](Time now) { sample(now); });
  if (context.out == nullptr) return;
  fairness_.emplace(context.out->table("fairness.csv"));
  if (!params.series) return;
  rates_.emplace(context.out->table("rates.csv"));
}

void RateProbe::on_finish(const host::FlowRecord& r) {
  if (!wanted(r.tag)) return;
  last_start_ = std::max(last_start_, r.start);
  finished_.push_back({.id = r.id,
                       .src = r.src,
                       .acked = r.size.count,
                       .start = r.start,
                       .pacing = {},
                       .window = {},
                       .finished = true});
}

std::vector<RateProbe::Active> RateProbe::look() const {
  std::vector<Active> flows;
  simulation_.for_each_active([&](const host::FlowView& f) {
    if (wanted(f.tag))
      flows.push_back({.id = f.id,
                       .src = f.src,
                       .acked = f.acknowledged.count,
                       .start = f.start,
                       .pacing = f.rate,
                       .window = f.window});
  });
  std::sort(flows.begin(), flows.end(), [](const Active& a, const Active& b) { return a.id < b.id; });
  return flows;
}

void RateProbe::sample(Time now) {
  if (now < params_.start || (params_.stop.ps != 0 && now > params_.stop)) {
    finished_.clear();
    return;
  }
  std::vector<Active> flows = look();
  for (const auto& f : flows) last_start_ = std::max(last_start_, f.start);
  if (!last_) {
    begin_ = now;
    first_ = flows;
  }
  if (last_) {
    std::vector<Active> both;
    std::sort(finished_.begin(), finished_.end(), [](const Active& a, const Active& b) { return a.id < b.id; });
    std::merge(flows.begin(), flows.end(), finished_.begin(), finished_.end(), std::back_inserter(both),
               [](const Active& a, const Active& b) { return a.id < b.id; });
    write_interval(*last_, now, both);
    if (now - *last_ == params_.interval) write_fairness(*last_, now);
  }
  last_ = now;
  before_ = std::move(flows);
  finished_.clear();
}

void RateProbe::write_interval(Time begin, Time end, const std::vector<Active>& flows) {
  delivered_.clear();
  pacing_.clear();
  auto old = before_.begin();
  for (const Active& f : flows) {
    while (old != before_.end() && old->id < f.id) ++old;
    const std::int64_t acked = f.acked - (old != before_.end() && old->id == f.id ? old->acked : 0);
    if (!f.finished && f.start <= begin) {
      delivered_.push_back(static_cast<double>(acked));
      pacing_.push_back(static_cast<double>(f.pacing.bits_per_second));
    }
    if (!rates_) continue;
    rates_->print("{},{},{},", end.ps, f.id, rate_bps(acked, end - begin));
    if (f.pacing.bits_per_second != 0) rates_->print("{}", f.pacing.bits_per_second);
    rates_->write(",");
    if (!f.finished && f.window != cc::kNoWindow) rates_->print("{}", f.window.count);
    rates_->write("\n");
  }
}

void RateProbe::write_fairness(Time begin, Time end) {
  const double index = jain(delivered_);
  const bool paced = std::find(pacing_.begin(), pacing_.end(), 0.0) == pacing_.end();
  if (fairness_) {
    fairness_->print("{},{},", end.ps, delivered_.size());
    if (index >= 0) fairness_->print("{:.7g}", index);
    fairness_->write(",");
    if (paced && !pacing_.empty()) fairness_->print("{:.7g}", jain(pacing_));
    fairness_->write("\n");
  }
  // One flow alone is always fair and says nothing.
  const bool telling = delivered_.size() >= 2 && index >= 0;
  convergence_.add(begin, end, telling ? index : -1, last_start_);
  if (!telling) return;
  ++summary_.intervals;
  jain_sum_ += index;
  summary_.min_jain = summary_.intervals == 1 ? index : std::min(summary_.min_jain, index);
}

void RateProbe::share() {
  summary_.begin = begin_;
  summary_.end = last_.value_or(begin_);
  if (summary_.end == summary_.begin) return;
  std::vector<double> flows;
  std::map<std::uint32_t, double> senders;
  auto now = before_.begin();
  for (const Active& f : first_) {
    while (now != before_.end() && now->id < f.id) ++now;
    if (now == before_.end()) break;
    if (now->id != f.id) continue;
    flows.push_back(static_cast<double>(rate_bps(now->acked - f.acked, summary_.end - summary_.begin)));
    senders[f.src] += flows.back();
  }
  summary_.flows = shares_of(flows);
  std::vector<double> of_senders;
  for (const auto& [src, rate] : senders) of_senders.push_back(rate);
  summary_.senders = shares_of(of_senders);
}

void RateProbe::finish(Summary& out) {
  // What was delivered since the last sample, in an interval that may be shorter.
  if (last_ && *last_ < simulation_.now()) sample(simulation_.now());
  if (rates_) rates_->close();
  if (fairness_) fairness_->close();
  summary_.interval = params_.interval;
  summary_.last_start = last_start_;
  summary_.convergence = convergence_.time();
  if (summary_.intervals > 0) summary_.mean_jain = jain_sum_ / static_cast<double>(summary_.intervals);
  share();
  out.fairness = summary_;
}

}  // namespace weir::probe
