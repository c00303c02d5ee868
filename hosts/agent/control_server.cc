#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hosts/agent/control.h"

namespace weir::hosts {
namespace {

constexpr std::size_t kMostConnections = 32;
constexpr std::size_t kLongestRequest = 4096;
constexpr int kBacklog = 16;

}  // namespace

class ControlServer::Connection : public ControlConnection, public std::enable_shared_from_this<Connection> {
 public:
  Connection(ControlServer& server, Descriptor fd) : server_(&server), fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }

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
    if ((events & EPOLLOUT) != 0) flush();
    if (server_ != nullptr && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive();
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
  void receive() {
    std::array<char, kLongestRequest> chunk;
    const auto size = ::recv(fd_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) return close();
    in_.append(chunk.data(), static_cast<std::size_t>(size));
    for (auto end = in_.find('\n'); server_ != nullptr && end != std::string::npos; end = in_.find('\n')) {
      const std::string line = in_.substr(0, end);
      in_.erase(0, end + 1);
      handle(line);
    }
    if (in_.size() > kLongestRequest) {
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
    }
    if (server_ == nullptr) return;
    if (out_.empty() && finished_) return close();
    if (std::exchange(wants_, !out_.empty()) != wants_)
      server_->loop_.change(fd_.get(), wants_ ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }

  ControlServer* server_;  // null: it is over
  Descriptor fd_;
  std::string in_;
  std::string out_;
  bool finished_ = false;
  bool wants_ = false;  // to be told when it can be written
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
                             Handler handler)
    : loop_(loop), path_(std::move(path)), group_(group), handler_(std::move(handler)), listener_(std::move(socket)) {
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
    const bool full = connections_.size() >= kMostConnections;
    const bool allowed = may_ask(number);
    const auto connection = std::make_shared<Connection>(*this, std::move(fd));
    connections_.emplace(number, connection);
    loop_.watch(number, EPOLLIN, [connection](std::uint32_t events) { connection->ready(events); });
    if (full || !allowed) {
      connection->send({{"error", full ? "too many ask at a time" : "only root and the group control.group may ask"}});
      connection->finish();
    }
  }
}

bool ControlServer::may_ask(int fd) const {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return false;
  if (who.uid == 0 || who.uid == ::geteuid()) return true;
  if (!group_) return false;
  if (who.gid == *group_) return true;
  std::vector<gid_t> groups(1024);
  size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) return false;
  groups.resize(size / sizeof(gid_t));
  for (const gid_t group : groups)
    if (group == *group_) return true;
  return false;
}

}  // namespace weir::hosts
