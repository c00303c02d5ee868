// Every message that a wrong scenario leads to: file, line, key, what is wrong and what would be
// valid. A case changes one thing in a scenario that is right.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "weir/cc/algorithm.h"
#include "weir/scenario/build.h"

namespace weir::scenario {
namespace {

constexpr std::string_view kGood =
    "[topology]\n"          // 1
    "kind = \"star\"\n"     // 2
    "hosts = 4\n"           // 3
    "\n"                    // 4
    "[algorithm]\n"         // 5
    "name = \"hpcc\"\n"     // 6
    "\n"                    // 7
    "[[traffic]]\n"         // 8
    "kind = \"incast\"\n"   // 9
    "size = \"100 KB\"\n";  // 10

// Their names, as messages list them.
std::string names_of_algorithms() {
  std::vector<std::string_view> names;
  for (const auto& a : cc::catalogue()) names.push_back(a.about.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

struct BadInput {
  std::string replace;  // this part of the good scenario, "" = add at its end
  std::string with;
  std::string message;
};

std::string text_of(const BadInput& c) {
  std::string text(kGood);
  if (c.replace.empty()) return text + c.with;
  const auto at = text.find(c.replace);
  EXPECT_NE(at, std::string::npos) << c.replace;
  return text.replace(at, c.replace.size(), c.with);
}

void expect_message(const std::string& text, const std::vector<std::string>& overrides, const std::string& file,
                    const std::string& message) {
  try {
    build(load_scenario(text, file, overrides));
    ADD_FAILURE() << "accepted:\n" << text;
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

std::string hpcc_presets() {
  std::vector<std::string_view> names;
  for (const auto& p : cc::find_algorithm("hpcc")->presets) names.push_back(p.name);
  return fmt::format("{}", fmt::join(names, ", "));
}
std::string hpcc_keys() { return fmt::format("{}", fmt::join(cc::find_algorithm("hpcc")->params->names(), ", ")); }

TEST(BadInput, TheUnchangedScenarioIsGood) { EXPECT_NO_THROW(build(load_scenario(kGood, "a.toml"))); }

TEST(BadInput, IsTold) {
  const std::vector<BadInput> cases{
      // the language
      {"hosts = 4", "hosts = = 4", "a.toml:3: not TOML: Error while parsing value: could not determine value type"},
      {"hosts = 4", "hosts = 4\nhosts = 5",
       "a.toml:4: not TOML: Error while parsing key-value pair: cannot redefine existing integer 'hosts'"},
      {"[algorithm]", "[.algorithm]", "a.toml:5: not TOML: expected a key, like [topology] or seed = 1"},
      {"[algorithm]", "[", "a.toml:5: not TOML: expected a key, like [topology] or seed = 1"},
      {"", "[[", "a.toml:11: not TOML: Error while parsing table header: encountered end-of-file"},
      {"hosts = 4", "hosts = 4 \u00b5",
       "a.toml:3: not TOML: Error while parsing key-value pair: expected a comment or whitespace, saw '\u00b5'"},
      // tables
      {"", "[netwrok]\nport = \"fifo\"\n",
       "a.toml:11: key 'netwrok': unknown table (did you mean 'network'?); valid is title, run, fidelity, topology, "
       "network, host, transport, clocks, algorithm, profile, traffic, probes"},
      {"[algorithm]", "[algorithms]",
       "a.toml:5: key 'algorithms': unknown table (did you mean 'algorithm'?); valid is title, run, fidelity, "
       "topology, "
       "network, host, transport, clocks, algorithm, profile, traffic, probes"},
      {"[topology]", "title = 7\n[topology]", "a.toml:1: key 'title': it is a whole number; write text in quotes"},
      {"", "[network]\necn = true\n",
       "a.toml:12: key 'network.ecn': it is true or false; write a table, [network.ecn]"},
      {"[[traffic]]", "[traffic]", "a.toml:8: key 'traffic': it is a table; write a list of tables, [[traffic]]"},
      // keys
      {"hosts = 4", "host = 4",
       "a.toml:3: key 'topology.host': unknown key (did you mean 'hosts'?); valid is hosts, rate, delay, planes, "
       "host_links, hosts_per_server, kind"},
      {"hosts = 4", "pods = 4",
       "a.toml:3: key 'topology.pods': unknown key; valid is hosts, rate, delay, planes, host_links, "
       "hosts_per_server, kind"},
      {"name = \"hpcc\"", "name = \"hpcc\"\nload_balancing.ports = \"free\"",
       "a.toml:7: key 'algorithm.load_balancing.ports': a flow that keeps to its path keeps to a port of its host; "
       "valid "
       "are auto, hash, lane"},
      {"name = \"hpcc\"", "name = \"hpcc\"\nmaxstage = 3",
       "a.toml:7: key 'algorithm.maxstage': unknown key (did you mean 'max_stage'?); valid is " + hpcc_keys() +
           ", name, preset, recovery, load_balancing, on_ramp, stack, class, ack_every, unsolicited"},
      {"size = \"100 KB\"", "",
       "a.toml:8: key 'traffic.0.size': missing; write a size in quotes, like \"100 KB\" (size of each flow)"},
      {"name = \"hpcc\"", "", "a.toml:5: key 'algorithm.name': missing; write one of " + names_of_algorithms()},
      {"kind = \"star\"", "",
       "a.toml:1: key 'topology.kind': missing; write one of star, dumbbell, parking-lot, leaf-spine, "
       "hpcc-testbed-32, hpcc-testbed-64, rail, rail-optimised, dgx-superpod-512, simai-spectrum-x-128, "
       "simai-hpn-single-plane-128, simai-hpn-dual-plane-128, simai-dcn-single-tor-128, simai-dcn-dual-tor-128, "
       "clos, hpcc-fat-tree-320, fat-tree, file"},
      // types and units
      {"hosts = 4", "hosts = \"4\"", "a.toml:3: key 'topology.hosts': it is text; write a whole number"},
      {"hosts = 4", "hosts = 4.5", "a.toml:3: key 'topology.hosts': '4.5' is not a whole number"},
      {"hosts = 4", "hosts = [4]", "a.toml:3: key 'topology.hosts': it is a list; write a whole number"},
      {"hosts = 4", "hosts = 1979-05-27", "a.toml:3: key 'topology.hosts': it is a date; write a whole number"},
      {"\"100 KB\"", "100000",
       "a.toml:10: key 'traffic.0.size': '100000' is not a size: it has no unit; write a number and one of GiB, MiB, "
       "KiB, PB, TB, GB, MB, KB, B, like \"1.5 MiB\""},
      {"\"100 KB\"", "true",
       "a.toml:10: key 'traffic.0.size': it is true or false; write a size in quotes, like \"100 KB\""},
      {"\"100 KB\"", "\"100 kB\"",
       "a.toml:10: key 'traffic.0.size': '100 kB' is not a size: unknown unit 'kB'; write a number and one of GiB, "
       "MiB, KiB, PB, TB, GB, MB, KB, B, like \"1.5 MiB\""},
      {"hosts = 4", "hosts = 4\ndelay = \"1 Gbps\"",
       "a.toml:4: key 'topology.delay': '1 Gbps' is not a time: unknown unit 'Gbps'; write a number and one of s, ms, "
       "us, ns, ps, like \"1.5 ms\""},
      {"hosts = 4", "hosts = 4\nrate = 100e9",
       "a.toml:4: key 'topology.rate': '100000000000' is not a rate: it has no unit; write a number and one of Tbps, "
       "Gbps, Mbps, Kbps, bps, like \"1.5 Gbps\""},
      {"name = \"hpcc\"", "name = \"hpcc\"\newma = 1",
       "a.toml:7: key 'algorithm.ewma': it is a whole number; write true or false"},
      // ranges and choices
      {"hosts = 4", "hosts = 1", "a.toml:3: key 'topology.hosts': 1 is out of range; valid is 2 to 65535"},
      {"\"100 KB\"", "\"0 B\"", "a.toml:10: key 'traffic.0.size': 0 B is out of range; valid is 1 B to 1 PB"},
      {"\"100 KB\"", "\"1000001 GB\"",
       "a.toml:10: key 'traffic.0.size': 1000001 GB is out of range; valid is 1 B to 1 PB"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"permutation\"\nsize = \"1000001 GB\"",
       "a.toml:10: key 'traffic.0.size': 1000001 GB is out of range; valid is 1 B to 1 PB"},
      {"kind = \"incast\"\nsize = \"100 KB\"",
       "kind = \"incast_poisson\"\nsize = \"1000001 GB\"\nfan_in = 2\nload = 0.1\nstop = \"1 ms\"",
       "a.toml:10: key 'traffic.0.size': 1000001 GB is out of range; valid is 1 B to 1 PB"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = [{ src = 1, dst = 2, size = \"1000001 GB\" }]",
       "a.toml:10: key 'traffic.0.flow.0.size': 1000001 GB is out of range; valid is 1 B to 1 PB"},
      {"hosts = 4", "hosts = 4\nrate = \"0 Gbps\"",
       "a.toml:4: key 'topology.rate': 0 bps is out of range; valid is 1 Kbps to 100 Tbps"},
      {"name = \"hpcc\"", "name = \"hpcc\"\neta = 1.5",
       "a.toml:7: key 'algorithm.eta': 1.5 is out of range; valid is 0.5 to 1"},
      {"name = \"hpcc\"", "name = \"hpcc\"\nsignal = \"rxrte\"",
       "a.toml:7: key 'algorithm.signal': cannot be 'rxrte'; it is one of txrate, rxrate (did you mean 'rxrate'?)"},
      {"", "[run]\nthreads = 0\n", "a.toml:12: key 'run.threads': 0 is out of range; valid is 1 to 1024"},
      {"", "[run]\nscheduler = \"weel\"\n",
       "a.toml:12: key 'run.scheduler': cannot be 'weel'; it is one of auto, wheel, heap (did you mean 'wheel'?)"},
      // names
      {"\"star\"", "\"sstar\"",
       "a.toml:2: key 'topology.kind': unknown topology 'sstar' (did you mean 'star'?); valid is star, dumbbell, "
       "parking-lot, leaf-spine, "
       "hpcc-testbed-32, hpcc-testbed-64, rail, rail-optimised, dgx-superpod-512, simai-spectrum-x-128, "
       "simai-hpn-single-plane-128, simai-hpn-dual-plane-128, simai-dcn-single-tor-128, simai-dcn-dual-tor-128, "
       "clos, hpcc-fat-tree-320, fat-tree, file"},
      {"\"hpcc\"", "\"hpcx\"",
       "a.toml:6: key 'algorithm.name': unknown algorithm 'hpcx' (did you mean 'hpcc'?); valid is " +
           names_of_algorithms()},
      {"name = \"hpcc\"", "name = \"hpcc\"\npreset = \"papr\"",
       "a.toml:7: key 'algorithm.preset': unknown preset 'papr' of 'hpcc' (did you mean 'paper'?); valid is " +
           hpcc_presets()},
      {"name = \"hpcc\"", "name = \"fixed-window\"\npreset = \"paper\"",
       "a.toml:7: key 'algorithm.preset': 'fixed-window' has no presets; remove it"},
      {"kind = \"incast\"", "kind = \"incats\"",
       "a.toml:9: key 'traffic.0.kind': unknown kind of traffic 'incats' (did you mean 'incast'?); valid is poisson, "
       "incast, incast_poisson, permutation, flows, collective, calls, training, hsdp, program, goal"},
      {"", "profile = \"fast\"\n",
       "a.toml:11: key 'traffic.0.profile': no profile 'fast' is defined; valid is hpcc, or add a [[profile]]"},
      {"", "[probes.queue]\n",
       "a.toml:11: key 'probes.queue': unknown table (did you mean 'queues'?); valid is flows, queues, rates, delays, "
       "pfc, links, packets, anatomy, view"},
      {"", "[probes]\nflows = false\n", "a.toml:12: key 'probes.flows': always on; remove it"},
      {"", "[[profile]]\nname = \"hpcc\"\nalgorithm = \"hpcc\"\n",
       "a.toml:12: key 'profile.0.name': there is a profile 'hpcc' already, that of [algorithm]; write another name"},
      {"", "[[profile]]\nname = \"\"\nalgorithm = \"hpcc\"\n",
       "a.toml:12: key 'profile.0.name': it is empty; write the name that traffic calls it by"},
      {"", "[[profile]]\nname = \"x\"\n",
       "a.toml:11: key 'profile.0.algorithm': missing; write one of " + names_of_algorithms()},
      // traffic
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"poisson\"\nsizes = \"FB_Hadop\"\nload = 0.5\nstop = \"1 ms\"",
       "a.toml:10: key 'traffic.0.sizes': unknown workload 'FB_Hadop' (did you mean 'FB_Hadoop'?); valid is "
       "AliStorage2019, CacheFollower, DataMining, FB_Hadoop, FB_Hadoop_fine, GoogleRPC2008, GoogleSearchRPC, "
       "Solar2022, WebSearch, WebServer, a size like \"1 MB\", or a file like \"my.cdf.txt\""},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"poisson\"\nsizes = \"FB_Hadoop\"\nload = 1.5\nstop = \"1 ms\"",
       "a.toml:11: key 'traffic.0.load': 1.5 is out of range; valid is 1e-09 to 1"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"poisson\"\nsizes = \"FB_Hadoop\"\nload = 0\nstop = \"1 ms\"",
       "a.toml:11: key 'traffic.0.load': 0 is out of range; valid is 1e-09 to 1"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"poisson\"\nsizes = \"FB_Hadoop\"\nload = 0.5",
       "a.toml:8: key 'traffic.0.stop': missing; write a time in quotes, like \"10 us\" (arrivals end, exclusive; "
       "after start)"},
      {"kind = \"incast\"\nsize = \"100 KB\"",
       "kind = \"poisson\"\nsizes = \"./no.cdf.txt\"\nload = 0.5\nstop = \"1 ms\"",
       "a.toml:10: key 'traffic.0.sizes': ./no.cdf.txt: cannot be read (No such file or directory); it should be a "
       "file of lines 'size_bytes cumulative_percent'"},
      {"", "receiver = 4\n", "a.toml:11: key 'traffic.0.receiver': '4': host 4 does not exist: hosts are 0 to 3"},
      {"", "senders = \"0-3\"\nreceiver = 0\n",
       "a.toml:11: key 'traffic.0.senders': '0-3' has the receiver, host 0, in it"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"collective\"\nsize = \"100 KB\"",
       "a.toml:8: key 'traffic.0.operation': missing; write one of ring-all-reduce, ring-reduce-scatter, "
       "ring-all-gather, all-to-all, halving-doubling-all-reduce, hierarchical-all-reduce, tree-all-reduce, "
       "ring-broadcast, ring-reduce, gather, scatter, all-to-all-v, barrier, bruck-all-to-all, bruck-all-gather, "
       "pat-all-gather, pat-reduce-scatter, in-switch-all-reduce, in-switch-all-gather, in-switch-reduce-scatter, "
       "all-reduce, all-gather, reduce-scatter (what the hosts do; trees are two at once, each with half of the "
       "buffer; in-switch: the scale-up switch of a server adds up and spreads, as NVLink SHARP does (NCCL's NVLS); "
       "all-reduce, all-gather and reduce-scatter: by ring, tree, hierarchical, in-switch or PAT, whichever NCCL's "
       "tuning expects to be the quickest for these servers and this size)"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"3 B\"",
       "a.toml:11: key 'traffic.0.size': 3 B is out of range; 4 hosts and 1 chunk(s) need at least 4 B"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"hsdp\"\ngroup = 3",
       "a.toml:10: key 'traffic.0.group': 3 does not fit 4 hosts; they must be at least two whole groups, valid are 1, "
       "2"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"program\"\nfile = \"no.csv\"",
       "a.toml:10: key 'traffic.0.file': no.csv: cannot be read (No such file or directory); it should be a CSV file "
       "of messages"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"permutation\"\nsize = \"1 MB\"\nelephants = 2",
       "a.toml:8: key 'traffic.0.elephant_size': 0 B is out of range; write the size of each elephant"},
      {"", "completion = \"yes\"\n", "a.toml:11: key 'traffic.0.completion': it is text; write true or false"},
      {"", "[run]\nuntil = \"collectives\"\n",
       "a.toml:12: key 'run.until': no traffic is a collective, so the run would not end; write \"flows\", or "
       "completion = true in a [[traffic]]"},
      {"", "fan_in = 4\n", "a.toml:11: key 'traffic.0.fan_in': 4 is out of range; there are 3 senders"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"",
       "a.toml:8: key 'traffic.0.file': missing; write text in quotes (CSV with the columns src, dst, size_bytes, "
       "start_ps (or _ns, _us))"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = []",
       "a.toml:10: key 'traffic.0.flow': empty; write at least one flow"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nfile = \"no.csv\"",
       "a.toml:10: key 'traffic.0.file': no.csv: cannot be read (No such file or directory); it should be a CSV file "
       "of flows"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = [\n{ src = 1, dst = 1, size = \"1 KB\" }]",
       "a.toml:11: key 'traffic.0.flow.0': flow of host 1 to itself"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = [\n{ src = 1, dst = 9, size = \"1 KB\" }]",
       "a.toml:11: key 'traffic.0.flow.0': host 9 does not exist: hosts are 0 to 3"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = [{ src = 1, dts = 2, size = \"1 KB\" }]",
       "a.toml:10: key 'traffic.0.flow.0.dts': unknown key (did you mean 'dst'?); valid is src, dst, size, start, tag, "
       "profile"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = [{ src = 1, dst = 2 }]",
       "a.toml:10: key 'traffic.0.flow.0.size': missing; write a size in quotes, like \"100 KB\" (payload)"},
      {"kind = \"incast\"\nsize = \"100 KB\"",
       "kind = \"flows\"\nflow = [{ src = 1, dst = 2, size = \"1 B\", profile = \"x\" }]",
       "a.toml:10: key 'traffic.0.flow.0.profile': no profile 'x' is defined; valid is hpcc, or add a [[profile]]"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nfile = \"a.csv\"\nflow = []",
       "a.toml:10: key 'traffic.0.file': the flows are listed under 'flow' already; keep one"},
      // the network
      {"kind = \"star\"\nhosts = 4", "kind = \"clos\"\ncores = 3",
       "a.toml:3: key 'topology.cores': 3 cannot be shared out to aggs_per_pod = 4; valid is a multiple of 4"},
      {"hosts = 4", "hosts = 4\nhosts_per_server = 3",
       "a.toml:4: key 'topology.hosts_per_server': 4 hosts make no servers of 3; valid is a divisor of 4"},
      {"kind = \"star\"\nhosts = 4", "kind = \"rail\"\nrails = 3",
       "a.toml:3: key 'topology.rails': 8 gpus cannot be dealt out to 3 rails; valid is a divisor of 8, or 0"},
      {"kind = \"star\"\nhosts = 4", "kind = \"clos\"\npods = 60000",
       "a.toml:3: key 'topology.pods': pods, tors_per_pod and hosts_per_tor make 3840000 hosts; valid is 2 to 2097152"},
      {"kind = \"star\"\nhosts = 4", "kind = \"fat-tree\"\nk = 5",
       "a.toml:3: key 'topology.k': 5 makes no fat tree; valid is an even number from 2 to 202"},
      {"kind = \"star\"\nhosts = 4", "kind = \"file\"\nfile = \"no.graph\"",
       "a.toml:3: key 'topology.file': no.graph: cannot be read (No such file or directory); it should be a graph "
       "file"},
      {"kind = \"star\"\nhosts = 4", "kind = \"parking-lot\"\nswitches = 9",
       "a.toml:6: key 'algorithm.name': 'hpcc' reads telemetry of every switch, but paths in this network cross up to "
       "9 switches and exact telemetry holds 8; take a smaller network or another algorithm"},
      {"kind = \"star\"\nhosts = 4", "kind = \"parking-lot\"\nswitches = 6\n[transport]\nint_mode = \"wire\"",
       "a.toml:8: key 'algorithm.name': 'hpcc' reads telemetry of every switch, but paths in this network cross up to "
       "6 switches and wire telemetry holds 5; set transport.int_mode = \"exact\", or take a smaller network or "
       "another algorithm"},
      {"", "[network.buffer]\nsize = \"100 KB\"\n",
       "a.toml:12: key 'network.buffer.size': 100 KB is smaller than the reserve and headroom of node 4, a switch; "
       "valid is 166384 B or more, or mode = \"lossy\", which sets nothing aside (headroom grows with the delays of "
       "links and with headroom_delays)"},
      {"\"hpcc\"", "\"dcqcn\"",
       "a.toml:6: key 'algorithm.name': 'dcqcn' reacts to marked packets, but no switch marks any; set "
       "network.ecn.enabled = true"},
      {"", "[[profile]]\nname = \"d\"\nalgorithm = \"dcqcn\"\n",
       "a.toml:13: key 'profile.0.algorithm': 'dcqcn' reacts to marked packets, but no switch marks any; set "
       "network.ecn.enabled = true"},
      {"", "[network]\ntelemetry = false\n",
       "a.toml:6: key 'algorithm.name': 'hpcc' reads telemetry, but no switch writes any; set network.telemetry = "
       "true, or take another algorithm"},
      {"", "[algorithm.on_ramp]\nT = \"30 us\"\n",
       "a.toml:11: key 'algorithm.on_ramp': On-Ramp measures one-way delays with the hosts' clocks, and there are "
       "none; "
       "add a table [clocks], empty for clocks without error"},
      {"", "[clocks]\n[algorithm.on_ramp]\nearly = true\n",
       "a.toml:13: key 'algorithm.on_ramp.early': departures are fixed when the host's stack hands segments down, and "
       "there is none; add a table [algorithm.stack], or remove it"},
      {"", "[algorithm.recovery]\nkind = \"irn\"\nwindow = 0.0\n",
       "a.toml:13: key 'algorithm.recovery.window': this is how far IRN may send beyond what is acknowledged, and 0 "
       "lets it send nothing; write a number above 0, such as 1 for the bandwidth-delay product"},
      {"", "[algorithm.recovery]\nkind = \"irn\"\nrto_low = \"1 ms\"\n",
       "a.toml:13: key 'algorithm.recovery.rto_low': rto_low = 1 ms is above rto_high = 320 us"},
      {"", "[network.ecn]\nk_min = \"500 KB\"\n",
       "a.toml:12: key 'network.ecn.k_min': k_min = 500 KB is above k_max = 400 KB"},
      {"", "[[network.ecn.rate]]\nrate = \"25 Gbps\"\nk_min = \"2 KB\"\nk_max = \"1 KB\"\n",
       "a.toml:14: key 'network.ecn.rate.0.k_max': k_min = 2 KB is above k_max = 1 KB"},
      // classes
      {"name = \"hpcc\"", "name = \"hpcc\"\nclass = 1",
       "a.toml:7: key 'algorithm.class': there is no class 1; valid is 0 to 0, or add a [[network.class]]"},
      {"", "[[network.class]]\nquantum = \"10 B\"\n",
       "a.toml:12: key 'network.class.0.quantum': 10 B is out of range; valid is 64 B to 1 MB"},
      {"", "[network]\nscheduling = \"wfq\"\n",
       "a.toml:12: key 'network.scheduling': cannot be 'wfq'; it is one of fifo, priority, drr"},
      // what goes wrong in the network
      {"", "[[network.loss]]\nlinks = \"all\"\n",
       "a.toml:11: key 'network.loss.0.probability': missing; write a number (a packet is lost on the wire with this "
       "probability; pause and resume frames never are)"},
      {"", "[[network.loss]]\nprobability = 1.5\n",
       "a.toml:12: key 'network.loss.0.probability': 1.5 is out of range; valid is 0 to 1, with retry less than 1"},
      {"kind = \"incast\"", "kind = \"collective\"\noperation = \"ring-all-reduce\"\nplaces = \"0\"",
       "a.toml:11: key 'traffic.0.places': 1 host; a collective needs at least 2"},
      {"kind = \"incast\"", "kind = \"collective\"\noperation = \"ring-all-reduce\"\nranks = 1",
       "a.toml:11: key 'traffic.0.ranks': 1 host; a collective needs at least 2"},
      {"", "[[network.loss]]\nprobability = 0.1\nlinks = \"0-3\"\n",
       "a.toml:13: key 'network.loss.0.links': there is no link 0-3; 0 is linked to 4"},
      {"", "[[network.loss]]\nprobability = 0.1\nlinks = \"fabric\"\n",
       "a.toml:13: key 'network.loss.0.links': this network has no such links"},
      {"", "[[network.link_event]]\ntime = \"1 us\"\na = 0\nb = 4\nstate = \"broken\"\n",
       "a.toml:15: key 'network.link_event.0.state': cannot be 'broken'; it is one of down, up"},
      {"", "[[network.link_event]]\ntime = \"1 us\"\na = 0\nb = 5\nstate = \"down\"\n",
       "a.toml:11: key 'network.link_event.0': there is no node 5; nodes are 0 to 4"},
      {"", "[[network.link_event]]\ntime = \"1 us\"\nswitch = 3\nstate = \"down\"\n",
       "a.toml:13: key 'network.link_event.0.switch': there is no switch 3; switches are 4 to 4"},
      {"", "[[network.link_event]]\ntime = \"1 us\"\nplane = 1\nstate = \"down\"\n",
       "a.toml:13: key 'network.link_event.0.plane': there is no plane 1; this network has one, number 0"},
      {"", "[[network.link_event]]\ntime = \"1 us\"\nstate = \"down\"\n",
       "a.toml:11: key 'network.link_event.0': write the two nodes a and b of links, or a switch, or a plane"},
      {"", "[[network.link_event]]\ntime = \"1 us\"\na = 0\nb = 4\nplane = 0\nstate = \"down\"\n",
       "a.toml:11: key 'network.link_event.0': it names links by a and b and by plane; write one of these ways, and a "
       "row for each"},
      {"", "[[network.link_event]]\ntime = \"1 us\"\nswitch = 4\nplane = 0\nstate = \"down\"\n",
       "a.toml:11: key 'network.link_event.0': it names links by switch and by plane; write one of these ways, and a "
       "row for each"},
      {"", "[[network.link_event]]\ntime = \"1 us\"\na = 0\nb = 4\nparallel = 3\nstate = \"down\"\n",
       "a.toml:15: key 'network.link_event.0.parallel': there is no link 0-4 number 3, but one link 0-4; leave out "
       "which one it is"},
      {"", "[[network.link_event]]\ntime = \"1 us\"\na = 4\nstate = \"down\"\n",
       "a.toml:11: key 'network.link_event.0': b is missing; links are those between two nodes, a and b"},
      {"name = \"hpcc\"", "name = \"hpcc\"\nload_balancing.answer_ports = \"lane\"",
       "a.toml:7: key 'algorithm.load_balancing.answer_ports': cannot be 'lane'; it is one of data, hash, free"},
      {"", "[[network.link_event]]\ntime = \"1 us\"\na = 0\nb = 4\nstate = \"up\"\n",
       "a.toml:15: key 'network.link_event.0.state': the link 0-4 is up already at 1 us"},
      {"", "[[host.pause]]\nhost = 4\nstart = \"1 us\"\nduration = \"1 us\"\n",
       "a.toml:12: key 'host.pause.0.host': there is no host 4; hosts are 0 to 3"},
      {"", "[[host.pause]]\nhost = 1\nstart = \"1 us\"\nduration = \"0 us\"\n",
       "a.toml:14: key 'host.pause.0.duration': 0 ps is out of range; valid is 1 ps to 1000000 s"},
      {"", "[host]\nstall = 1\n",
       "a.toml:12: key 'host.stall': unknown key; valid is receive_delay, receive_jitter, "
       "application_delay, application_jitter, cnp_delay, timestamp_jitter, rate_tolerance, send_jitter, "
       "nic_rate, receive_buffer, pause_above, resume_below, pause, slow"},
      {"", "[[network.ecn.rate]]\nrate = \"25 Gbps\"\n",
       "a.toml:11: key 'network.ecn.rate.0.k_min': missing; write a size in quotes, like \"100 KB\" (queue length up "
       "to which nothing is marked)"},
      {"", "[probes.queues]\nports = \"cores\"\n",
       "a.toml:12: key 'probes.queues.ports': 'cores' names no ports; valid: all, fabric, hosts, edge, tier N, the "
       "last two also with down, up or across behind, or links such as 320->0, or 320-0 for both directions"},
      {"", "[probes.queues]\nexact = true\nseries = true\n",
       "a.toml:13: key 'probes.queues.series': with exact = true there are no samples to write; set only one of them"},
      {"", "[probes.queues]\nper_packet = \"left\"\nexact = true\n",
       "a.toml:13: key 'probes.queues.exact': with per_packet, queues count once for each packet and not at any time; "
       "set only one of them"},
      {"", "[probes.rates]\ntag = \"incats\"\n",
       "a.toml:12: key 'probes.rates.tag': no traffic has the tag 'incats'; tags are incast"},
      {"", "[probes.packets]\nflows = \"1, two\"\n",
       "a.toml:12: key 'probes.packets.flows': 'two' is no flow id; valid is a list of ids and ranges, as \"0, 17, "
       "200-299\""},
      {"", "[probes.flows]\nbuckets = \"1 KB, 1 KB\"\n",
       "a.toml:12: key 'probes.flows.buckets': sizes must be above 0 and ascend, as in \"1 KB, 10 KB, 100 KB\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.with);
    expect_message(text_of(c), {}, "a.toml", c.message);
  }
}

TEST(BadInput, OfAnOverrideIsToldByItsKey) {
  std::string deep;
  for (int i = 0; i < 50'000; ++i) deep += ".a";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"run.sede=7",
       "--set run.sede: unknown key (did you mean 'seed'?); valid is seed, threads, scheduler, stop, until, "
       "perturbation, fidelity, "
       "fast_forward"},
      {"rnu.seed=7",
       "--set rnu.seed: key 'rnu': unknown table (did you mean 'run'?); valid is title, run, fidelity, topology, "
       "network, host, transport, clocks, algorithm, profile, traffic, probes"},
      {"seed", "--set seed: not an assignment; write a dotted key and a value, like run.seed=7 or traffic.0.load=0.3"},
      {"run..seed=7",
       "--set run..seed=7: not an assignment; write a dotted key and a value, like run.seed=7 or traffic.0.load=0.3"},
      {"a" + deep + "=7",
       "--set a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a [... 99903 bytes ...] "
       "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=7: not an assignment; write a dotted key and a value, like run.seed=7 or "
       "traffic.0.load=0.3"},
      {"traffic.0.tag=\xff", "--set traffic.0.tag=\ufffd: it is no text (UTF-8)"},
      {"run.seed=", "--set run.seed: '' is not a whole number"},
      {"run.seed=99999999999999999999",
       "--set run.seed: 99999999999999999999 is out of range; valid is 0 to 9007199254740991"},
      {"run.seed=1e20", "--set run.seed: 1e+20 is out of range; valid is 0 to 9007199254740991"},
      {"run.seed=-1", "--set run.seed: -1 is out of range; valid is 0 to 9007199254740991"},
      {"topology.rate=100",
       "--set topology.rate: '100' is not a rate: it has no unit; write a number and one of Tbps, Gbps, Mbps, Kbps, "
       "bps, like \"1.5 Gbps\""},
      {"topology.rate=100 Gb",
       "--set topology.rate: '100 Gb' is not a rate: unknown unit 'Gb'; write a number and one of Tbps, Gbps, Mbps, "
       "Kbps, bps, like \"1.5 Gbps\""},
      {"topology.kind=fat-tree",
       "a.toml:3: key 'topology.hosts': unknown key (did you mean 'hosts_per_server'?); valid is k, rate, delay, "
       "planes, tors, host_links, "
       "hosts_per_server, kind"},
      {"topology.kind.name=star", "--set topology.kind.name: 'topology.kind' is text, it has no key 'name'"},
      {"traffic.1.size=1 KB", "--set traffic.1.size: 'traffic' has no entry '1'; valid is 0 to 0"},
      {"traffic.x.size=1 KB", "--set traffic.x.size: 'traffic' has no entry 'x'; valid is 0 to 0"},
      {"traffic.0.receiver=7", "--set traffic.0.receiver: '7': host 7 does not exist: hosts are 0 to 3"},
      {"algorithm.eta=2", "--set algorithm.eta: 2 is out of range; valid is 0.5 to 1"},
      {"algorithm.eta=high", "--set algorithm.eta: 'high' is not a number"},
      {"algorithm.name=dcqcn",
       "--set algorithm.name: 'dcqcn' reacts to marked packets, but no switch marks any; set network.ecn.enabled = "
       "true"},
      {"probes.queues={interval = \"1 m\"}",
       "--set probes.queues: key 'probes.queues.interval': '1 m' is not a time: unknown unit 'm'; write a number and "
       "one of s, ms, us, ns, ps, like \"1.5 ms\""},
      {"network.buffer.size=1 KB",
       "--set network.buffer.size: 1 KB is smaller than the reserve and headroom of node 4, a switch; valid is "
       "166384 B or more, or mode = \"lossy\", which sets nothing aside (headroom grows with the delays of links and "
       "with headroom_delays)"},
  };
  for (const auto& [assignment, message] : cases) {
    SCOPED_TRACE(assignment);
    expect_message(std::string(kGood), {assignment}, "a.toml", message);
  }
}

// An override that names another algorithm leaves the file's keys, which that one need not have.
TEST(BadInput, KeysOfAnotherAlgorithmAreToldAsSuch) {
  const std::string text = text_of({"name = \"hpcc\"", "name = \"hpcc\"\neta = 0.9", ""});
  try {
    load_scenario(text, "a.toml", {"algorithm.name=pcc_rl"});
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("a.toml:7: key 'algorithm.eta': unknown key")) << message;
    EXPECT_TRUE(
        message.ends_with("; the file's keys are of 'hpcc', instead of which --set algorithm.name has 'pcc_rl': "
                          "--set 'algorithm={ name = \"pcc_rl\" }' leaves them all out"))
        << message;
  }
  EXPECT_NO_THROW(load_scenario(text, "a.toml", {"algorithm={ name = \"pcc_rl\" }"}));
}

// An option of a command that stands for an override is told in its place.
TEST(BadInput, OfAnOptionIsToldByItsName) {
  const std::vector<std::pair<Option, std::string>> cases{
      {{"--seed", "run.seed=x"}, "--seed: 'x' is not a whole number"},
      {{"--receiver", "traffic.0.receiver=7"}, "--receiver: '7': host 7 does not exist: hosts are 0 to 3"},
      {{"--more", "traffic.1.size=1 KB"}, "--more: 'traffic' has no entry '1'; valid is 0 to 0"},
  };
  for (const auto& [option, message] : cases) {
    SCOPED_TRACE(option.name);
    try {
      // it wins over an override of the same key
      build(load_scenario(kGood, "a.toml", {"run.seed=7"}, {option}));
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
}

// A flow's tag is a number of 16 bits.
// A user has the file at hand that a scenario names.
TEST(BadInput, OfAGraphInPlaceOfAScenario) {
  for (const char* text : {"# a ring\n\nhosts 4\nswitches 2\n", "switches 2  # and hosts\n", "link 0 4 100 Gbps 1 us"})
    expect_message(text, {}, "nets/ring.graph",
                   "nets/ring.graph: this is a graph file; a scenario names it, [topology] kind = \"file\" and file = "
                   "\"ring.graph\", and 'weir list topology' shows it alone");
  expect_message("hosts = 4\n", {}, "a.toml",
                 "a.toml:1: key 'hosts': unknown key (did you mean 'host'?); valid is title, run, fidelity, topology, "
                 "network, host, transport, "
                 "clocks, algorithm, profile, traffic, probes");
}

TEST(BadInput, OfTooManyTags) {
  std::string text(kGood.substr(0, kGood.find("[[traffic]]")));
  text += "[[traffic]]\nkind = \"flows\"\ntag = \"0\"\nflow = [\n";
  for (int i = 0; i < 65'536; ++i) text += fmt::format("{{ src = 1, dst = 2, size = \"1 B\", tag = \"{}\" }},\n", i);
  EXPECT_NO_THROW(build(load_scenario(text + "]", "a.toml")));
  text += "{ src = 1, dst = 2, size = \"1 B\", tag = \"one more\" }]";
  // the first flow is in line 12
  expect_message(text, {}, "a.toml", "a.toml:65548: key 'traffic.0.flow.65536': more than 65536 different tags");
}

// Lines of a data file count, and a file that cannot be read is told where it is named.
TEST(BadInput, OfADataFile) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "weir-bad-data";
  std::filesystem::create_directories(folder);
  const std::string flows = "[[traffic]]\nkind = \"flows\"\nfile = \"data\"\n";
  const std::string sizes = "[[traffic]]\nkind = \"poisson\"\nload = 0.1\nstop = \"1 us\"\nsizes = \"./data\"\n";
  const std::string star = "[topology]\nkind = \"star\"\nhosts = 4\n";
  const std::string graph = "[topology]\nkind = \"file\"\nfile = \"data\"\n";
  const std::string rest = "[algorithm]\nname = \"hpcc\"\n";
  struct DataCase {
    std::string scenario;
    std::string data;
    std::string message;  // %/ is the folder
  };
  const std::vector<DataCase> cases{
      {star + rest + flows, "src,dst,size_bytes,start_ns\n0,0,1,1\n", "%/data:2: flow of host 0 to itself"},
      {star + rest + flows, "src,dst,size_bytes,start_ns,tag\n0,1,1,1,\xff\n",
       "%/data:2: it has a byte 0xff where none can be, so it is no text (UTF-8); it should be a CSV file of flows"},
      {star + rest + sizes, "1000 0\n2000 \xfe\n",
       "%/./data:2: it has a byte 0xfe where none can be, so it is no text (UTF-8); it should be a file of lines "
       "'size_bytes cumulative_percent'"},
      {graph + rest + flows, "hosts 2\n\xc3",
       "%/data:2: it has a byte 0xc3 where none can be, so it is no text (UTF-8); it should be a graph file"},
      {graph + rest + flows, "hosts 2\nswitches 1\n" + std::string(5'000'000, 'k') + " 1\n",
       "%/data:3: unknown keyword '" + std::string(67, 'k') + " [... 4999900 bytes ...] " + std::string(33, 'k') +
           "'; valid is hosts, switches, ports, hosts_per_server, link"},
      {star + rest + flows, "src,dst,size_bytes,start_ns\n", "%/data: a header and no flows; write at least one flow"},
      {star + rest + flows, "src,dst,size_bytes,start_ns\n0,1,1000000000000001,1\n",
       "%/data:2: size_bytes = '1000000000000001' is not valid; write a whole number from 1 to 1000000000000000"},
      {star + rest + flows, "src,dst,size_bytes,start_ns\n0,4,1,1\n",
       "%/data:2: host 4 does not exist: hosts are 0 to 3"},
      {star + rest + flows, "src,dst,size,start_ns\n",
       "%/data:1: unknown column 'size' (did you mean 'size_bytes'?); valid is src, dst, size_bytes, start_ps, "
       "start_ns, start_us, tag, algorithm, "
       "profile, sport, dport, flow_id, actual_start_ns, finish_ps, fct_ps, fct_ns, ideal_fct_ps, standalone_fct_ns, "
       "slowdown, retransmitted_packets"},
      {star + rest + flows, "src,dst,size_bytes,start_ns,profile\n0,1,1,1,hpc\n",
       "%/data:2: no profile 'hpc' is defined (did you mean 'hpcc'?); valid is hpcc"},
      {star + rest + sizes, "1000 0\n2000 101\n",
       "%/./data:2: '101' is not a cumulative percentage; valid is a number from 0 to 100"},
      {star + rest + sizes, "1000 0\n2000 2\n",
       "%/./data: the last point is at 2, it must be at 100 %, or at 1 in fractions"},
      {graph + rest + flows, "hosts 2\nswitches 1\nlink 0 2 0 Gbps 1 us\n",
       "%/data:3: the link 0 - 2 has the rate 0 bps; valid is 1 Kbps to 100 Tbps"},
      {graph + rest + flows,
       "hosts 2\nswitches 3\nlink 0 2 1 Gbps 1 us\nlink 1 3 1 Gbps 1 us\nlink 3 4 1 Gbps 1 us\nlink 3 4 1 Gbps 1 us\n",

       "%/data:4: host 1 cannot reach host 0; links must connect all nodes, and hosts forward nothing"},
      {graph + rest + flows, "hosts 2\nswitches 1\nlink 0 2 1 Gbps 1 us\nlink 1 3 1 Gbps 1 us\n",
       "%/data:4: the second node cannot be '3'; valid is 0 to 2"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.data);
    std::ofstream(folder / "data") << c.data;
    std::string message = c.message;
    if (const auto at = message.find("%/"); at != std::string::npos) message.replace(at, 1, folder.string());
    expect_message(c.scenario, {}, (folder / "a.toml").string(), message);
  }
  std::filesystem::remove_all(folder);
}

// What the replica has not is refused where it is written.
TEST(BadInput, Fidelity) {
  const std::string good = "run.fidelity=ns3-hpcc";
  const std::vector<std::string> hpcc{good, "algorithm.preset=ns3"};
  EXPECT_NO_THROW(build(load_scenario(kGood, "a.toml", hpcc)));
  const auto expect_refused = [&](std::vector<std::string> overrides, const std::string& message) {
    overrides.insert(overrides.begin(), hpcc.begin(), hpcc.end());
    expect_message(std::string(kGood), overrides, "a.toml", message + " under run.fidelity = \"ns3-hpcc\"");
  };
  expect_refused({"algorithm.name=swift", "algorithm.preset=paper"},
                 "--set algorithm.name: 'swift' is not possible; valid is hpcc, dcqcn, timely, dctcp");
  expect_refused({"algorithm.signal=rxrate"}, "--set algorithm.signal: it is 'rxrate', but only 'txrate' is possible");
  expect_refused({"algorithm.reaction=per-ack"},
                 "--set algorithm.reaction: 'per-ack' is not possible; valid is hpcc, per-rtt");
  expect_refused({"fidelity.window=none"}, "--set fidelity.window: HPCC needs a window; valid is bdp, variable");
  expect_refused({"network.buffer.mode=lossy"},
                 "--set network.buffer.mode: it is 'lossy', but only 'lossless' is possible");
  expect_refused({"network.buffer.size=100 KB"},
                 "--set network.buffer.size: 100 KB is not more than reserve and headroom "
                 "of switch 4, 166384 bytes");
  expect_refused({"transport.int_mode=exact"}, "--set transport.int_mode: it is 'exact', but only 'wire' is possible");
  expect_refused({"topology.rate=40 Gbps"},
                 "a.toml:1: key 'topology': the link 0 - 4 has 40 Gbps, for which HPCC's "
                 "telemetry has no code; valid is 25, 50, 100, 200, 400 Gbps");
  expect_refused({"topology.delay=1500 ps"},
                 "a.toml:1: key 'topology': the link 0 - 4 has a delay of 1.5 ns; valid are whole nanoseconds");
  expect_refused({"traffic.0.size=4294967296 B"},
                 "a.toml:8: key 'traffic': a flow of 4294967296 bytes; valid is up to 4294967295");
  expect_refused({"fidelity.link_down_at=1 us", "fidelity.link_down_a=0", "fidelity.link_down_b=4"},
                 "--set fidelity.link_down_a: there is no link 0 - 4 between two switches");
  expect_message(
      std::string(kGood), {"fidelity.loss=0.1"}, "a.toml",
      "--set fidelity.loss: key 'fidelity': of use only with run.fidelity = \"flow\" or \"ns3-hpcc\" or \"htsim-uet\"; "
      "set that, or remove this");
  // single events
  for (const std::string key : {"probes.packets", "probes.queues.exact"})
    expect_message(
        std::string(kGood), {good, "algorithm.preset=ns3", key + "=true"}, "a.toml",
        "--set " + key + ": only run.fidelity = \"exact\" tells single events; write that, or leave this out");
}

}  // namespace
}  // namespace weir::scenario
