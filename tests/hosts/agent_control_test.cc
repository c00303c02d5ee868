#include "hosts/agent/control.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/hosts/support_scratch.h"

namespace weir::hosts {
namespace {

// A server whose loop runs in a thread while the test asks.
class ControlTest : public testing::Test {
 protected:
  void serve(std::optional<gid_t> group = std::nullopt, std::int64_t idle_after = 60'000'000'000) {
    server.emplace(
        loop, make_control_socket(path, group), path, group,
        [this](const auto& connection, const nlohmann::json& request) {
          ++heard;
          if (request.value("command", "") == "fail") throw std::runtime_error("it went wrong");
          if (request.value("command", "") == "much") return connection->send(much());
          if (request.value("command", "") == "three") {
            for (int i = 0; i < 3; ++i) connection->send({{"line", i}});
            connection->finish();
            return;
          }
          connection->on_close([this] { ++closed; });
          connection->send({{"echo", request}});
        },
        idle_after);
    thread = std::thread([this] {
      while (!stop) loop.once(20);
    });
  }
  void TearDown() override {
    stop = true;
    if (thread.joinable()) thread.join();
    server.reset();
    EXPECT_NE(::access(path.c_str(), F_OK), 0) << "the socket is left";
  }

  static nlohmann::ordered_json much() { return {{"much", std::string(100'000, 'x')}}; }

  Scratch scratch;
  std::string path = scratch / "control";
  EventLoop loop;
  std::optional<ControlServer> server;
  std::atomic<bool> stop = false;
  std::atomic<int> heard = 0;
  std::atomic<int> closed = 0;
  std::thread thread;
};

std::string complaint(ControlClient& client) {
  try {
    client.answer(2'000);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

// A connection to the server; none: it is refused.
Descriptor connection_to(const std::string& path) {
  Descriptor fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const bool good = ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  return good ? std::move(fd) : Descriptor();
}

// What the server answers to bytes that are no request.
std::string raw(const std::string& path, const std::string& bytes) {
  const Descriptor fd = connection_to(path);
  if (!fd) return "no connection";
  ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::array<char, 4096> out{};
  const auto size = ::recv(fd.get(), out.data(), out.size(), 0);
  return {out.data(), size < 0 ? 0 : static_cast<std::size_t>(size)};
}

TEST_F(ControlTest, ALineInALineOut) {
  serve();
  ControlClient client(path);
  for (int i = 0; i < 3; ++i) {
    client.ask({{"command", "echo"}, {"n", i}});
    EXPECT_EQ(client.answer()->at("echo").at("n"), i);
  }
  client.ask({{"command", "fail"}});
  EXPECT_EQ(complaint(client), "it went wrong");
  client.ask({{"command", "three"}});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.answer()->at("line"), i);
  EXPECT_FALSE(client.answer());
}

TEST_F(ControlTest, WhatIsNoRequestIsAnsweredToo) {
  serve();
  EXPECT_EQ(raw(path, "hello\n"), "{\"error\":\"the request is no object of JSON in one line\"}\n");
  EXPECT_EQ(raw(path, "[1]\n"), "{\"error\":\"the request is no object of JSON in one line\"}\n");
  EXPECT_EQ(raw(path, std::string(1, '\0') + "\xff\n"),
            "{\"error\":\"the request is no object of JSON in one line\"}\n");
  EXPECT_EQ(raw(path, std::string(100'000, '[')), "{\"error\":\"the request is longer than 4096 bytes\"}\n");
  EXPECT_EQ(raw(path, "{\"command\":\"echo\",\"x\":\"\\ud800\"}\n").substr(0, 9), "{\"error\":");
}

TEST_F(ControlTest, ItIsNoticedThatSomebodyHasGone) {
  serve();
  {
    ControlClient client(path);
    client.ask({{"command", "echo"}});
    client.answer();
  }
  for (int i = 0; i < 200 && closed == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(closed, 1);
}

TEST_F(ControlTest, TooManyAtATimeAreTold) {
  serve();
  std::vector<std::unique_ptr<ControlClient>> clients;
  for (int i = 0; i < 32; ++i) {
    clients.push_back(std::make_unique<ControlClient>(path));
    clients.back()->ask({{"command", "echo"}});
    EXPECT_TRUE(clients.back()->answer());
  }
  ControlClient client(path);
  EXPECT_EQ(complaint(client), "too many ask at a time");
}

TEST_F(ControlTest, WhoDoesNotReadIsNotHeardUntilItDoes) {
  serve();
  const Descriptor fd = connection_to(path);
  const std::string request = "{\"command\":\"much\"}\n";
  int asked = 0;
  // as much as the kernel takes, and some time for the server to take it
  for (int i = 0; i < 100; ++i) {
    while (::send(fd.get(), request.data(), request.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
           static_cast<ssize_t>(request.size()))
      ++asked;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_GT(asked, 100);
  EXPECT_LT(heard, 10);  // what the socket has room for
  ControlClient other(path);
  other.ask({{"command", "echo"}});
  EXPECT_TRUE(other.answer());
  // it reads at last
  ::shutdown(fd.get(), SHUT_WR);
  std::size_t answered = 0;
  std::array<char, 65'536> chunk;
  for (ssize_t size = 0; (size = ::recv(fd.get(), chunk.data(), chunk.size(), 0)) > 0;)
    answered += static_cast<std::size_t>(size);
  EXPECT_EQ(answered, static_cast<std::size_t>(asked) * (much().dump().size() + 1));
}

TEST_F(ControlTest, WhoSaysNothingForLongIsNotWaitedFor) {
  serve(std::nullopt, 400'000'000);
  const auto is_ended = [](const Descriptor& fd) {
    char byte = 0;
    return ::recv(fd.get(), &byte, 1, MSG_DONTWAIT) == 0;
  };
  const auto ask = [](const Descriptor& fd, const std::string& request) {
    return ::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL);
  };
  const Descriptor silent = connection_to(path);
  const Descriptor half = connection_to(path);
  ask(half, "{\"command\":");
  const Descriptor deaf = connection_to(path);
  for (int i = 0; i < 10; ++i) ask(deaf, "{\"command\":\"much\"}\n");
  ControlClient waits(path);  // for what the server may have to tell
  waits.ask({{"command", "echo"}});
  EXPECT_TRUE(waits.answer());
  ControlClient asks(path);
  for (int i = 0; i < 12; ++i) {
    asks.ask({{"command", "fail"}});
    EXPECT_EQ(complaint(asks), "it went wrong");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(is_ended(silent));
  EXPECT_TRUE(is_ended(half));
  EXPECT_LT(::send(deaf.get(), "\n", 1, MSG_NOSIGNAL | MSG_DONTWAIT), 0);
  waits.ask({{"command", "echo"}});
  EXPECT_TRUE(waits.answer());
}

// Asks as another user, in a process of its own; the answer is its exit status: 0 echo, 1 refused, 2 no connection.
int ask_as(const std::string& path, uid_t user, gid_t group) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    int status = 2;
    if (::setgroups(0, nullptr) == 0 && ::setgid(group) == 0 && ::setuid(user) == 0) try {
        ControlClient client(path);
        client.ask({{"command", "echo"}});
        status = complaint(client).empty() ? 0 : 1;
      } catch (const std::runtime_error&) {
      }
    std::_Exit(status);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WEXITSTATUS(status);
}

TEST_F(ControlTest, OnlyRootAndTheGroupMayAsk) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  constexpr gid_t kGroup = 54'321;
  ::chmod(scratch.path().c_str(), 0755);
  serve(kGroup);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0660u);
  EXPECT_EQ(ask_as(path, 12'345, kGroup), 0);
  EXPECT_EQ(ask_as(path, 12'345, 12'345), 2);  // the file's rights
  ::chmod(path.c_str(), 0666);
  EXPECT_EQ(ask_as(path, 12'345, 12'345), 1);  // who asks
  EXPECT_EQ(ask_as(path, 0, 12'345), 0);
}

TEST_F(ControlTest, TheGroupLeavesRoomForRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  constexpr gid_t kGroup = 54'321;
  ::chmod(scratch.path().c_str(), 0755);
  serve(kGroup);
  // as a member of the group, this thread alone
  const auto be = [](uid_t user, gid_t group) {
    return ::syscall(SYS_setresgid, -1, group, -1) == 0 && ::syscall(SYS_setresuid, -1, user, -1) == 0;
  };
  std::vector<std::unique_ptr<ControlClient>> clients;
  std::thread([&] {
    ASSERT_TRUE(be(12'345, kGroup));
    for (int i = 0; i < 25; ++i) {
      clients.push_back(std::make_unique<ControlClient>(path));
      clients.back()->ask({{"command", "echo"}});
      EXPECT_EQ(complaint(*clients.back()), i < 24 ? "" : "too many ask at a time");
    }
  }).join();
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<ControlClient>(path));
    clients.back()->ask({{"command", "echo"}});
    EXPECT_EQ(complaint(*clients.back()), "");
  }
}

TEST(ControlClient, NobodyListens) {
  const Scratch scratch;
  try {
    ControlClient client(scratch / "control");
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), "no agent is up in " + scratch.path() +
                                "; start one with: weir-host up --mode observe; if it runs in another folder, name "
                                "that with --run");
  }
}

}  // namespace
}  // namespace weir::hosts
