#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "hosts/agent/control.h"

namespace weir::hosts {

ControlClient::ControlClient(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error(path + ": too long for a socket's path");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  fd_ = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
  if (errno == ENOENT || errno == ECONNREFUSED)
    throw std::runtime_error(
        fmt::format("no agent is up in {}; start one with: weir-host up --mode observe; if it runs in another "
                    "folder, name that with --run",
                    std::filesystem::path(path).parent_path().string()));
  if (errno == EACCES)
    throw std::runtime_error(fmt::format("{}: only root and the group control.group may ask the agent", path));
  throw std::runtime_error(fmt::format("{}: {}", path, std::strerror(errno)));
}

void ControlClient::ask(const nlohmann::json& request) {
  const std::string line = request.dump() + "\n";
  if (::send(fd_.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()) && errno != EPIPE)
    throw std::runtime_error(fmt::format("the agent cannot be asked: {}", std::strerror(errno)));
}

std::optional<nlohmann::json> ControlClient::answer(int timeout_ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  for (;;) {
    if (const auto stop = buffer_.find('\n'); stop != std::string::npos) {
      auto line = nlohmann::json::parse(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(stop));
      buffer_.erase(0, stop + 1);
      if (line.is_object() && line.contains("error")) throw std::runtime_error(line["error"].get<std::string>());
      return line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd waiting{fd_.get(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) throw std::runtime_error(fmt::format("the agent has not answered for {} ms", timeout_ms));
    std::array<char, 65'536> chunk;
    const auto size = ::recv(fd_.get(), chunk.data(), chunk.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return std::nullopt;
    buffer_.append(chunk.data(), static_cast<std::size_t>(size));
  }
}

nlohmann::json ask_agent(const std::string& path, const char* command) {
  ControlClient client(path);
  client.ask({{"command", command}});
  auto out = client.answer();
  if (!out) throw std::runtime_error("the agent has ended the connection");
  return *out;
}

}  // namespace weir::hosts
