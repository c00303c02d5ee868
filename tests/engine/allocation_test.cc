// Once warm, a run allocates nothing per packet or event; and what a packet, a port and a flow take is bounded.
//
// All ways to the heap are counted, in this executable as in the library: operator new, and the C functions, which
// rings and pools call. Sanitizers bring functions of their own; there only the sizes are tested.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/engine/scenario.h"
#include "weir/base/large_pages.h"
#include "weir/base/sanitized.h"
#include "weir/cc/median_filter.h"
#include "weir/policy/decider.h"

#if WEIR_SANITIZED || !defined(__GLIBC__)
#define WEIR_COUNTS_ALLOCATIONS 0
#else
#define WEIR_COUNTS_ALLOCATIONS 1
#endif

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

#if WEIR_COUNTS_ALLOCATIONS
// glibc keeps its functions under these names for programs that replace the public ones; operator new calls malloc.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(n, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
}
#endif

namespace weir::engine {
namespace {

using namespace literals;

// Of both kinds: what malloc gives, and blocks cut from large pages.
std::uint64_t allocated() { return allocations.load() + large_page_blocks_taken(); }

class SteadyState : public testing::TestWithParam<std::tuple<const char*, Way>> {};

// Rings and queues never shrink and double when they are full, so a queue longer than any before it still costs one
// allocation. With windows that never change all records fall while the run warms up; where windows or rates swing, a
// few of the hundred-odd rings see theirs later.
constexpr std::uint64_t kRecords = 32;

// A permutation that never ends, on two tiers, at full load and with collisions in the fabric.
TEST_P(SteadyState, AllocatesNothing) {
  if (!WEIR_COUNTS_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted here";
  const auto& [algorithm, way] = GetParam();
  Scenario s;
  net::LeafSpine topology;
  topology.hosts_per_leaf = 4;
  topology.fabric_rate = 100_Gbps;
  s.topology = build(topology);
  s.profiles = {profile(algorithm)};
  s.ecn.enabled = std::string_view(algorithm) == "dcqcn";
  s.buffer.size = 1_MB;
  s.transport.min_rto = 500_us;
  for (std::uint32_t h = 0; h < 16; ++h) s.add_flow(h, (h + 5) % 16, 1_GB);
  const auto model = s.model(way.port);
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {.threads = way.threads, .scheduler = way.scheduler});
  // To warm up, queues, timers and the lists of free things reach the sizes that they keep. That takes a few
  // retransmission timeouts: each flow's timer entry is renewed once in that time.
  simulation.advance(2_ms);
  ASSERT_EQ(simulation.threads(), way.threads);
  const Counters before = simulation.counters();
  const std::uint64_t at_first = allocated();
  simulation.advance(4_ms);
  EXPECT_LE(allocated() - at_first, std::string_view(algorithm) == "fixed-window" ? 0 : kRecords);
  EXPECT_GT(simulation.counters().packet_hops - before.packet_hops, 300'000u);
  EXPECT_EQ(simulation.counters().flows_completed, 0u);
}

constexpr Way kEngines[] = {{}, {.port = net::PortKind::queued, .scheduler = SchedulerKind::heap}, {.threads = 2}};

INSTANTIATE_TEST_SUITE_P(Ways, SteadyState,
                         testing::Combine(testing::Values("fixed-window", "hpcc", "dcqcn", "bbr"),
                                          testing::ValuesIn(kEngines)));

// Flows come and go; their blocks, slots and telemetry are used again.
TEST(Turnover, AllocatesNothingPerFlow) {
  if (!WEIR_COUNTS_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted here";
  Scenario s;
  s.topology = build(net::Star{9});
  s.profiles = {profile("hpcc")};
  s.transport.min_rto = 100_us;
  for (int i = 0; i < 4'000; ++i) s.add_flow(static_cast<std::uint32_t>(i % 8), 8, 2'000_B, Time{i * 500'000});
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  std::uint64_t finished = 0;
  simulation.on_finish([&](const host::FlowRecord&) { ++finished; });
  simulation.advance(1_ms);
  const std::uint64_t at_first = allocated();
  const std::uint64_t finished_before = finished;
  simulation.advance();
  EXPECT_GT(finished - finished_before, 1'900u);
  EXPECT_LE(allocated() - at_first, kRecords);
}

TEST(Allocations, AreCounted) {
  if (!WEIR_COUNTS_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted here";
  net::PacketRing().push();  // the first block of all brings more
  const std::uint64_t before = allocated();
  net::PacketRing ring;
  ring.push();
  EXPECT_EQ(allocated() - before, 1u);
  const auto on_heap = std::make_unique<std::vector<int>>(10);
  EXPECT_EQ(on_heap->size(), 10u);
  EXPECT_EQ(allocated() - before, 3u);
}

TEST(Memory, HasBudgets) {
  static_assert(sizeof(net::Packet) <= 64);
  static_assert(sizeof(net::Port) <= 256);
  for (const cc::Algorithm& a : cc::catalogue()) {
    // As FlowPool rounds them; HPCC keeps the telemetry of the last acknowledgement, a median its signals, and PCC-RL
    // what its policy remembers (12 B of an MLP's), which do not count; hpcc-per-hop has 40 B for each hop beside.
    const std::size_t state = (a.state_size + 63) / 64 * 64;
    const std::size_t records = (cc::has(a.about.needs, cc::Needs::telemetry) ? sizeof(Telemetry) : 0) +
                                (a.params->find("median_history") != nullptr ? sizeof(cc::MedianFilter) : 0) +
                                (a.params->find("policy") != nullptr ? policy::Decider::kMaxMemory : 0) +
                                (a.about.name == "hpcc-per-hop" ? std::size_t{40} * kMaxTelemetryHops : 0);
    EXPECT_LE(sizeof(host::Flow) + state - std::min(records, state), 512u) << a.about.name;
  }
}

}  // namespace
}  // namespace weir::engine
