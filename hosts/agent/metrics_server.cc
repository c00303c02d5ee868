#include "hosts/agent/metrics_server.h"

#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/epoll.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace weir::hosts {
namespace {

constexpr unsigned kMostReaders = 8;
constexpr unsigned kTimeout = 5;  // seconds that a connection may be silent

MHD_Result respond(MHD_Connection* connection, unsigned status, std::string text, const char* type) {
  MHD_Response* response = MHD_create_response_from_buffer(text.size(), text.data(), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  if (status == MHD_HTTP_METHOD_NOT_ALLOWED) MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  const MHD_Result out = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return out;
}

// Of MHD_AccessHandlerCallback.
MHD_Result handle(void* context, MHD_Connection* connection, const char* url, const char* method, const char*,
                  const char*, std::size_t* uploaded, void**) {
  if (std::strcmp(method, MHD_HTTP_METHOD_GET) != 0 && std::strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
    *uploaded = 0;
    return respond(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n", "text/plain; charset=utf-8");
  }
  if (std::strcmp(url, "/metrics") != 0)
    return respond(connection, MHD_HTTP_NOT_FOUND, "see /metrics\n", "text/plain; charset=utf-8");
  try {
    return respond(connection, MHD_HTTP_OK, (*static_cast<std::function<std::string()>*>(context))(),
                   "text/plain; version=0.0.4; charset=utf-8");
  } catch (const std::exception&) {
    return MHD_NO;
  }
}

}  // namespace

MetricsServer::MetricsServer(EventLoop& loop, const Listen& listen, std::function<std::string()> text)
    : loop_(loop), text_(std::move(text)) {
  sockaddr_storage address{};
  if (listen.address.v6) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(listen.port);
    std::memcpy(&v6.sin6_addr, listen.address.bytes.data(), 16);
  } else {
    auto& v4 = reinterpret_cast<sockaddr_in&>(address);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(listen.port);
    std::memcpy(&v4.sin_addr, listen.address.bytes.data(), 4);
  }
  unsigned flags = MHD_USE_EPOLL;
  if (listen.address.v6) flags |= MHD_USE_IPv6;
  errno = 0;
  server_ = MHD_start_daemon(flags, listen.port, nullptr, nullptr, &handle, &text_, MHD_OPTION_SOCK_ADDR,
                             reinterpret_cast<sockaddr*>(&address), MHD_OPTION_CONNECTION_LIMIT, kMostReaders,
                             MHD_OPTION_CONNECTION_TIMEOUT, kTimeout, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                             std::size_t{16 * 1024}, MHD_OPTION_END);
  if (server_ == nullptr)
    throw std::runtime_error(fmt::format("metrics.listen: {} port {} cannot be listened at{}{}",
                                         to_text(listen.address), listen.port, errno == 0 ? "" : ": ",
                                         errno == 0 ? "" : std::strerror(errno)));
  descriptor_ = MHD_get_daemon_info(server_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  loop_.watch(descriptor_, EPOLLIN, [this](std::uint32_t) { MHD_run(server_); });
}

MetricsServer::~MetricsServer() {
  loop_.forget(descriptor_);
  MHD_stop_daemon(server_);
}

std::uint16_t MetricsServer::port() const { return MHD_get_daemon_info(server_, MHD_DAEMON_INFO_BIND_PORT)->port; }

}  // namespace weir::hosts
