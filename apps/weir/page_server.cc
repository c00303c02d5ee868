#include "weir/page_server.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>

#ifdef WEIR_HAS_MICROHTTPD
#include <microhttpd.h>
#include <netinet/in.h>
#endif

namespace weir::app {

#ifdef WEIR_HAS_MICROHTTPD

struct PageServer::State {
  std::string page;
  std::string token;
  std::string host;  // and port
  MHD_Daemon* server = nullptr;
};

namespace {

constexpr unsigned kMostConnections = 16;
constexpr unsigned kTimeout = 30;  // seconds that a connection may be silent

std::string new_token() {
  std::random_device random;  // the kernel's
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", static_cast<std::uint32_t>(random()));
  return out;
}

// As long as it takes whatever the first difference is.
bool are_equal(const char* given, const std::string& token) {
  if (given == nullptr || std::strlen(given) != token.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < token.size(); ++i)
    difference = static_cast<unsigned char>(difference | (given[i] ^ token[i]));
  return difference == 0;
}

MHD_Result respond(MHD_Connection* connection, unsigned status, const std::string& text, const char* type) {
  MHD_Response* response =
      MHD_create_response_from_buffer(text.size(), const_cast<char*>(text.data()), MHD_RESPMEM_PERSISTENT);
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  MHD_add_response_header(response, "Cache-Control", "no-store");
  MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "X-Frame-Options", "DENY");
  if (status == MHD_HTTP_METHOD_NOT_ALLOWED) MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  const MHD_Result out = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return out;
}

// Of MHD_AccessHandlerCallback.
MHD_Result handle(void* context, MHD_Connection* connection, const char* url, const char* method, const char*,
                  const char*, std::size_t* uploaded, void**) {
  static const std::string only_get = "only GET and HEAD\n";
  static const std::string no_token = "this page needs the whole address that weir view has told, with its token\n";
  static const std::string nothing = "there is nothing here\n";
  constexpr const char* text = "text/plain; charset=utf-8";
  const auto& state = *static_cast<PageServer::State*>(context);
  if (std::strcmp(method, MHD_HTTP_METHOD_GET) != 0 && std::strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
    *uploaded = 0;
    return respond(connection, MHD_HTTP_METHOD_NOT_ALLOWED, only_get, text);
  }
  const char* host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  const char* token = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
  if (host == nullptr || host != state.host || !are_equal(token, state.token))
    return respond(connection, MHD_HTTP_FORBIDDEN, no_token, text);
  if (std::strcmp(url, "/") != 0) return respond(connection, MHD_HTTP_NOT_FOUND, nothing, text);
  return respond(connection, MHD_HTTP_OK, state.page, "text/html; charset=utf-8");
}

}  // namespace

bool PageServer::available() { return true; }

PageServer::PageServer(std::string page) : state_(std::make_unique<State>()) {
  state_->page = std::move(page);
  state_->token = new_token();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  errno = 0;
  state_->server =
      MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, nullptr, nullptr, &handle, state_.get(),
                       MHD_OPTION_SOCK_ADDR, reinterpret_cast<sockaddr*>(&address), MHD_OPTION_CONNECTION_LIMIT,
                       kMostConnections, MHD_OPTION_CONNECTION_TIMEOUT, kTimeout, MHD_OPTION_END);
  if (state_->server == nullptr)
    throw std::runtime_error(fmt::format("no port of 127.0.0.1 can be listened at{}{}", errno == 0 ? "" : ": ",
                                         errno == 0 ? "" : std::strerror(errno)));
  const MHD_DaemonInfo* const info = MHD_get_daemon_info(state_->server, MHD_DAEMON_INFO_BIND_PORT);
  state_->host = fmt::format("127.0.0.1:{}", info->port);
}

PageServer::~PageServer() {
  if (state_->server != nullptr) MHD_stop_daemon(state_->server);
}

std::string PageServer::address() const { return fmt::format("http://{}/?token={}", state_->host, state_->token); }

#else

struct PageServer::State {};

bool PageServer::available() { return false; }
PageServer::PageServer(std::string) { throw std::logic_error("this build has no HTTP server"); }
PageServer::~PageServer() = default;
std::string PageServer::address() const { return {}; }

#endif

}  // namespace weir::app
