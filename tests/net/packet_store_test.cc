// What packets have beside their descriptors, from one host to the other.
#include "weir/net/link/packet_store.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "weir/base/archive.h"
#include "weir/base/error.h"

namespace weir::net {
namespace {

Packet packet_of(std::int64_t seq, PacketKind kind = PacketKind::data) {
  Packet p;
  p.kind = kind;
  p.seq = seq;
  p.src = static_cast<std::uint32_t>(seq) + 1;
  p.slot = 3;
  p.generation = 4;
  p.profile = 5;
  p.payload = 6;
  return p;
}

// Sends it.
Descriptor sent(PacketStore& store, const Packet& packet) {
  Descriptor d = packet;
  d.record = store.store(packet);
  return d;
}

std::string saved(PacketStore& store) {
  Saver a;
  store.archive(a);
  return a.take();
}

TEST(PacketStore, KeepsBodiesOnTheWay) {
  PacketStore store;
  const Descriptor first = sent(store, packet_of(100));
  const Descriptor second = sent(store, packet_of(200));
  EXPECT_EQ(store.body(first).seq, 100);
  EXPECT_EQ(store.packet(second).src, 201u);
  const Packet there = store.load(first);
  EXPECT_EQ(there.seq, 100);
  EXPECT_EQ(there.payload, 6);
  EXPECT_EQ(there.record, kNoRecord);
  // what has been given back last is taken next
  EXPECT_EQ(sent(store, packet_of(300)).record, first.record);
  EXPECT_EQ(store.body(second).seq, 200);
}

TEST(PacketStore, TelemetryGoesBackWithTheAcknowledgement) {
  PacketStore store;
  Packet data = packet_of(7);
  EXPECT_FALSE(data.has_telemetry());
  store.add_telemetry(data);
  const Descriptor there = sent(store, data);
  ASSERT_TRUE(there.has_telemetry());
  store.telemetry(there).hop[2].queue = 11;
  Packet ack = store.load(there);
  ack.kind = PacketKind::ack;
  const Descriptor other = sent(store, packet_of(9));
  EXPECT_NE(other.record, there.record & kNoRecord);
  store.add_sack(ack) = {.trigger = 12, .arrived = 0b101, .ahead = -2};
  const Descriptor back = sent(store, ack);
  EXPECT_EQ(back.record, there.record);
  EXPECT_EQ(store.telemetry(back).hop[2].queue, 11);
  EXPECT_EQ(store.sack(back).first(), 10);
  const Packet here = store.load(back);
  EXPECT_EQ(store.telemetry(here).hop[2].queue, 11);
  store.release(here);
  EXPECT_EQ(sent(store, packet_of(10)).record, there.record & kNoRecord);
}

TEST(PacketStore, PauseFramesHaveNoBody) {
  PacketStore store;
  Descriptor frame;
  frame.kind = PacketKind::pause;
  EXPECT_FALSE(frame.has_telemetry());
  EXPECT_EQ(store.packet(frame).seq, 0);
}

// Packets of all sorts come and go, more of them at times than ever before.
TEST(PacketStore, TakesNoRecordTwice) {
  PacketStore store;
  std::mt19937_64 random(2);
  std::deque<Descriptor> on_the_way;
  std::deque<std::int64_t> seqs;
  for (std::int64_t step = 0; step < 100'000; ++step) {
    if (on_the_way.empty() || random() % 1'000 < 490 + static_cast<std::uint64_t>(step % 20'000 / 1'000)) {
      Packet p = packet_of(step, random() % 2 == 0 ? PacketKind::data : PacketKind::ack);
      if (random() % 4 == 0) store.add_telemetry(p);
      if (p.kind == PacketKind::ack && random() % 2 == 0) store.add_sack(p).trigger = step;
      on_the_way.push_back(sent(store, p));
      seqs.push_back(step);
      continue;
    }
    const Packet p = store.load(on_the_way.front());
    ASSERT_EQ(p.seq, seqs.front());
    if ((p.flags & kSack) != 0) {
      ASSERT_EQ(store.sack(p).trigger, p.seq);
    }
    store.release(p);
    on_the_way.pop_front();
    seqs.pop_front();
  }
}

// What is saved depends on the packets on their way alone, not on how many there have been at once.
TEST(PacketStore, SavesWhatPacketsHave) {
  PacketStore store, crowded;
  std::vector<Descriptor> on_the_way;
  for (std::int64_t seq = 0; seq < 5; ++seq) {
    Packet p = packet_of(seq);
    if (seq == 1) store.add_telemetry(p);
    on_the_way.push_back(sent(store, p));
  }
  store.telemetry(on_the_way[1]).hop[2].queue = 11;
  store.load(on_the_way[0]);
  store.load(on_the_way[3]);
  std::vector<Descriptor> crowd;
  for (std::int64_t seq = 0; seq < 1'000; ++seq) {
    Packet p = packet_of(seq);
    crowded.add_telemetry(p);
    crowd.push_back(sent(crowded, p));
  }
  for (std::size_t i = 0; i < crowd.size(); ++i)
    if (i % 400 != 7) crowded.release(crowded.load(crowd[i]));
  EXPECT_EQ(store.in_use(), crowded.in_use());
  const std::string of_few = saved(store);
  EXPECT_EQ(saved(crowded).size(), of_few.size());

  Loader a(of_few);
  crowded.archive(a);
  EXPECT_TRUE(a.at_end());
  EXPECT_EQ(crowded.in_use(), 3u);
  for (const std::size_t i : {1, 2, 4}) EXPECT_EQ(crowded.body(on_the_way[i]).seq, static_cast<std::int64_t>(i));
  EXPECT_EQ(crowded.telemetry(on_the_way[1]).hop[2].queue, 11);
  EXPECT_EQ(saved(crowded), of_few);
  // those that are taken now are not those that packets have
  for (std::int64_t seq = 100; seq < 300; ++seq) sent(crowded, packet_of(seq));
  for (const std::size_t i : {1, 2, 4}) EXPECT_EQ(crowded.body(on_the_way[i]).seq, static_cast<std::int64_t>(i));
  EXPECT_EQ(crowded.in_use(), 203u);
}

// A store that was loaded while no packet was on its way saves as much later on as one that went on.
TEST(PacketStore, RemembersThatPacketsAreMeasured) {
  PacketStore store, loaded;
  Packet measured = packet_of(1);
  store.add_telemetry(measured);
  store.release(store.load(sent(store, measured)));
  const std::string empty = saved(store);
  Loader a(empty);
  loaded.archive(a);
  sent(store, packet_of(2));
  sent(loaded, packet_of(2));
  EXPECT_EQ(saved(loaded).size(), saved(store).size());
}

// What it carries comes along into another store, whatever it is, and into a checkpoint.
TEST(PacketStore, PacksAllThatAPacketCarries) {
  for (const bool measured : {false, true})
    for (const bool asks : {false, true})
      for (const bool noted : {false, true}) {
        PacketStore store, other;
        sent(other, packet_of(1));
        Packet packet = packet_of(7);
        if (noted) packet.flags |= flags_of(PathPolicy::conga);
        if (measured) store.add_telemetry(packet);
        if (asks) store.tell_size(packet, 123'456);
        const Descriptor here = sent(store, packet);
        if (measured) store.telemetry(here).hops = 2;
        if (noted) store.path_note(here).as<std::uint64_t>() = 99;
        std::vector<char> bytes(PacketStore::kMostPacked);
        const char* const end = store.pack(here, bytes.data());
        Packet copy = packet;
        copy.record = measured ? kHasTelemetry : kNoRecord;
        EXPECT_EQ(other.unpack(copy, bytes.data()), end);
        Saver a;
        const Descriptor there = sent(other, copy);
        other.archive(a);
        PacketStore loaded;
        Loader b(a.content());
        loaded.archive(b);
        EXPECT_EQ(loaded.body(there).seq, 7);
        if (measured) {
          EXPECT_EQ(loaded.telemetry(there).hops, 2u);
        }
        if (asks) {
          EXPECT_EQ(loaded.told_size(there), 123'456);
        }
        if (noted) {
          EXPECT_EQ(loaded.path_note(there).as<std::uint64_t>(), 99u);
        }
        // at a host it keeps its record only if that has something to read there
        EXPECT_EQ(loaded.load(there).has_record(), measured || asks);
      }
}

TEST(PacketStore, RefusesRecordsThatAreNotPossible) {
  for (const std::vector<std::uint32_t>& used :
       {std::vector<std::uint32_t>{3, 3}, std::vector<std::uint32_t>{4, 3}, std::vector<std::uint32_t>{kNoRecord}}) {
    Saver a;
    a.values(used);
    a.value(false);
    Loader broken(a.content());
    PacketStore store;
    EXPECT_THROW(store.archive(broken), InputError);
  }
}

// A field that they forgot would keep its old value.
template <class Fields>
void expect_all_copied() {
  Fields from, to;
  auto* const bytes = reinterpret_cast<unsigned char*>(&from);
  for (std::size_t i = 0; i < sizeof from; ++i) bytes[i] = static_cast<unsigned char>(i + 1);
  std::memset(static_cast<void*>(&to), 0, sizeof to);
  copy_fields(to, from);
  EXPECT_EQ(std::memcmp(&to, &from, sizeof from), 0);
}

TEST(CopyFields, CopiesAll) {
  expect_all_copied<Descriptor>();
  expect_all_copied<PacketBody>();
  expect_all_copied<Sack>();
}

}  // namespace
}  // namespace weir::net
