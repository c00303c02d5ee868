// weir bench: how fast the engine is, on named cases.
//
// Each repeat is a process of its own, so that time and memory are those of the case alone, set-up
// included. What is told is the median of the repeats.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/base/suggestion.h"
#include "weir/bench_ranks.h"
#include "weir/child.h"
#include "weir/commands.h"
#include "weir/embedded.h"
#include "weir/output.h"
#include "weir/run/execute.h"
#include "weir/sweep/run_process.h"

namespace weir::app {
namespace {

struct Case {
  std::string name;
  std::string meaning;
  std::string scenario;
  std::function<std::vector<std::string>()> overrides;
  int repeats = 3;
  std::string single = {};  // the case of which this one is the run on several threads
};

// 2 GB in equal flows of one host to another: the NIC's scheduler has so many to choose from, all of which may send.
std::vector<std::string> flows_of_one_host(int flows) {
  const std::string flow = fmt::format("{{src = 0, dst = 1, size = \"{} MB\"}}", 2000 / flows);
  const std::vector<std::string> list(static_cast<std::size_t>(flows), flow);
  return {"topology.hosts=2", "algorithm={name = \"fixed-window\"}",
          fmt::format("traffic=[{{kind = \"flows\", flow = [{}]}}]", fmt::join(list, ", ")), "probes.queues=false",
          "probes.rates=false"};
}

// 8192 flows of 64 hosts to one for 2 s, at first somewhat more than its link takes. Between two packets of a flow come
// those of all others, so no cache holds its state.
std::vector<std::string> eight_thousand_to_one(const char* payload) {
  return {"run.stop=2 s",
          "topology.hosts=65",
          "topology.delay=2 us",
          fmt::format("transport.payload={}", payload),
          "algorithm={name = \"pcc_rl\", policy = \"standard-int8\", first_rate = 0.0002}",
          "traffic.0.flows=8192",
          "traffic.0.size=10 GB",
          "probes.queues=false",
          "probes.rates=false"};
}

// With NICs as they were when the engine was first measured, also where switches drop.
std::vector<std::string> with_ideal_nics(std::vector<std::string> overrides) {
  overrides.insert(overrides.end(), {"host.rate_tolerance=0", "host.send_jitter=0"});
  return overrides;
}

const std::vector<Case>& cases() {
  using Changes = std::vector<std::string>;
  const auto arrivals = [] {
    return Changes{"traffic.0.stop=1 ms", "probes.queues=false", "probes.pfc=false", "probes.links=false"};
  };
  const auto on_two = [=] {
    Changes out = arrivals();
    out.emplace_back("run.threads=2");
    return out;
  };
  static const std::vector<Case> list{
      {"fat-tree-320-hpcc", "320 hosts, Facebook Hadoop at 50 %, HPCC, 1 ms of arrivals", "demo-hpcc", arrivals},
      {"fat-tree-320-dcqcn", "the same flows under DCQCN", "demo-dcqcn", arrivals},
      {"fat-tree-320-hpcc-2-threads", "the first case on two threads", "demo-hpcc", on_two, 3, "fat-tree-320-hpcc"},
      {"incast-16-hpcc", "16 flows of 200 MB to one host on one switch, HPCC", "incast-16",
       [] {
         return Changes{"traffic.0.size=200 MB", "probes.queues=false", "probes.rates=false"};
       }},
      {"one-host-10-flows", "10 flows of one host, 2 GB together, fixed window", "incast-16",
       [] { return flows_of_one_host(10); }},
      {"one-host-1000-flows", "the same bytes in 1000 flows", "incast-16", [] { return flows_of_one_host(1000); }},
      {"permutation-128", "128 hosts at 800 Gb/s, 8 MiB each, NSCC, packets sprayed", "permutation-spraying",
       [] { return with_ideal_nics({}); }},
      {"permutation-128-ecmp", "the same on one path a flow", "permutation-spraying",
       [] { return with_ideal_nics({"algorithm.load_balancing.kind=ecmp"}); }},
      {"permutation-128-priority",
       "the first of them with acknowledgements in a class of their own, which goes ahead of data",
       "permutation-spraying", [] { return with_ideal_nics({"transport.ack_class=priority"}); }},
      {"permutation-1024", "1,024 hosts, 2 MiB each", "permutation-spraying",
       [] {
         return with_ideal_nics({"topology.k=16", "traffic.0.size=2 MiB"});
       }},
      {"permutation-1024-priority", "the same with acknowledgements in a class of their own", "permutation-spraying",
       [] {
         return with_ideal_nics({"topology.k=16", "traffic.0.size=2 MiB", "transport.ack_class=priority"});
       }},
      {"permutation-8192", "8192 hosts at 100 Gb/s, k = 32 fat tree, one flow of 250 KB each, fixed window",
       "permutation-fat-tree",
       [] {
         return Changes{"topology.k=32", "traffic.0.size=250 KB", "probes.queues=false", "probes.links=false"};
       },
       1},
      {"incast-8192-pcc-rl-1k", "8192 flows of 64 hosts to one, 2 s, PCC-RL's int8 policy, packets of 1 KB",
       "incast-16", [] { return eight_thousand_to_one("1 KB"); }, 1},
      {"incast-8192-pcc-rl-4k", "the same with packets of 4 KB", "incast-16",
       [] { return eight_thousand_to_one("4 KB"); }, 1},
  };
  return list;
}

const Case& case_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Case& c : cases()) {
    if (c.name == name) return c;
    names.push_back(c.name);
  }
  throw InputError(
      fmt::format("--case: unknown case '{}'{}; valid is {}", name, did_you_mean(name, names), fmt::join(names, ", ")));
}

