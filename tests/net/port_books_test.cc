// A port whose books are kept for a turn does the same to packets as one that sees each by itself.
#include "weir/net/port_books.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

namespace weir::net {
namespace {

Port port_of(PortKind kind) {
  Port p;
  p.kind = kind;
  p.rate = Rate{100'000'000'000};
  p.ps_per_byte = 80;
  return p;
}

Descriptor packet(std::uint16_t wire, bool urgent) {
  Descriptor out;
  out.wire = wire;
  out.traffic_class = urgent ? TrafficClass::priority : TrafficClass::data;
  return out;
}

struct Came {
  Time at;
  Descriptor packet;
};

// One packet after the other, as port.h and ranked_port.h have it.
void see_each(Port& p, const std::vector<Came>& came, Time until) {
  for (const Came& c : came) {
    if (p.kind == PortKind::ranked) {
      drain_ranked(p, c.at, Ignore{});
      accept_ranked(p, c.packet, 7, c.at);
    } else {
      drain(p, c.at, Ignore{});
      (idle(p, c.at) ? start(p, c.packet, c.at) : accept(p, c.packet, c.at)).ingress = 7;
    }
  }
  if (p.kind == PortKind::ranked)
    drain_ranked(p, {until.ps - 1}, Ignore{});
  else
    drain(p, {until.ps - 1}, Ignore{});
}

// By the books. What has waited is told as it leaves, once each and in order.
template <class Books>
void keep_books(Port& p, const std::vector<Came>& came, Time until) {
  Time last{-1};
  std::uint32_t told = 0;
  const std::uint32_t waited = p.waiting() + (p.urgent.tail - p.urgent.cursor);
  const auto on_depart = [&](const Descriptor& departed) {
    EXPECT_GE(departed.departs, last);
    last = departed.departs;
    ++told;
  };
  Books books(p);
  for (const Came& c : came) {
    books.drain(c.at, on_depart);
    EXPECT_GE(books.queued(), books.queued_with(c.packet));
    if (!books.is_full_for(c.packet)) {
      if (!books.put(c.packet, 7, c.at)) ++told;
      continue;
    }
    books.close(p, {c.at.ps + 1}, on_depart);
    if (std::is_same_v<Books, RankedBooks>)
      accept_ranked(p, c.packet, 7, c.at);
    else
      (idle(p, c.at) ? ++told, start(p, c.packet, c.at) : accept(p, c.packet, c.at)).ingress = 7;
    books.open(p);
  }
  books.close(p, until, on_depart);
  EXPECT_EQ(told, waited + came.size() - p.waiting() - (p.urgent.tail - p.urgent.cursor));
}

using Seen = std::tuple<std::int64_t, std::uint32_t, std::uint16_t, std::uint16_t>;

std::vector<Seen> seen(const PacketRing& ring) {
  std::vector<Seen> out;
  for (std::uint32_t at = ring.head; at != ring.tail; ++at) {
    const bool has_left = at - ring.head < ring.cursor - ring.head;
    const Descriptor& d = ring[at];
    out.emplace_back(has_left ? d.departs.ps : 0, has_left ? d.queue : 0, d.wire, d.ingress);
  }
  return out;
}

// `load`: of the link, in percent.
template <class Books>
void compare(PortKind kind, std::uint64_t seed, int load) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", load " << load << " %");
  std::mt19937_64 random(seed);
  Port one = port_of(kind), other = port_of(kind);
  for (std::int64_t turn = 0; turn < 40; ++turn) {
    const std::int64_t length = 1'000'000;
    std::vector<std::int64_t> times(random() % static_cast<std::uint64_t>(1 + load * length / 100 / 20'000));
    for (std::int64_t& at : times) at = turn * length + static_cast<std::int64_t>(random() % 1'000) * 1'000;
    std::sort(times.begin(), times.end());  // some at one instant, and at that of a departure
    std::vector<Came> came;
    for (const std::int64_t at : times)
      came.push_back({{at}, packet(static_cast<std::uint16_t>(random() % 4 == 0 ? 100 : 1'000), random() % 3 == 0)});
    const Time until{(turn + 1) * length};
    for (Port* p : {&one, &other}) {
      p->ring.rewind_if_empty();
      p->urgent.rewind_if_empty();
    }
    see_each(one, came, until);
    keep_books<Books>(other, came, until);
    ASSERT_EQ(seen(one.ring), seen(other.ring));
    ASSERT_EQ(seen(one.urgent), seen(other.urgent));
    ASSERT_EQ(one.queued, other.queued);
    ASSERT_EQ(one.urgent_queued, other.urgent_queued);
    ASSERT_EQ(one.free_at, other.free_at);
    // some arrive at the far end, in the same order
    for (std::uint64_t n = random() % 60; n > 0 && !wire_is_empty(one); --n) {
      ASSERT_FALSE(wire_is_empty(other));
      ASSERT_EQ(take_off_wire(one).departs, take_off_wire(other).departs);
    }
  }
}

TEST(PortBooks, OfAFifoPortAreThoseOfThePort) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (const int load : {10, 80, 110, 700}) compare<FifoBooks>(PortKind::fifo, seed, load);
}

TEST(PortBooks, OfARankedPortAreThoseOfThePort) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (const int load : {10, 80, 110, 700}) compare<RankedBooks>(PortKind::ranked, seed, load);
}

}  // namespace
}  // namespace weir::net
