// The agent as a reference clock: the bytes that chronyd gets, when it gets them, and chronyd itself.
#include "hosts/agent/refclock.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>

#include "hosts/agent/event_loop.h"
#include "hosts/agent/key_file.h"
#include "hosts/agent/small_network.h"
#include "hosts/agent/status.h"
#include "tests/hosts/support_fake_path.h"
#include "tests/hosts/support_scratch.h"

namespace weir::hosts::agent_refclock_test {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kSecond = 1'000'000'000;

// Listens as chronyd does.
class Listener {
 public:
  explicit Listener(const std::string& path) : path_(path), fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("bind: " + path);
  }
  ~Listener() { ::unlink(path_.c_str()); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // The next datagram; nothing if none comes in time.
  std::optional<std::vector<std::uint8_t>> hear(int seconds = 0) {
    const timeval patience{seconds, 1'000};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::vector<std::uint8_t> out(100);
    const auto size = ::recv(fd_.get(), out.data(), out.size(), 0);
    if (size < 0) return std::nullopt;
    out.resize(static_cast<std::size_t>(size));
    return out;
  }

 private:
  std::string path_;
  Descriptor fd_;
};

template <class T>
T value_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  T out{};
  if (at + sizeof out <= bytes.size()) std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

TEST(SockSample, HasTheFieldsOfChronyd) {
  if (sizeof(long) != 8) GTEST_SKIP() << "offsets are those of 64 bits";
  const Scratch scratch;
  Listener chronyd(scratch / "sock");
  Refclock refclock(host("10.0.0.1"), scratch / "sock", 100'000);
  ClockNews news{ClockCondition::synchronised, ClockLine{}, 10'000, 0,
                 TimeDifference{1'700'000'000'123'456'789, -2'500'000, 300}};
  refclock.update(0, {{host("10.0.0.1"), news}});
  const auto bytes = chronyd.hear();
  ASSERT_TRUE(bytes);
  ASSERT_EQ(bytes->size(), 40u);
  EXPECT_EQ(value_at<std::int64_t>(*bytes, 0), 1'700'000'000);
  EXPECT_EQ(value_at<std::int64_t>(*bytes, 8), 123'456);
  EXPECT_DOUBLE_EQ(value_at<double>(*bytes, 16), -0.0025);
  for (const std::size_t at : {24u, 28u, 32u}) EXPECT_EQ(value_at<std::int32_t>(*bytes, at), 0) << at;
  EXPECT_EQ(value_at<std::int32_t>(*bytes, 36), 0x534f434b);
}

TEST(Refclock, GivesASampleEachSecondWhileTheReferenceIsKnown) {
  const Scratch scratch;
  std::optional<Listener> chronyd(scratch / "sock");
  const Address reference = host("10.0.0.1");
  Refclock refclock(reference, scratch / "sock", 100'000);
  const ClockNews good{ClockCondition::synchronised, ClockLine{}, 10'000, 0, TimeDifference{kSecond, 5'000, 99'999}};
  std::int64_t now = 10 * kSecond;
  const auto state_with = [&](const ClockNews& news) {
    now += kSecond;
    refclock.update(now, {{reference, news}, {host("10.0.0.3"), good}});
    const bool heard = chronyd && chronyd->hear().has_value();
    EXPECT_EQ(heard, refclock.status().state == RefclockState::given);
    EXPECT_EQ(refclock.status().why.empty(), heard);
    return refclock.status().state;
  };
  EXPECT_EQ(state_with(ClockNews{}), RefclockState::unsynchronised);
  EXPECT_EQ(state_with(good), RefclockState::given);
  EXPECT_EQ(refclock.status().last->difference, 5'000);
  EXPECT_EQ(refclock.status().given, now);
  // not more often
  refclock.update(now + kSecond - 1, {{reference, good}});
  EXPECT_FALSE(chronyd->hear());
  for (const ClockCondition condition :
       {ClockCondition::silent, ClockCondition::measuring, ClockCondition::stale, ClockCondition::stepped}) {
    ClockNews other = good;
    other.condition = condition;
    EXPECT_EQ(state_with(other), RefclockState::unsynchronised);
    EXPECT_EQ(refclock.status().why, "its clock is " + std::string(name_of(condition)));
  }
  ClockNews untold = good;
  untold.time.reset();
  EXPECT_EQ(state_with(untold), RefclockState::untold);
  ClockNews uncertain = good;
  uncertain.time->error = 100'001;
  EXPECT_EQ(state_with(uncertain), RefclockState::uncertain);
  EXPECT_EQ(refclock.status().why, "it is known within 100 us, and clock.max_error is 100 us");
  EXPECT_EQ(state_with(good), RefclockState::given);
  // chronyd ends, and is there again
  chronyd.reset();
  EXPECT_EQ(state_with(good), RefclockState::unheard);
  EXPECT_EQ(refclock.status().why, scratch / "sock" + ": no chronyd listens there");
  EXPECT_EQ(refclock.status().samples, 2u);
  chronyd.emplace(scratch / "sock");
  EXPECT_EQ(state_with(good), RefclockState::given);
  EXPECT_EQ(refclock.status().samples, 3u);
  // one that hears nothing holds nobody up
  for (int i = 0; i < 10'000 && refclock.status().state == RefclockState::given; ++i)
    refclock.update(now += kSecond, {{reference, good}});
  EXPECT_EQ(refclock.status().state, RefclockState::unheard);
}

// What the agent logs while samples with these errors are to be given, once a second.
class RefclockLog : public testing::Test {
 protected:
  static constexpr std::int64_t kMost = 100'000;  // ns

  std::string with(const std::vector<std::int64_t>& errors) {
    testing::internal::CaptureStderr();
    for (const std::int64_t error : errors) {
      const ClockNews news{ClockCondition::synchronised, ClockLine{}, 10'000, 0, TimeDifference{kSecond, 5'000, error}};
      refclock.update(now += kSecond, {{host("10.0.0.1"), news}});
      if (error > kMost) {
        EXPECT_EQ(refclock.status().state, RefclockState::uncertain);
      } else {
        EXPECT_TRUE(chronyd.hear());
      }
    }
    return testing::internal::GetCapturedStderr();
  }

  const Scratch scratch;
  Listener chronyd{scratch / "sock"};
  Refclock refclock{host("10.0.0.1"), scratch / "sock", kMost};
  std::int64_t now = 0;
  const std::vector<std::int64_t> exact = std::vector<std::int64_t>(9, kMost);
  const std::vector<std::int64_t> vague = std::vector<std::int64_t>(9, kMost + 1);
};

TEST_F(RefclockLog, HasALineWhenTheStateHasHeldForTenSamples) {
  EXPECT_EQ(with(exact), "");
  EXPECT_EQ(with({kMost}), "weir-host: chronyd is told the time of 10.0.0.1\n");
  EXPECT_EQ(with(exact), "");
  EXPECT_EQ(with(vague), "");
  EXPECT_EQ(with({kMost + 1}),
            "weir-host: chronyd is not told the time of 10.0.0.1: it is known within 100 us, and clock.max_error is "
            "100 us\n");
  EXPECT_EQ(with(vague), "");
}

TEST_F(RefclockLog, HasNoLineEachSecondWhereTheErrorIsNearItsLimit) {
  with(exact);
  EXPECT_NE(with({kMost}), "");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(with({kMost, kMost + 1, kMost, kMost + 1}), "");
    EXPECT_EQ(with(exact), "");
    EXPECT_EQ(with(vague), "");
  }
  EXPECT_EQ(with(exact) + with(exact), "") << "it has been logged before";
}

TEST(Refclock, IsInTheStatusAndTheMetrics) {
  Status status;
  status.now = 12 * kSecond;
  EXPECT_TRUE(to_json(status).at("refclock").is_null());
  EXPECT_EQ(status_text(to_json(status)).find("refclock"), std::string::npos);
  EXPECT_EQ(to_metrics(status).find("refclock"), std::string::npos);
  status.refclock =
      RefclockStatus{host("10.0.0.1"), "/run/chrony.weir.sock", RefclockState::unsynchronised, "its clock is stale"};
  EXPECT_NE(status_text(to_json(status))
                .find("refclock   chronyd has been told the time of 10.0.0.1 0 times; not now: its clock is stale\n"),
            std::string::npos)
      << status_text(to_json(status));
  status.refclock->state = RefclockState::given;
  status.refclock->why.clear();
  status.refclock->samples = 1'234;
  status.refclock->given = 11 * kSecond;
  status.refclock->last = TimeDifference{1'700'000'000 * kSecond, -1'500, 310};
  EXPECT_NE(status_text(to_json(status))
                .find("told the time of 10.0.0.1 1,234 times, last 1 s ago: -1.5 us away, within 310 ns\n"),
            std::string::npos)
      << status_text(to_json(status));
  for (const char* line : {"weir_host_refclock_given{reference=\"10.0.0.1\"} 1\n",
                           "# TYPE weir_host_refclock_samples_total counter\n"
                           "weir_host_refclock_samples_total{reference=\"10.0.0.1\"} 1234\n",
                           "weir_host_refclock_sample_age_seconds{reference=\"10.0.0.1\"} 1\n"})
    EXPECT_NE(to_metrics(status).find(line), std::string::npos) << line << to_metrics(status);
}

// Two agents whose clocks are made wrong; the sender's is to follow the receiver's.
class RefclockOnHosts : public testing::Test {
 protected:
  static constexpr double kSender = -7e6;  // ns
  static constexpr double kReceiver = 4e6;
  static constexpr double kAway = (kReceiver - kSender) * 1e-9;  // s

  void SetUp() override {
    const char* given = std::getenv("WEIR_HOST");
    program = given == nullptr ? "" : given;
    if (program.empty() || ::access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "WEIR_HOST names no weir-host";
    try {
      network.emplace();
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
    make_key_file(scratch / "key");
  }
  void TearDown() override {
    for (auto* agent : {&sender, &receiver}) {
      if (!*agent) continue;
      (*agent)->signal(SIGTERM);
      EXPECT_TRUE((*agent)->has_ended(10'000));
    }
  }
  void start() {
    start("receiver", network->receiver(), SmallNetwork::kSender, kReceiver, "", receiver);
    start("sender", network->sender(), SmallNetwork::kReceiver, kSender,
          fmt::format("reference = '{}'\nrefclock = '{}'\n", SmallNetwork::kReceiver, scratch / "chrony.sock"), sender);
  }
  void start(const std::string& name, const Descriptor& where, const char* peer, double offset,
             const std::string& steering, std::optional<Running>& out) const {
    const std::string config = scratch.write(
        name + ".toml",
        fmt::format("interface = '{}'\nmode = 'observe'\nkey_file = '{}'\n[[peer]]\naddress = '{}'\n[clock]\n"
                    "max_error = '5 ms'\n{}[metrics]\nlisten = 'off'\n[test]\nclock_offset = {}\n",
                    SmallNetwork::kInterface, scratch / "key", peer, steering, offset));
    out.emplace(where,
                std::vector<std::string>{program, "--run", scratch / name, "--config", config, "up", "--foreground"},
                scratch / (name + ".log"));
  }
  nlohmann::json ask(const std::string& question) const {
    const ProgramResult result = run_program({program, "--run", scratch / "sender", question, "--json"}, 20'000);
    return nlohmann::json::parse(result.output, nullptr, false);
  }

  Scratch scratch;
  std::string program;
  std::optional<SmallNetwork> network;
  std::optional<Running> receiver;
  std::optional<Running> sender;
};

// As far as samples may be wrong, which is clock.max_error: busy processors delay stamps of one host and not of the
// other.
constexpr double kNear = 5e-3;  // s

TEST_F(RefclockOnHosts, TellsHowFarTheReferenceIsAway) {
  Listener chronyd(scratch / "chrony.sock");
  start();
  for (int i = 0; i < 4; ++i) {
    const auto bytes = chronyd.hear(60);
    ASSERT_TRUE(bytes) << i << read_file(scratch / "sender.log");
    SockSample sample;
    ASSERT_EQ(bytes->size(), sizeof sample);
    std::memcpy(&sample, bytes->data(), sizeof sample);
    EXPECT_NEAR(sample.offset, kAway, kNear);
    const double age = static_cast<double>(unix_now()) * 1e-9 -
                       (static_cast<double>(sample.when.tv_sec) + static_cast<double>(sample.when.tv_usec) * 1e-6);
    EXPECT_GE(age, -1e-3);
    EXPECT_LT(age, 30);
  }
  const auto sync = ask("sync");
  ASSERT_TRUE(sync.is_object());
  const auto& time = sync.at("peers").at(0).at("time_of_day");
  if (!time.is_null()) {
    EXPECT_NEAR(time.at("difference_ns").get<double>() * 1e-9, kAway, kNear);
    EXPECT_GT(time.at("error_ns"), 0);
  }
  const auto refclock = ask("status").at("refclock");
  EXPECT_EQ(refclock.at("reference"), SmallNetwork::kReceiver);
  EXPECT_GE(refclock.at("samples"), 4);
  EXPECT_NEAR(refclock.at("last").at("difference_ns").get<double>() * 1e-9, kAway, kNear);
  // when the reference is gone, nothing more is said
  receiver->signal(SIGTERM);
  EXPECT_TRUE(receiver->has_ended(10'000));
  std::string state;
  for (int i = 0; i < 100 && state != "unsynchronised"; ++i) {
    std::this_thread::sleep_for(100ms);
    state = ask("status").at("refclock").at("state");
  }
  EXPECT_EQ(state, "unsynchronised");
  while (chronyd.hear()) {
  }
  EXPECT_FALSE(chronyd.hear(2));
}

// A program of chrony's, installed or unpacked by ./dev; "": there is none.
std::string chrony(const std::string& program) {
  for (const char* folder : {"/usr/", "build/chrony/usr/"})
    if (const std::string path = folder + program; run_program({path, "--version"}).ok()) return path;
  return "";
}

// chronyd -x, which changes no clock. Its columns are those of chronyc(1).
TEST_F(RefclockOnHosts, ChronydReachesIt) {
  const std::string chronyd_program = chrony("sbin/chronyd");
  const std::string chronyc = chrony("bin/chronyc");
  if (chronyd_program.empty() || chronyc.empty())
    GTEST_SKIP() << "chronyd is missing; it is in Debian's package chrony";
  const std::string config = scratch.write(
      "chrony.conf", fmt::format("refclock SOCK {} refid WEIR poll 2 noselect\ncmdport 0\nport 0\nbindcmdaddress "
                                 "{}\npidfile {}\nuser root\n",
                                 scratch / "chrony.sock", scratch / "chronyd.sock", scratch / "chronyd.pid"));
  Running chronyd(network->sender(), {chronyd_program, "-x", "-d", "-f", config}, scratch / "chronyd.log");
  start();
  std::vector<std::string> columns;
  double offset = 0;
  const auto end = std::chrono::steady_clock::now() + 90s;
  do {
    std::this_thread::sleep_for(500ms);
    const Inside inside(network->sender());
    std::istringstream in(run_program({chronyc, "-c", "-n", "-h", scratch / "chronyd.sock", "sources"}, 20'000).output);
    columns.clear();
    for (std::string column; std::getline(in, column, ',');) columns.push_back(column);
    // the local clock is ahead of the source by the 9th column
    offset = columns.size() == 10 ? -std::atof(columns[8].c_str()) : 0;
  } while ((columns.size() != 10 || columns[5] == "0" || offset == 0) && std::chrono::steady_clock::now() < end);
  ASSERT_EQ(columns.size(), 10u) << read_file(scratch / "chronyd.log");
  EXPECT_EQ(columns[0], "#");  // a reference clock
  EXPECT_EQ(columns[2], "WEIR");
  EXPECT_NE(columns[5], "0") << "it was not reached" << read_file(scratch / "sender.log");
  EXPECT_NEAR(offset, kAway, kNear);
}

}  // namespace
}  // namespace weir::hosts::agent_refclock_test
