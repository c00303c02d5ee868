#include "tests/hosts/vm/load/jobs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <utility>

namespace weir::hosts::load {
namespace {

// From 0 to below 1. The standard library's distributions differ from one to another.
double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

template <class Connections>
int count_broken(const Connections& connections) {
  return static_cast<int>(
      std::count_if(connections.begin(), connections.end(), [](const auto& one) { return !one->broken().empty(); }));
}

}  // namespace

Summary summary(std::vector<double> values) {
  Summary result;
  result.count = values.size();
  if (values.empty()) return result;
  std::sort(values.begin(), values.end());
  // The least value that at least this share of all does not exceed.
  const auto rank = [&](double share) {
    return values[static_cast<std::size_t>(std::max(1.0, std::ceil(share * static_cast<double>(values.size())))) - 1];
  };
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  result.p50 = rank(0.5);
  result.p95 = rank(0.95);
  result.p99 = rank(0.99);
  result.max = values.back();
  return result;
}

std::string json(const Summary& s, double unit) {
  return "{\"count\": " + std::to_string(s.count) + ", \"mean\": " + number(s.mean / unit) +
         ", \"p50\": " + number(s.p50 / unit) + ", \"p95\": " + number(s.p95 / unit) +
         ", \"p99\": " + number(s.p99 / unit) + ", \"max\": " + number(s.max / unit) + "}";
}

LongFlows::LongFlows(World& world, const LongPlan& plan) {
  for (const std::size_t sender : plan.senders) {
    const Plan& all = world.plan;
    flows_.push_back({std::make_unique<Connection>(world.loop, all.hosts[plan.asker], all.hosts[sender])});
    flows_.back().connection->ask(std::numeric_limits<std::int64_t>::max(), nullptr);
  }
}

void LongFlows::begin() {
  began_ = now_ns();
  for (Flow& flow : flows_) {
    flow.before = flow.connection->received();
    flow.connection->take_longest_silence();
  }
}

void LongFlows::end() {
  const double seconds = static_cast<double>(now_ns() - began_) * 1e-9;
  for (Flow& flow : flows_) {
    flow.rate = static_cast<double>(flow.connection->received() - flow.before) * 8 / seconds;
    flow.silence = flow.connection->take_longest_silence();
  }
}

std::string LongFlows::json() const {
  std::string text;
  for (const Flow& flow : flows_) {
    text += (text.empty() ? "" : ", ") + std::string("{\"mbps\": ") + number(flow.rate * 1e-6) +
            ", \"longest_silence_ms\": " + number(static_cast<double>(flow.silence) * 1e-6) + "}";
  }
  return text;
}

int LongFlows::broken() const {
  return static_cast<int>(
      std::count_if(flows_.begin(), flows_.end(), [](const Flow& flow) { return !flow.connection->broken().empty(); }));
}

Requests::Requests(World& world, const RequestPlan& plan) : world_(world), plan_(plan), sums_(plan.connections) {
  for (int i = 0; i < plan.connections; ++i) {
    const std::size_t sender = plan.senders[i % plan.senders.size()];
    const Plan& all = world.plan;
    connections_.push_back(std::make_unique<Connection>(world.loop, all.hosts[plan.asker], all.hosts[sender]));
  }
}

void Requests::begin() { start(); }

void Requests::start() {
  started_ = now_ns();
  missing_ = connections_.size();
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    connections_[i]->ask(plan_.size, [this, i] { one_is_there(i); });
  }
}

void Requests::one_is_there(std::size_t connection) {
  const auto time = static_cast<double>(now_ns() - started_);
  const bool counts = skipped_ == plan_.skip;
  if (counts) sums_[connection] += time;
  if (--missing_ > 0) return;
  if (counts) {
    times_.push_back(time);
  } else {
    ++skipped_;
  }
  if (done()) return;
  const double wait = static_cast<double>(plan_.every) * (0.8 + 0.4 * uniform(world_.random));
  world_.loop.at(started_ + std::llround(wait), [this] { start(); });
}