// What the process of one repeat does, and what bench/instructions.py counts.
void run_case(const Case& c, const std::vector<std::string>& changes) {
  run::end_with_parent();
  auto overrides = c.overrides();
  overrides.insert(overrides.end(), changes.begin(), changes.end());
  const run::Outcome o = run::execute(embedded_scenario(c.scenario, overrides), nullptr);
  const auto& counters = o.manifest.counters;
  nlohmann::ordered_json out{{"packet_hops", counters.packet_hops},
                             {"data_packet_hops", counters.data_packet_hops},
                             {"events", counters.events},
                             {"digest", fmt::format("{:016x}", o.manifest.digest)}};
  show("{}\n", out.dump());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

struct Result {
  nlohmann::ordered_json counts;  // as run_case printed them; the same in each repeat
  double wall_s = 0;
  double cpu_s = 0;
  double max_rss_bytes = 0;
  int repeats = 0;

  double hops() const { return counts.at("packet_hops").get<double>(); }
};

Result measure(const Case& c, int repeats) {
  Result out;
  out.repeats = repeats;
  std::vector<double> wall, cpu, rss;
  for (int i = 0; i < repeats; ++i) {
    const ChildResult child = run_child({"bench", "--one", c.name});
    const auto counts = nlohmann::ordered_json::parse(child.output);
    if (i > 0 && counts != out.counts)
      throw std::runtime_error(
          fmt::format("{}: two repeats differ: {} and {}", c.name, out.counts.dump(), counts.dump()));
    out.counts = counts;
    wall.push_back(child.wall_s);
    cpu.push_back(child.cpu_s);
    rss.push_back(static_cast<double>(child.max_rss_bytes));
  }
  out.wall_s = median(wall);
  out.cpu_s = median(cpu);
  out.max_rss_bytes = median(rss);
  return out;
}

nlohmann::ordered_json to_json(const Case& c, const Result& r) {
  nlohmann::ordered_json out{{"name", c.name},
                             {"packet_hops_per_cpu_s", r.hops() / r.cpu_s},
                             {"ns_per_packet_hop", r.cpu_s / r.hops() * 1e9},
                             {"max_rss_bytes", static_cast<std::uint64_t>(r.max_rss_bytes)},
                             {"wall_s", r.wall_s},
                             {"cpu_s", r.cpu_s}};
  out.update(r.counts);
  out["repeats"] = r.repeats;
  return out;
}

struct BenchOptions {
  std::vector<std::string> names;
  int repeat = 0;
  bool json = false;
  bool list = false;
  bool mpi = false;
  std::uint32_t threads = 1;
  std::string one;
  std::vector<std::string> changes;  // of its scenario
};

int bench(const BenchOptions& o) {
  if (o.mpi) return bench_ranks(o.threads, o.json);
  if (!o.one.empty()) {
    run_case(case_named(o.one), o.changes);
    return 0;
  }
  std::vector<const Case*> chosen;
  for (const auto& name : o.names) chosen.push_back(&case_named(name));
  if (o.names.empty())
    for (const Case& c : cases()) chosen.push_back(&c);
  if (o.list) {
    for (const Case* c : chosen) show("{:<28} {}\n", c->name, c->meaning);
    return 0;
  }

  std::map<std::string, Result> results;
  const auto result_of = [&](const Case& c) -> const Result& {
    const auto [entry, is_new] = results.try_emplace(c.name);
    if (is_new) entry->second = measure(c, o.repeat > 0 ? o.repeat : c.repeats);
    return entry->second;
  };
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (!o.json)
    show("{:<28} {:>10} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "case", "M hops", "wall s", "cpu s", "M/cpu s", "ns/hop",
         "MB");
  for (const Case* c : chosen) {
    const Result& r = result_of(*c);
    auto entry = to_json(*c, r);
    if (!c->single.empty()) {
      const Result& single = result_of(case_named(c->single));
      if (single.counts.at("digest") != r.counts.at("digest"))
        throw std::runtime_error(fmt::format("{} and {} have different results", c->name, c->single));
      entry["speedup"] = single.wall_s / r.wall_s;
    }
    if (!o.json) {
      show("{:<28} {:>10.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.1f} {:>8.0f}{}\n", c->name, r.hops() * 1e-6, r.wall_s,
           r.cpu_s, r.hops() / r.cpu_s * 1e-6, r.cpu_s / r.hops() * 1e9, r.max_rss_bytes * 1e-6,
           entry.contains("speedup") ? fmt::format("  {:.2f} times as fast", entry["speedup"].get<double>()) : "");
      std::fflush(stdout);
    }
    all.push_back(std::move(entry));
  }
  if (o.json) show("{}\n", nlohmann::ordered_json{{"cases", all}}.dump(2));
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  auto o = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Measure the engine on named cases");
  command->add_option("--case", o->names, "only this case; may be repeated")->allow_extra_args(false);
  command->add_option("--repeat", o->repeat, "repeats of each case, whose median counts")->check(CLI::Range(1, 1000));
  command->add_flag("--json", o->json, "print the results as JSON");
  command->add_flag("--list", o->list, "only list the cases");
  CLI::Option* mpi = command->add_flag(
      "--mpi", o->mpi, "under mpirun: what its ranks tell each other in an epoch, and how long that takes");
  command->add_option("--threads", o->threads, "of each rank")->check(CLI::Range(1, 1024))->needs(mpi);
  CLI::Option* one = command->add_option("--one", o->one)->group("");
  command->add_option("--set", o->changes)->allow_extra_args(false)->group("")->needs(one);
  command->callback([o, &status] { status = bench(*o); });
}

}  // namespace weir::app
