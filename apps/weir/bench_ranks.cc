#include "weir/bench_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/embedded.h"
#include "weir/engine/time/simulation.h"
#include "weir/output.h"
#include "weir/ranks.h"
#include "weir/run/execute.h"

namespace weir::app {
namespace {

struct RankCase {
  std::string name;
  std::string meaning;
  std::string scenario;
  std::vector<std::string> overrides;
};

const std::vector<RankCase>& rank_cases() {
  static const std::vector<RankCase> list{
      {"fat-tree-320-hpcc",
       "320 hosts, Facebook Hadoop at 50 %, HPCC with INT, 1 ms of arrivals",
       "demo-hpcc",
       {"traffic.0.stop=1 ms", "probes.queues=false", "probes.pfc=false", "probes.links=false"}},
      {"fat-tree-320-dcqcn",
       "the same flows under DCQCN, without INT",
       "demo-dcqcn",
       {"traffic.0.stop=1 ms", "probes.queues=false", "probes.pfc=false", "probes.links=false"}},
      {"permutation-1024",
       "1,024 hosts at 800 Gb/s, 2 MiB each, NSCC, packets sprayed",
       "permutation-spraying",
       {"topology.k=16", "traffic.0.size=2 MiB"}},
  };
  return list;
}

using WallClock = std::chrono::steady_clock;

// The median of `repeats` calls, in microseconds.
template <class Do>
double median_us(int repeats, Do&& it) {
  std::vector<double> took;
  for (int i = 0; i < repeats + repeats / 10; ++i) {
    const auto begin = WallClock::now();
    it();
    if (i >= repeats / 10) took.push_back(std::chrono::duration<double>(WallClock::now() - begin).count() * 1e6);
  }
  std::nth_element(took.begin(), took.begin() + repeats / 2, took.end());
  return took[static_cast<std::size_t>(repeats / 2)];
}

nlohmann::ordered_json measure_calls(engine::Ranks& ranks) {
  nlohmann::ordered_json out;
  const std::size_t words = sizeof(engine::Totals) / 8 + ranks.size();
  const std::vector<std::uint64_t> own(words);
  std::vector<std::uint64_t> all(words * ranks.size());
  out["all_gather_words"] = words;
  out["all_gather_us"] = median_us(2000, [&] { ranks.all_gather(own, all); });
  nlohmann::ordered_json& sizes = out["all_to_all_us"] = nlohmann::ordered_json::object();
  for (const std::size_t size :
       {std::size_t{64}, std::size_t{8} << 10, std::size_t{64} << 10, std::size_t{256} << 10}) {
    const std::string bytes(size, 'x');
    std::vector<std::string_view> to(ranks.size(), bytes);
    std::vector<std::string> from(ranks.size(), bytes);
    to[ranks.rank()] = {};
    sizes[std::to_string(size)] = median_us(500, [&] { ranks.all_to_all(to, from); });
  }
  return out;
}

nlohmann::ordered_json measure_case(engine::Ranks& ranks, const RankCase& c, std::uint32_t threads) {
  auto overrides = c.overrides;
  overrides.push_back(fmt::format("run.threads={}", threads));
  engine::ExchangeCounts mail;
  const run::Outcome o = run::execute(embedded_scenario(c.scenario, overrides), nullptr,
                                      {.conclude =
                                           [&](engine::Engine& engine) {
                                             if (const auto* s = dynamic_cast<engine::Simulation*>(&engine))
                                               mail = s->exchanged();
                                           },
                                       .ranks = &ranks});
  const auto sum = [&](std::uint64_t own) {
    std::uint64_t all = 0;
    for (const std::uint64_t of_rank : engine::gather(ranks, own)) all += of_rank;
    return static_cast<double>(all);
  };
  const double packets = sum(mail.packets);
  const double packet_bytes = sum(mail.packet_bytes);
  const double bytes = sum(mail.bytes);
  const double wait_s = sum(static_cast<std::uint64_t>(mail.wait_ns)) * 1e-9 / ranks.size();
  const auto epochs = static_cast<double>(mail.epochs);
  const double per_rank = epochs * ranks.size();
  return {{"name", c.name},
          {"wall_s", o.manifest.wall_s},
          {"packet_hops_per_s", static_cast<double>(o.manifest.counters.packet_hops) / o.manifest.wall_s},
          {"epochs", mail.epochs},
          {"epochs_per_s", epochs / o.manifest.wall_s},
          {"packets_per_epoch_and_rank", packets / per_rank},
          {"bytes_per_packet", packets > 0 ? packet_bytes / packets : 0},
          {"bytes_per_epoch_and_rank", bytes / per_rank},
          {"wait_us_per_epoch", wait_s * 1e6 / epochs},
          {"wait_share", wait_s / o.manifest.wall_s},
          {"digest", fmt::format("{:016x}", o.manifest.digest)}};
}

}  // namespace

int bench_ranks(std::uint32_t threads, bool json) {
  return on_ranks([&](engine::Ranks* ranks) {
    if (ranks == nullptr)
      throw InputError("--mpi: it measures what ranks tell each other; start it with mpirun -n 2 weir bench --mpi");
    const bool is_first = ranks->rank() == 0;
    const nlohmann::ordered_json calls = measure_calls(*ranks);
    nlohmann::ordered_json of_cases = nlohmann::ordered_json::array();
    for (const RankCase& c : rank_cases()) of_cases.push_back(measure_case(*ranks, c, threads));
    if (!is_first) return 0;
    if (json) {
      show("{}\n",
           nlohmann::ordered_json{{"ranks", ranks->size()}, {"threads", threads}, {"calls", calls}, {"cases", of_cases}}
               .dump(2));
      return 0;
    }
    show("{} ranks of {} thread{}; medians of calls, in us\n", ranks->size(), threads, threads == 1 ? "" : "s");
    show("  all_gather of {} words  {:.2f}\n", calls["all_gather_words"].get<int>(),
         calls["all_gather_us"].get<double>());
    for (const auto& [size, us] : calls["all_to_all_us"].items())
      show("  all_to_all of {:>6} B   {:.2f}\n", size, us.get<double>());
    show("{:<20} {:>8} {:>10} {:>12} {:>9} {:>12} {:>10} {:>7}\n", "case", "wall s", "epochs/s", "packets/epoch",
         "B/packet", "B/epoch", "wait us", "wait %");
    for (const auto& c : of_cases)
      show("{:<20} {:>8.2f} {:>10.0f} {:>12.0f} {:>9.1f} {:>12.0f} {:>10.1f} {:>7.1f}\n", c["name"].get<std::string>(),
           c["wall_s"].get<double>(), c["epochs_per_s"].get<double>(), c["packets_per_epoch_and_rank"].get<double>(),
           c["bytes_per_packet"].get<double>(), c["bytes_per_epoch_and_rank"].get<double>(),
           c["wait_us_per_epoch"].get<double>(), 100 * c["wait_share"].get<double>());
    return 0;
  });
}

}  // namespace weir::app
