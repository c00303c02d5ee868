#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hosts/agent/control.h"

namespace weir::hosts {
namespace {

constexpr std::size_t kMostConnections = 32;
constexpr std::size_t kMostOfOthers = 24;  // so that root can always ask
constexpr std::size_t kLongestRequest = 4096;
constexpr int kBacklog = 16;

}  // namespace

class ControlServer::Connection : public ControlConnection, public std::enable_shared_from_this<Connection> {
 public:
  Connection(ControlServer& server, Descriptor fd, bool privileged)
      : server_(&server), fd_(std::move(fd)), privileged_(privileged) {}

  bool privileged() const { return privileged_; }
  // When it will have been silent for too long: neither asked nor took what waits for it.
  std::int64_t idle_at() const {
    const bool streams = out_.empty() && on_close_;
    return streams ? std::numeric_limits<std::int64_t>::max() : active_ + server_->idle_after_;
  }

  void send(const nlohmann::ordered_json& line) override {
    send_text(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  void send_text(const std::string& line) override {
    if (server_ == nullptr) return;
    out_ += line;
    out_ += '\n';
    flush();
  }

  std::size_t waiting() const override { return out_.size(); }

  void finish() override {
    finished_ = true;
    flush();
  }

  void on_close(std::function<void()> work) override { on_close_ = std::move(work); }

  void ready(std::uint32_t events) {
    const auto alive = shared_from_this();
    if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) flush();
    if (takes_requests() && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive();
    handle_all();
  }

  // It is over. The server is told first, so that what is called may ask it for anything.
  void close() {
    if (server_ == nullptr) return;
    const auto alive = shared_from_this();
    ControlServer& server = *std::exchange(server_, nullptr);
    server.loop_.forget(fd_.get());
    server.connections_.erase(fd_.get());
    fd_ = Descriptor();
    if (on_close_) std::exchange(on_close_, nullptr)();
  }

 private:
  // Who does not read is not heard, either: no more than one answer waits for it.
  bool takes_requests() const { return server_ != nullptr && out_.empty() && !finished_; }

  void receive() {
    std::array<char, kLongestRequest> chunk;
    const auto size = ::recv(fd_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) return close();
    active_ = monotonic_now();
    in_.append(chunk.data(), static_cast<std::size_t>(size));
  }

  void handle_all() {
    std::size_t done = 0;
    for (auto end = in_.find('\n'); takes_requests() && end != std::string::npos; end = in_.find('\n', done)) {
      const std::string line = in_.substr(done, end - done);
      done = end + 1;
      handle(line);
    }
    in_.erase(0, done);
    if (takes_requests() && in_.size() > kLongestRequest) {
      send({{"error", fmt::format("the request is longer than {} bytes", kLongestRequest)}});
      finish();
    }
  }

  void handle(const std::string& line) {
    try {
      const auto request = nlohmann::json::parse(line, nullptr, false);
      if (!request.is_object()) throw std::runtime_error("the request is no object of JSON in one line");
      server_->handler_(shared_from_this(), request);
    } catch (const std::exception& error) {
      send({{"error", error.what()}});
    }
  }

  void flush() {
    while (server_ != nullptr && !out_.empty()) {
      const auto size = ::send(fd_.get(), out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == EAGAIN) break;
      if (size <= 0) return close();
      out_.erase(0, static_cast<std::size_t>(size));
      active_ = monotonic_now();
    }
    if (server_ == nullptr) return;
    if (out_.empty() && finished_) return close();
    watch();
  }

  // Waits for what it can do next.
  void watch() {
    const std::uint32_t events = out_.empty() ? EPOLLIN : EPOLLOUT;
    if (std::exchange(watched_, events) != events) server_->loop_.change(fd_.get(), events);
  }

  ControlServer* server_;  // null: it is over
  Descriptor fd_;
  std::string in_;
  std::string out_;
  bool privileged_;
  bool finished_ = false;
  std::uint32_t watched_ = EPOLLIN;
  std::int64_t active_ = monotonic_now();
  std::function<void()> on_close_;
};

Descriptor make_control_socket(const std::string& path, std::optional<gid_t> group) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error(path + ": too long for a socket's path");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Descriptor out(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  ::unlink(path.c_str());
  const mode_t mask = ::umask(0177);
  const bool bound = ::bind(out.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;  // mode 0600
  const int error = errno;
  ::umask(mask);
  if (!bound) throw std::runtime_error(fmt::format("{}: cannot be made: {}", path, std::strerror(error)));
  if (group && (::chown(path.c_str(), static_cast<uid_t>(-1), *group) != 0 || ::chmod(path.c_str(), 0660) != 0))
    throw std::runtime_error(fmt::format("{}: cannot be given to its group: {}", path, std::strerror(errno)));
  if (::listen(out.get(), kBacklog) != 0)
    throw std::runtime_error(fmt::format("{}: cannot listen: {}", path, std::strerror(errno)));
  return out;
}

ControlServer::ControlServer(EventLoop& loop, Descriptor socket, std::string path, std::optional<gid_t> group,
                             Handler handler, std::int64_t idle_after)
    : loop_(loop),
      path_(std::move(path)),
      group_(group),
      handler_(std::move(handler)),
      idle_after_(idle_after),
      listener_(std::move(socket)),
      idle_alarm_(loop, [this] { end_idle(); }) {
  loop_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_all(); });
}

ControlServer::~ControlServer() {
  loop_.forget(listener_.get());
  ::unlink(path_.c_str());
  while (!connections_.empty()) {
    const auto connection = connections_.begin()->second;
    connection->close();
  }
}

void ControlServer::accept_all() {
  for (;;) {
    Descriptor fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) return;
    const int number = fd.get();
    const auto who = who_asks(number);
    const bool full = is_full(who == Asker::privileged);
    const bool allowed = who != Asker::nobody;
    const auto connection = std::make_shared<Connection>(*this, std::move(fd), who == Asker::privileged);
    if (connections_.empty()) look_for_idle();
    connections_.emplace(number, connection);
    loop_.watch(number, EPOLLIN, [connection](std::uint32_t events) { connection->ready(events); });
    if (full || !allowed) {
      connection->send({{"error", full ? "too many ask at a time" : "only root and the group control.group may ask"}});
      connection->finish();
    }
  }
}

bool ControlServer::is_full(bool privileged) const {
  const auto others = std::count_if(connections_.begin(), connections_.end(),
                                    [](const auto& connection) { return !connection.second->privileged(); });
  return connections_.size() >= kMostConnections || (!privileged && static_cast<std::size_t>(others) >= kMostOfOthers);
}

ControlServer::Asker ControlServer::who_asks(int fd) const {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return Asker::nobody;
  if (who.uid == 0 || who.uid == ::geteuid()) return Asker::privileged;
  if (!group_) return Asker::nobody;
  if (who.gid == *group_) return Asker::member;
  std::vector<gid_t> groups(1024);
  size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) return Asker::nobody;
  groups.resize(size / sizeof(gid_t));
  return std::find(groups.begin(), groups.end(), *group_) == groups.end() ? Asker::nobody : Asker::member;
}

void ControlServer::look_for_idle() { idle_alarm_.at(monotonic_now() + idle_after_ / 4); }

void ControlServer::end_idle() {
  const std::int64_t now = monotonic_now();
  const auto all = connections_;  // closing one changes the list
  for (const auto& [number, connection] : all)
    if (connection->idle_at() <= now) connection->close();
  if (!connections_.empty()) look_for_idle();
}

}  // namespace weir::hosts
