// The control socket of a running agent: a line of JSON in, one or several lines of JSON out. Only root, the user who
// runs the agent and the members of one group are served; the kernel says who asks (SO_PEERCRED, SO_PEERGROUPS).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "hosts/agent/event_loop.h"
#include "hosts/path/descriptor.h"

namespace weir::hosts {

// One who asks. It may go away at any time; what is sent then is lost.
class ControlConnection {
 public:
  virtual ~ControlConnection() = default;
  virtual void send(const nlohmann::ordered_json& line) = 0;
  virtual void send_text(const std::string& line) = 0;  // the same of a line that is JSON already
  // Bytes that the other one has not taken yet. What streams leaves lines out while they are many.
  virtual std::size_t waiting() const = 0;
  // When all is sent.
  virtual void finish() = 0;
  // Called once when it is over, whoever ended it.
  virtual void on_close(std::function<void()> work) = 0;
};

// The socket of a server at `path`, instead of one that is left there. `group`: nothing = root alone. Giving it to a
// group may need CAP_CHOWN. Throws std::runtime_error where it cannot be made.
Descriptor make_control_socket(const std::string& path, std::optional<gid_t> group);

class ControlServer {
 public:
  using Handler = std::function<void(const std::shared_ptr<ControlConnection>&, const nlohmann::json& request)>;

  // Serves a socket that was made so, and removes it in the end. What the handler throws is the answer {"error": ...}.
  // One who does not read its answer is not heard until it has, so that no more than that waits for it. A connection
  // that asks nothing, or does not take what waits for it, is ended after `idle_after` ns, unless on_close() was called
  // and nothing waits. Members of the group may have 24 of the 32 connections.
  ControlServer(EventLoop& loop, Descriptor socket, std::string path, std::optional<gid_t> group, Handler handler,
                std::int64_t idle_after = 30'000'000'000);
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;
  ~ControlServer();

 private:
  class Connection;
  enum class Asker : std::uint8_t { nobody, member, privileged };
  void accept_all();
  bool is_full(bool privileged) const;
  Asker who_asks(int fd) const;
  void look_for_idle();
  void end_idle();

  EventLoop& loop_;
  std::string path_;
  std::optional<gid_t> group_;
  Handler handler_;
  std::int64_t idle_after_;
  Descriptor listener_;
  Alarm idle_alarm_;
  std::map<int, std::shared_ptr<Connection>> connections_;
};

// The other end.
class ControlClient {
 public:
  // Throws std::runtime_error: nobody listens there, or this user may not ask.
  explicit ControlClient(const std::string& path);

  void ask(const nlohmann::json& request);
  // The next line; nothing when the agent has ended the connection. Throws std::runtime_error after timeout_ms, and for
  // an answer {"error": ...}.
  std::optional<nlohmann::json> answer(int timeout_ms = 5'000);
  // Whether answer() returns at once.
  bool has_line() const { return buffer_.find('\n') != std::string::npos; }
  // Readable when there is something to read.
  int descriptor() const { return fd_.get(); }

 private:
  Descriptor fd_;
  std::string buffer_;
};

// The answer to one command. Throws what ControlClient throws, and where the agent ends without an answer.
nlohmann::json ask_agent(const std::string& path, const char* command);

}  // namespace weir::hosts
