// A port whose books are kept for a turn does the same to packets as one that sees each by itself.
#include "weir/net/port/port_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "weir/net/port/wire.h"

namespace weir::net::port_batch_test {
namespace {

constexpr std::int64_t kTurn = 1'000'000;  // ps

struct Case {
  std::uint32_t packets = 0;               // in a turn, at most
  std::uint32_t position = 0;              // of the rings at first; if not 0, each has a packet on the wire there
  std::uint32_t ps_per_byte = 80;          // at 100 Gbps; 0: worked out by division
  std::uint32_t room = ~std::uint32_t{0};  // bytes of a class, at most
};

Descriptor packet(std::uint16_t wire, bool urgent) {
  Descriptor out;
  out.wire = wire;
  out.traffic_class = urgent ? TrafficClass::priority : TrafficClass::data;
  return out;
}

Port port_of(PortKind kind, const Case& c) {
  Port p;
  p.kind = kind;
  p.rate = Rate{100'000'000'000};
  p.ps_per_byte = c.ps_per_byte;
  if (c.position == 0) return p;
  for (PacketRing* ring : {&p.ring, &p.urgent}) {  // an empty one would begin at its first place
    if (ring == &p.urgent && kind == PortKind::fifo) break;
    ring->head = ring->tail = c.position;
    ring->push() = packet(100, ring == &p.urgent);
    ring->cursor = ring->tail;
    if (kind == PortKind::priority) Priority::note_departure(p, ring == &p.urgent);
  }
  return p;
}

struct Came {
  Time at;
  Descriptor packet;
};

std::uint32_t waiting(const Port& p) { return p.waiting() + (p.urgent.tail - p.urgent.cursor); }
std::uint32_t queued_with(const Port& p, const Descriptor& packet) {
  if (p.kind == PortKind::fifo) return p.queued;
  return is_urgent(packet) ? p.urgent_queued : p.queued - p.urgent_queued;
}
void settle(Port& p, Time now) {
  p.kind == PortKind::priority ? Priority::drain(p, now, Ignore{}) : Fifo::drain(p, now, Ignore{});
}
// One packet, if there is room for it, as port.h and priority_port.h have it. True if it has begun to leave.
bool see(Port& p, const Came& came, const Case& c) {
  settle(p, came.at);
  if (queued_with(p, came.packet) + came.packet.wire > c.room) return false;
  const bool starts = p.kind == PortKind::fifo && Fifo::starts_at_once(p, came.packet, came.at);
  if (p.kind == PortKind::priority)
    Priority::accept(p, came.packet, 7, came.at);
  else if (starts)
    Fifo::start(p, came.packet, 7, came.at);
  else
    Fifo::accept(p, came.packet, came.at).ingress = 7;
  return starts;
}

void see_each(Port& p, const std::vector<Came>& came, Time until, const Case& c) {
  for (const Came& one : came) see(p, one, c);
  settle(p, {until.ps - 1});
}

// By the books, as long as there is room. What has waited is told as it leaves, once each and in order.
template <class Books>
void keep_books(Port& p, const std::vector<Came>& came, Time until, const Case& c) {
  Time last{-1};
  std::uint32_t told = 0;
  std::uint32_t came_to_wait = waiting(p);
  const auto on_depart = [&](const Descriptor& departed) {
    EXPECT_GE(departed.departs, last);
    last = departed.departs;
    ++told;
  };
  Books books(p);
  for (const Came& one : came) {
    books.drain(one.at, on_depart);
    if (books.queued_with(one.packet) + one.packet.wire <= c.room && !books.is_full_for(one.packet)) {
      came_to_wait += books.put(one.packet, 7, one.at);
      continue;
    }
    books.close(p, {one.at.ps + 1}, on_depart);
    EXPECT_LE(queued_with(p, one.packet), books.queued_with(one.packet));
    EXPECT_LE(p.queued, books.queued());
    const std::uint32_t before = p.ring.size() + p.urgent.size();
    const bool starts = see(p, one, c);
    came_to_wait += p.ring.size() + p.urgent.size() - before - starts;
    books.open(p);
  }
  books.close(p, until, on_depart);
  EXPECT_EQ(told, came_to_wait - waiting(p));
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

template <class Books>
void compare(PortKind kind, std::uint64_t seed, const Case& c) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", up to " << c.packets << " packets, position " << c.position);
  std::mt19937_64 random(seed);
  Port one = port_of(kind, c), other = port_of(kind, c);
  for (std::int64_t turn = 0; turn < 40; ++turn) {
    std::vector<std::int64_t> times(random() % (c.packets + 1));
    for (std::int64_t& at : times) at = turn * kTurn + static_cast<std::int64_t>(random() % 1'000) * 1'000;
    std::sort(times.begin(), times.end());  // some at one instant, and at that of a departure
    std::vector<Came> came;
    for (const std::int64_t at : times)
      came.push_back({{at}, packet(static_cast<std::uint16_t>(random() % 4 == 0 ? 100 : 1'000), random() % 3 == 0)});
    const Time until{(turn + 1) * kTurn};
    for (Port* p : {&one, &other}) {
      p->ring.rewind_if_empty();
      p->urgent.rewind_if_empty();
    }
    see_each(one, came, until, c);
    keep_books<Books>(other, came, until, c);
    ASSERT_EQ(seen(one.ring), seen(other.ring));
    ASSERT_EQ(seen(one.urgent), seen(other.urgent));
    ASSERT_EQ(one.ring.cursor, other.ring.cursor);
    ASSERT_EQ(one.urgent.cursor, other.urgent.cursor);
    ASSERT_EQ(one.queued, other.queued);
    ASSERT_EQ(one.urgent_queued, other.urgent_queued);
    ASSERT_EQ(one.free_at, other.free_at);
    ASSERT_EQ(one.order_is_partial, other.order_is_partial);
    // some arrive at the far end, in the same order
    for (std::uint64_t n = random() % (3 * c.packets / 4 + 10); n > 0 && !wire_is_empty(one); --n) {
      ASSERT_FALSE(wire_is_empty(other));
      ASSERT_EQ(take_off_wire(one).departs, take_off_wire(other).departs);
    }
  }
}

// A turn is as long as 12 packets of 1,000 bytes.
const Case kCases[] = {
    {.packets = 3},
    {.packets = 20},
    {.packets = 35},
    {.packets = 350},  // more than the books hold; and more on the wire than its order holds
    {.packets = 20, .position = ~std::uint32_t{0} - 40},
    {.packets = 20, .ps_per_byte = 0},
    {.packets = 60, .room = 9'000},
};

TEST(PortBooks, OfAFifoPortAreThoseOfThePort) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (const Case& c : kCases) compare<FifoBatch>(PortKind::fifo, seed, c);
}

TEST(PortBooks, OfAPriorityPortAreThoseOfThePort) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (const Case& c : kCases) compare<PriorityBatch>(PortKind::priority, seed, c);
}

}  // namespace
}  // namespace weir::net::port_batch_test
