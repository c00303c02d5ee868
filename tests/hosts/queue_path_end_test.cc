// How the path ends: packets that wait leave in order, and the host is as it was before, also after a kill.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "hosts/queue/mangle_table.h"
#include "hosts/queue/programs.h"
#include "hosts/queue/queue_path.h"
#include "hosts/queue/tap.h"
#include "tests/hosts/queue_path_lab.h"

namespace weir::hosts {
namespace {

using namespace queue_lab;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Packets that wait when the path ends leave before those that come then.
TEST(QueuePath, NoPacketPassesAnotherWhenItEnds) {
  in_namespace([] {
    PathSettings settings = on_loopback();
    settings.max_hold = settings.rule.max_pause = 1'000'000'000;
    const auto path = attach_queue(settings);
    Peer peer = self(false);
    peer.clock.offset = -150'000'000;  // so long is a hold
    peer.clock.sigma = 200'000'000;
    path->set_peer(peer);
    path->beat(monotonic());
    const auto connection = connected(false);
    ASSERT_TRUE(connection);
    const Address here = loopback(false);
    Tap tap(Tap::Way::in_v4, ::if_nametoindex("lo"), {&here, 1});
    std::optional<std::uint32_t> next;
    int packets = 0;
    int gaps = 0;
    const auto look = [&](const Segment& segment, std::int64_t) {
      if (next && static_cast<std::int32_t>(segment.seq - *next) > 0) ++gaps;
      const std::uint32_t end = segment.seq + segment.length;
      if (!next || static_cast<std::int32_t>(end - *next) > 0) next = end;
      ++packets;
    };
    const auto send_for = [&](std::chrono::milliseconds time) {
      std::array<char, 100> data{};
      for (const auto end = Clock::now() + time; Clock::now() < end; std::this_thread::sleep_for(1ms)) {
        (void)::send(connection->sender.get(), data.data(), data.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)::recv(connection->receiver.get(), data.data(), data.size(), MSG_DONTWAIT);
        tap.read(look);
      }
    };
    const int on = 1;
    ::setsockopt(connection->sender.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    send_for(400ms);
    EXPECT_GT(path->counters().held, 0u);
    std::thread end([&] { path->detach(); });
    send_for(600ms);
    end.join();
    EXPECT_GT(packets, 50);
    EXPECT_EQ(gaps, 0) << "of " << packets << " packets";
  });
}

TEST(QueuePath, RulesThatAnEarlierOneLeftAreTakenAway) {
  in_namespace([] {
    ASSERT_EQ(run({"iptables", "-t", "mangle", "-N", "WEIR_ON_RAMP"}).status, 0);
    for (int i = 0; i != 2; ++i)
      ASSERT_EQ(run({"iptables", "-t", "mangle", "-A", "OUTPUT", "-p", "tcp", "-j", "WEIR_ON_RAMP"}).status, 0);
    attach_queue(on_loopback());
    EXPECT_EQ(rules(), "");
    EXPECT_TRUE(has_mangle_table(false)) << "it was there";
  });
}

// A path in a process of its own that is killed while it holds packets to peers of both versions of IP.
void kill_a_path() {
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
  const Descriptor says(ready[0]);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto path = attach_queue(on_loopback());
    for (const bool v6 : {false, true}) path->set_peer(self(v6));
    path->beat(monotonic());
    (void)!::write(ready[1], "", 1);
    std::this_thread::sleep_for(20s);
    ::_exit(1);
  }
  ::close(ready[1]);
  char byte = 0;
  ASSERT_EQ(::read(says.get(), &byte, 1), 1) << "no path";
  ASSERT_EQ(rules(false) + rules(true), "chainchain");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(QueuePath, NothingIsLeftWhenItIsKilled) {
  in_namespace([] {
    expect_no_trace();
    kill_a_path();
    EXPECT_TRUE(comes_true([] { return !has_mangle_table(false) && !has_mangle_table(true); }));
    expect_no_trace();
  });
}

TEST(QueuePath, TablesThatWereThereStayWhenItIsKilled) {
  in_namespace([] {
    ASSERT_EQ(run({"iptables", "-t", "mangle", "-N", "OF_OTHERS"}).status, 0);
    kill_a_path();
    EXPECT_TRUE(comes_true([] { return rules(false).empty() && !has_mangle_table(true); }));
    EXPECT_TRUE(has_mangle_table(false));
    EXPECT_EQ(run({"iptables", "-t", "mangle", "-X", "OF_OTHERS"}).status, 0) << "it is there still";
    std::this_thread::sleep_for(300ms);  // the watchdog looks twice
    EXPECT_TRUE(has_mangle_table(false)) << "somebody else made it";
  });
}

TEST(QueuePath, RulesOfOthersStay) {
  in_namespace([] {
    const auto path = attach_queue(on_loopback());
    path->set_peer(self(false));
    path->beat(monotonic());
    const Command rule{"iptables", "-t", "mangle", "-A", "INPUT", "-p", "udp", "-j", "ACCEPT"};
    ASSERT_EQ(run(rule).status, 0);
    path->detach();
    EXPECT_EQ(rules(), "");
    Command check = rule;
    check[3] = "-C";
    EXPECT_EQ(run(check).status, 0);
  });
}

TEST(QueuePath, WhatItChangesIsToldBefore) {
  in_namespace([] {
    std::vector<Undo> told;
    PathSettings settings = on_loopback();
    settings.segment_limit = 10'000;
    settings.before_change = [&](const Undo& undo) { told.push_back(undo); };
    const auto path = attach_queue(settings);
    path->set_peer(self(false));
    path->beat(monotonic());
    ASSERT_GE(told.size(), 6u);
    EXPECT_EQ(told[0].command, (Command{kRemoveEmptyTable, "ip"}));
    EXPECT_EQ(told[1].command, (Command{kRemoveEmptyTable, "ip6"}));
    EXPECT_EQ(told[2].interface, "lo");
    EXPECT_EQ(told[2].command.at(5), "gso_max_size");
    // As if the agent had ended: all that was told, from the last to the first, leaves nothing.
    for (auto undo = told.rbegin(); undo != told.rend(); ++undo)
      if (undo->command.front() == kRemoveEmptyTable)
        remove_empty_mangle_table(undo->command.back() == "ip6");
      else
        run(undo->command);
    EXPECT_EQ(rules(), "");
    EXPECT_FALSE(has_mangle_table(false));
  });
}

}  // namespace
}  // namespace weir::hosts
