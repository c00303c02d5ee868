// Many flows that meet on many links: an all-to-all of random sizes against a run of its own that works out all rates
// from nothing after every end, and what is remembered of flows that are alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weir/base/random.h"
#include "weir/fluid/lone_times.h"
#include "weir/fluid/paths.h"
#include "weir/scenario/build.h"
#include "weir/theory/max_min.h"

namespace weir::fluid {
namespace {

constexpr std::uint32_t kHosts = 16;

// Each host sends to each other one at time 0, 0.5 to 1.5 MB, or one of three sizes, so that many end together.
std::string all_to_all(bool few_sizes) {
  const RandomStream draws(3, 0, Purpose::algorithm);
  std::string flows;
  std::uint64_t drawn = 0;
  for (std::uint32_t src = 0; src < kHosts; ++src)
    for (std::uint32_t dst = 0; dst < kHosts; ++dst) {
      if (src == dst) continue;
      const std::uint64_t size =
          few_sizes ? 500'000 * (1 + draws.below(drawn++, 3)) : 500'000 + draws.below(drawn++, 1'000'000);
      flows += fmt::format("  {{ src = {}, dst = {}, size = \"{} B\" }},\n", src, dst, size);
    }
  return "[run]\nfidelity = \"flow\"\n[[traffic]]\nkind = \"flows\"\nflow = [\n" + flows + "]\n";
}

const std::string kLeafSpine =
    "[topology]\nkind = \"leaf-spine\"\nleaves = 4\nspines = 4\nhosts_per_leaf = 4\nfabric_rate = \"100 Gbps\"\n";
const std::string kFatTree = "[topology]\nkind = \"fat-tree\"\nk = 4\nrate = \"100 Gbps\"\n";
const std::string kRails =
    "[topology]\nkind = \"rail\"\nservers = 4\ngpus = 4\nservers_per_segment = 2\nspines = 2\nhost_rate = \"100 "
    "Gbps\"\n"
    "fabric_rate = \"100 Gbps\"\n";
const std::string kOnePath = "[algorithm]\nname = \"hpcc\"\n";
const std::string kSprayed = "[algorithm]\nname = \"swift\"\nload_balancing.kind = \"ops\"\nrecovery.kind = \"sack\"\n";

// When each flow has sent all, in picoseconds, by the theory library alone.
std::vector<double> ends(const theory::Network& all, std::vector<double> bits) {
  std::vector<double> out(bits.size());
  std::vector<std::size_t> left(bits.size());
  for (std::size_t j = 0; j < left.size(); ++j) left[j] = j;
  for (double now = 0; !left.empty();) {
    theory::Network network{all.capacities, {}};
    for (const std::size_t j : left) network.flows.push_back(all.flows[j]);
    const std::vector<double> rates = theory::max_min(network).rates;
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < left.size(); ++i) step = std::min(step, bits[left[i]] / rates[i]);
    now += step;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::size_t j = left[i];
      bits[j] -= rates[i] * step;
      out[j] = now * 1e12;
      if (bits[j] > 1e-6) others.push_back(j);
    }
    left = others;
  }
  return out;
}

struct Dense {
  std::string name;
  std::string text;
};

void PrintTo(const Dense& dense, std::ostream* out) { *out << dense.name; }

class AllToAll : public testing::TestWithParam<Dense> {};

