// A client of HTTP for tests of servers on this machine.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace weir::app {

// A connection to http://127.0.0.1:PORT and anything behind it.
inline int http_connection(const std::string& address) {
  const auto colon = address.find(':', 7);
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1)));
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(s, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  return s;
}

// The answer to a request, with its head.
inline std::string http_answer(const std::string& address, const std::string& request) {
  const int s = http_connection(address);
  EXPECT_EQ(::send(s, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  std::string out;
  char buffer[4096];
  for (ssize_t n; (n = ::read(s, buffer, sizeof buffer)) > 0;) out.append(buffer, static_cast<std::size_t>(n));
  ::close(s);
  return out;
}

// 200 of "HTTP/1.1 200 OK ...".
inline int http_status(const std::string& answer) { return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3)); }
inline std::string http_body(const std::string& answer) {
  const auto at = answer.find("\r\n\r\n");
  return at == std::string::npos ? "" : answer.substr(at + 4);
}
// HOST:PORT of an address.
inline std::string http_host(const std::string& address) { return address.substr(7, address.find('/', 7) - 7); }

}  // namespace weir::app
