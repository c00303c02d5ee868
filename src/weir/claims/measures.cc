#include "weir/claims/measures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "weir/base/units.h"
#include "weir/probe/rate_probe.h"
#include "weir/probe/statistics.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

constexpr double kFair = 0.95;
constexpr Time kHold = 50_us;

double mean(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

std::vector<double> ranks(std::span<const double> x) {
  std::vector<double> out;
  for (const double v : x) {
    const auto below = std::count_if(x.begin(), x.end(), [v](double w) { return w < v; });
    const auto alike = std::count(x.begin(), x.end(), v);
    out.push_back(static_cast<double>(below) + static_cast<double>(alike + 1) / 2);
  }
  return out;
}

double index_of(std::span<const double> shares) { return shares.size() < 2 ? -1 : probe::jain(shares); }

}  // namespace

double rank_correlation(std::span<const double> x, std::span<const double> y) {
  return linear_correlation(ranks(x), ranks(y));
}

double linear_correlation(std::span<const double> x, std::span<const double> y) {
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double covariance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) covariance += (x[i] - mean_x) * (y[i] - mean_y);
  const double scale = deviation(x) * deviation(y) * static_cast<double>(x.size());
  return scale == 0 ? 0 : covariance / scale;
}

double deviation(std::span<const double> x) {
  const double m = mean(x);
  double squares = 0;
  for (const double v : x) squares += (v - m) * (v - m);
  return std::sqrt(squares / static_cast<double>(x.size()));
}

double percentile(std::vector<double> x, unsigned thousandths) {
  std::sort(x.begin(), x.end());
  return probe::percentile(std::span<const double>(x), thousandths);
}

int turns(std::span<const double> curve, double amplitude) {
  int count = 0;
  int direction = 0;
  double low = curve.front();
  double high = curve.front();
  for (const double v : curve) {
    low = std::min(low, v);
    high = std::max(high, v);
    const int now = v >= low + amplitude ? 1 : v <= high - amplitude ? -1 : direction;
    if (now == direction) continue;
    if (direction != 0) ++count;
    direction = now;
    low = high = v;
  }
  return count;
}

void Shares::add(Time now, const host::FlowView& f) {
  if (instants_.empty() || instants_.back().time != now) instants_.push_back({.time = now, .flows = {}});
  instants_.back().flows.push_back(
      {.src = f.src, .start = f.start, .acked = f.in_order.count, .rate = static_cast<double>(f.rate.bits_per_second)});
}

std::vector<Index> index_of_rates(const Shares& shares) {
  std::vector<Index> out;
  Time before;
  for (const auto& [time, flows] : shares.instants()) {
    std::vector<double> rates;
    for (const Share& f : flows) rates.push_back(f.rate);
    out.push_back({before, time, index_of(rates)});
    before = time;
  }
  return out;
}

std::vector<Index> index_of_deliveries(const Shares& shares, Time interval) {
  std::vector<Index> out;
  std::map<std::uint32_t, std::int64_t> before;
  for (const auto& [time, flows] : shares.instants()) {
    if (time.ps % interval.ps != 0) continue;
    const Time begin = time - interval;
    std::vector<double> delivered;
    std::map<std::uint32_t, std::int64_t> acked;
    for (const Share& f : flows) {
      acked[f.src] = f.acked;
      if (f.start <= begin) delivered.push_back(static_cast<double>(f.acked - before[f.src]));
    }
    if (begin >= Time{}) out.push_back({begin, time, index_of(delivered)});
    before = std::move(acked);
  }
  return out;
}

Time time_to_fairness(std::span<const Index> series, Time last_start) {
  probe::Convergence convergence(kFair, kHold);
  for (const Index& i : series) convergence.add(i.begin, i.end, i.value, last_start);
  return convergence.time().value_or(Time::max());
}

double mean_index(std::span<const Index> series, Time from, Time to) {
  std::vector<double> values;
  for (const Index& i : series)
    if (i.begin >= from && i.end <= to && i.value >= 0) values.push_back(i.value);
  return mean(values);
}

}  // namespace weir::claims