TEST_P(AllToAll, EndsAsRatesFromNothingHaveIt) {
  const scenario::Run run = scenario::build(scenario::load_scenario(GetParam().text, "dense.toml"));
  const engine::Model& model = *run.model;
  std::map<std::uint64_t, host::FlowRecord> records;
  run.simulation->on_finish([&](const host::FlowRecord& r) { records.emplace(r.id, r); });
  while (!run.simulation->advance()) {
  }
  ASSERT_EQ(records.size(), kHosts * (kHosts - 1));

  PathFinder paths(model);
  theory::Network network;
  for (const net::Link& link : model.topology.links)
    network.capacities.insert(network.capacities.end(), 2, static_cast<double>(link.rate.bits_per_second));
  std::vector<double> bits;
  std::vector<LoneTimes::Times> alone;
  for (const auto& [id, r] : records) {
    const auto path = paths.along(r.src, r.dst, r.entropy);
    alone.push_back(LoneTimes(model).of(r.src, r.dst, r.size, r.profile, path));
    bits.push_back(alone.back().wire);
    const bool one = model.profiles[r.profile].balancing.has_one_path();
    theory::Flow flow;
    for (const auto& use : one ? path : paths.spread(r.src, r.dst)) {
      flow.links.push_back(use.link);
      flow.shares.push_back(use.share);
    }
    network.flows.push_back(flow);
  }
  const std::vector<double> sent = ends(network, bits);
  std::size_t j = 0;
  double first = sent.front();
  for (const auto& [id, r] : records) {
    const LoneTimes::Times& times = alone[j];
    const double received =
        std::max(sent[j] + static_cast<double>(times.tail.ps), static_cast<double>(times.delivery.ps));
    const double wanted =
        std::max(received + static_cast<double>(times.back.ps), static_cast<double>(times.ideal_fct.ps));
    // all sending ends at whole picoseconds, after which others get their rates: at most one for each flow before
    EXPECT_NEAR(static_cast<double>(r.finish.ps), wanted, static_cast<double>(records.size())) << "flow " << id;
    first = std::min(first, sent[j]);
    ++j;
  }
  EXPECT_GT(*std::max_element(sent.begin(), sent.end()), 1.5 * first);  // rates and sizes differ
}

INSTANTIATE_TEST_SUITE_P(Networks, AllToAll,
                         testing::Values(Dense{"leaf_spine", all_to_all(false) + kLeafSpine + kOnePath},
                                         Dense{"leaf_spine_three_sizes", all_to_all(true) + kLeafSpine + kOnePath},
                                         Dense{"leaf_spine_sprayed", all_to_all(false) + kLeafSpine + kSprayed},
                                         Dense{"fat_tree", all_to_all(false) + kFatTree + kOnePath},
                                         Dense{"rails", all_to_all(false) + kRails + kOnePath}),
                         [](const auto& one) { return one.param.name; });

// What one object remembers is what another finds that has seen no flow before.
TEST(LoneTimes, AreThoseOfTheFlowWhateverCameBefore) {
  const std::string traffic = "[[traffic]]\nkind = \"flows\"\nflow = [{ src = 0, dst = 1, size = \"1 KB\" }]\n";
  const std::string unequal = "[topology]\nkind = \"file\"\nfile = \"tests/fluid/cases/two-links.graph\"\n";
  const std::string planes = "[topology]\nkind = \"star\"\nhosts = 6\nplanes = 2\n";
  for (const std::string& network : {kLeafSpine, kFatTree, kRails, unequal, planes})
    for (const std::string& algorithm : {kOnePath, kSprayed}) {
      const scenario::Run run = scenario::build(
          scenario::load_scenario("[run]\nfidelity = \"flow\"\n" + network + algorithm + traffic, "l.toml"));
      const engine::Model& model = *run.model;
      const net::Framing framing = model.framing(model.profiles.front());
      PathFinder paths(model);
      LoneTimes remembers(model);
      for (std::uint32_t src = 0; src < model.topology.hosts; ++src)
        for (std::uint32_t dst = 0; dst < model.topology.hosts; ++dst)
          for (const std::int64_t size : {1, 1000, 1001, 250'000}) {
            if (src == dst) continue;
            const auto path = paths.along(src, dst, 17 * src + dst);
            const LoneTimes::Times got = remembers.of(src, dst, {size}, 0, path);
            const LoneTimes::Times wanted = LoneTimes(model).of(src, dst, {size}, 0, path);
            EXPECT_EQ(got.tail, wanted.tail);
            EXPECT_EQ(got.wire, wanted.wire);
            EXPECT_EQ(got.packets, (size + framing.payload.count - 1) / framing.payload.count);
            EXPECT_EQ(got.back, model.paths.one_way(dst, src, framing.ack) + model.host.answer_delay());
            EXPECT_EQ(got.delivery, model.paths.delivery(src, dst, {size}, framing));
            EXPECT_EQ(got.ideal_fct, model.paths.ideal_fct(src, dst, {size}, framing));
          }
    }
}

}  // namespace
}  // namespace weir::fluid
