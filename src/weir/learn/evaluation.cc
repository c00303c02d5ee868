#include "weir/learn/evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/learn/environment.h"

namespace weir::learn {
namespace {

constexpr int kSamples = 100;

struct Account {
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  Bytes wire;  // of a full packet
  double base_rtt = 0;
  double sum = 0;  // of rates, as shares of the line rate, and of their squares
  double squares = 0;
  int samples = 0;
  std::int64_t acknowledged = -1;  // at the first sample
  std::int64_t goodput = 0;
};

struct Spread {
  double least_by_most = 0;
  double jain = 0;
};

Spread spread_of(const std::vector<double>& values) {
  double least = values.front(), most = least, sum = 0, squares = 0;
  for (const double v : values) {
    least = std::min(least, v);
    most = std::max(most, v);
    sum += v;
    squares += v * v;
  }
  if (squares <= 0) return {};
  return {least / most, sum * sum / (static_cast<double>(values.size()) * squares)};
}

class Meter {
 public:
  Meter(engine::Engine& engine, const EvaluationOptions& options) : engine_(engine), options_(options) {
    for (std::uint32_t p = 0; p < engine.network().ports(); ++p)
      if (const auto facts = engine.network().port(p);
          facts.from >= engine.network().hosts() && facts.to < engine.network().hosts())
        links_.emplace(facts.to, Link{.port = p, .rate = facts.rate});
  }

  void begin() {
    for (auto& [host, link] : links_) link.sent = engine_.port_figures(link.port).sent_bytes;
    begin_ = engine_.now();
    dropped_ = engine_.counters().dropped;
  }

  void sample() {
    std::map<std::uint32_t, std::uint32_t> flows;  // by receiver
    engine_.for_each_active([&](const host::FlowView& flow) { ++flows[flow.dst]; });
    engine_.for_each_active([&](const host::FlowView& flow) {
      Account& a = accounts_[flow.id];
      const double rate =
          static_cast<double>(flow.rate.bits_per_second) / static_cast<double>(flow.line_rate.bits_per_second);
      a.src = flow.src;
      a.dst = flow.dst;
      a.wire = flow.wire;
      a.base_rtt = flow.base_rtt.seconds();
      a.sum += rate;
      a.squares += rate * rate;
      ++a.samples;
      const std::int64_t acknowledged = flow.acknowledged.count;
      if (a.acknowledged < 0) a.acknowledged = acknowledged;
      a.goodput = acknowledged - a.acknowledged;
      errors_ += std::fabs(rate * flows[flow.dst] - 1);
      ++error_samples_;
    });
    for (auto& [host, link] : links_)
      link.queued += static_cast<double>(engine_.queued_bytes(link.port)) / link.rate.bytes_per_second();
    ++samples_;
  }

  void finish(Evaluation& out) {
    out.dropped_before = dropped_;
    out.dropped = engine_.counters().dropped - dropped_;
    out.rate_error = error_samples_ > 0 ? errors_ / static_cast<double>(error_samples_) : 0;
    double links = 0;
    for (const auto& [host, link] : links_) links += finish_link(host, link, out);
    if (links == 0) return;
    for (double* v : {&out.utilisation, &out.fairness, &out.jain, &out.host_fairness, &out.host_jain,
                      &out.goodput_fairness, &out.queue, &out.expected_queue})
      *v /= links;
    double oscillation = 0;
    double flows = 0;
    for (const auto& [id, a] : accounts_) {
      const double mean = a.sum / a.samples;
      if (mean > 0) oscillation += std::sqrt(std::max(a.squares / a.samples - mean * mean, 0.0)) / mean;
      ++flows;
    }
    out.oscillation = oscillation / flows;
  }

 private:
  struct Link {
    std::uint32_t port = 0;
    Rate rate;
    std::uint64_t sent = 0;
    double queued = 0;
  };

  // 1 if flows send there.
  double finish_link(std::uint32_t host, const Link& link, Evaluation& out) {
    std::vector<double> rates, goodputs;
    std::map<std::uint32_t, double> by_host;
    double base_rtt = 0;
    Bytes wire;
    for (const auto& [id, a] : accounts_) {
      if (a.dst != host) continue;
      wire = a.wire;
      rates.push_back(a.sum / a.samples);
      goodputs.push_back(static_cast<double>(a.goodput));
      by_host[a.src] += rates.back();
      base_rtt += a.base_rtt;
    }
    if (rates.empty()) return 0;
    const double flows = static_cast<double>(rates.size());
    base_rtt /= flows;
    out.flows += rates.size();
    std::vector<double> host_rates;
    for (const auto& [src, rate] : by_host) host_rates.push_back(rate);
    const Spread by_flow = spread_of(rates), hosts = spread_of(host_rates);
    out.fairness += by_flow.least_by_most;
    out.jain += by_flow.jain;
    out.host_fairness += hosts.least_by_most;
    out.host_jain += hosts.jain;
    out.goodput_fairness += spread_of(goodputs).least_by_most;
    const double span = (engine_.now() - begin_).seconds();
    out.utilisation += static_cast<double>(engine_.port_figures(link.port).sent_bytes - link.sent) /
                       link.rate.bytes_per_second() / span;
    out.queue += link.queued / samples_;
    out.expected_queue += policy::queue_at(options_.signal, 1 / flows, Time{std::llround(base_rtt * 1e12)},
                                           transmission_time(wire, link.rate));
    return 1;
  }

  engine::Engine& engine_;
  const EvaluationOptions& options_;
  std::map<std::uint32_t, Link> links_;        // by receiver
  std::map<std::uint64_t, Account> accounts_;  // by flow
  Time begin_;
  std::uint64_t dropped_ = 0;
  double errors_ = 0;
  std::uint64_t error_samples_ = 0;
  int samples_ = 0;
};

}  // namespace

double Evaluation::score() const {
  double out = 1 - (1 - std::min(utilisation, 1.0)) - (1 - fairness) - 4 * rate_error - (dropped > 0 ? 0.2 : 0);
  if (expected_queue > 0) out -= 0.5 * std::min(std::fabs(queue / expected_queue - 1), 1.0);
  return out;
}

Evaluation evaluate(const World& world, const MakeActor& make, const FirstRates& loads,
                    const EvaluationOptions& options) {
  const double share = world.flows > 0 ? 1 / static_cast<double>(world.flows) : 1;
  const auto actor = make(RandomStream(options.seed, 1, Purpose::learning), {loads.low * share, loads.high * share});
  actor->note(false);
  Environment environment(world, *actor, options.seed, options.spread);
  engine::Engine& engine = environment.engine();
  const Time measured{static_cast<std::int64_t>(static_cast<double>(options.duration.ps) * options.measured)};
  // whole epochs, so that a sample changes nothing
  const Time interval = std::max<std::int64_t>(1, measured / kSamples / engine.epoch()) * engine.epoch();
  const Time begin = (options.duration - measured) / engine.epoch() * engine.epoch();
  Evaluation out;
  engine.advance(begin);
  Meter meter(engine, options);
  meter.begin();
  actor->note(true);
  for (int i = 0; i < kSamples; ++i) {
    engine.advance(begin + (i + 1) * interval);
    meter.sample();
  }
  meter.finish(out);
  const TrajectoryStore& store = actor->store();
  for (std::uint32_t flow = 0; flow < store.flows(); ++flow)
    for (const Step& step : store.sequence(flow).steps) out.reward += step.outcome.reward;
  out.decisions = store.steps();
  if (out.decisions > 0) out.reward /= static_cast<double>(out.decisions);
  return out;
}

}  // namespace weir::learn