std::string Requests::json() const { return load::json(summary(times_), 1e6); }

std::string Requests::connections_json() const {
  std::string text;
  for (const double sum : sums_) {
    text +=
        (text.empty() ? "" : ", ") + number(sum * 1e-6 / static_cast<double>(std::max<std::size_t>(1, times_.size())));
  }
  return "[" + text + "]";
}

int Requests::broken() const { return count_broken(connections_); }

Web::Web(World& world, const WebPlan& plan, std::size_t number)
    : world_(world), plan_(plan), pools_(plan.senders.size()), random_(world.plan.seed + 1'000'003 * (number + 1)) {}

double Web::mean_size() const {
  double sum = 0;
  for (std::size_t i = 1; i < plan_.sizes.size(); ++i) {
    const auto& [size, percent] = plan_.sizes[i];
    const auto& [size_before, percent_before] = plan_.sizes[i - 1];
    sum += (percent - percent_before) / 100 * (size + size_before) / 2;
  }
  return sum;
}

double Web::draw_size() {
  const double percent = uniform(random_) * 100;
  for (std::size_t i = 1; i < plan_.sizes.size(); ++i) {
    const auto& [size, to] = plan_.sizes[i];
    const auto& [size_before, from] = plan_.sizes[i - 1];
    if (percent < to) return std::max(1.0, size_before + (size - size_before) * (percent - from) / (to - from));
  }
  return plan_.sizes.back().first;
}

void Web::begin() {
  last_ = now_ns() + plan_.last;
  next();
}

void Web::next() {
  const double mean_gap = mean_size() / plan_.bytes_per_second * 1e9;
  const double gap = -std::log(1 - uniform(random_)) * mean_gap;
  const std::int64_t at = now_ns() + std::llround(gap);
  if (at > last_) {
    ended_ = true;
    return;
  }
  world_.loop.at(at, [this] {
    start();
    next();
  });
}

void Web::start() {
  const std::size_t sender = random_() % plan_.senders.size();
  const double size = std::floor(draw_size());
  auto& pool = pools_[sender];
  auto idle = std::find_if(pool.begin(), pool.end(), [](const auto& one) { return !one->busy(); });
  if (idle == pool.end()) {
    const Plan& all = world_.plan;
    pool.push_back(std::make_unique<Connection>(world_.loop, all.hosts[plan_.asker], all.hosts[plan_.senders[sender]]));
    idle = std::prev(pool.end());
  }
  const std::int64_t started = now_ns();
  ++started_;
  (*idle)->ask(static_cast<std::uint64_t>(size), [this, size, started] {
    done_.push_back({size, static_cast<double>(now_ns() - started)});
  });
}

std::string Web::json(const std::vector<const Web*>& webs) {
  struct Class {
    const char* name;
    double from;  // bytes
    double to;
  };
  constexpr Class kClasses[] = {{"to_10KB", 0, 1e4}, {"to_1MB", 1e4, 1e6}, {"above", 1e6, 1e18}};
  std::size_t started = 0;
  std::vector<Done> flows;
  for (const Web* one : webs) {
    started += one->started_;
    flows.insert(flows.end(), one->done_.begin(), one->done_.end());
  }
  std::string text = "{\"started\": " + std::to_string(started) + ", \"done\": " + std::to_string(flows.size());
  for (const Class& one : kClasses) {
    std::vector<double> times;
    for (const Done& flow : flows) {
      if (flow.size > one.from && flow.size <= one.to) times.push_back(flow.time);
    }
    text += std::string(", \"") + one.name + "\": " + load::json(summary(std::move(times)), 1e6);
  }
  return text + "}";
}

int Web::broken() const {
  int sum = 0;
  for (const auto& pool : pools_) sum += count_broken(pool);
  return sum;
}

}  // namespace weir::hosts::load
