#include "weir/page_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "weir/base/error.h"
#include "weir/visitors.h"

#ifdef WEIR_MICROHTTPD
#include <dlfcn.h>
#include <microhttpd.h>
#include <netinet/in.h>
#endif

namespace weir::app {

#ifdef WEIR_MICROHTTPD

struct PageServer::State {
  Answer answer;
  bool takes_posts = false;
  std::string token;
  std::string host;  // and port
  Visitors visitors;
  MHD_Daemon* server = nullptr;
};

namespace {

// The library is only loaded by those who serve a page: with all that it needs, it would double the time in which any
// weir command starts.
struct Library {
  decltype(&MHD_create_response_from_buffer) create_response = nullptr;
  decltype(&MHD_add_response_header) add_header = nullptr;
  decltype(&MHD_queue_response) queue_response = nullptr;
  decltype(&MHD_destroy_response) destroy_response = nullptr;
  decltype(&MHD_lookup_connection_value) lookup_value = nullptr;
  decltype(&MHD_start_daemon) start_daemon = nullptr;
  decltype(&MHD_stop_daemon) stop_daemon = nullptr;
  decltype(&MHD_get_daemon_info) get_info = nullptr;
  decltype(&MHD_get_connection_info) get_connection_info = nullptr;
};

const Library& library() {
  static const Library loaded = [] {
    void* const handle = ::dlopen(WEIR_MICROHTTPD, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw std::runtime_error(fmt::format("the page cannot be served: {}", ::dlerror()));
    Library out;
    const auto find = [&](auto& function, const char* name) {
      void* const symbol = ::dlsym(handle, name);
      if (symbol == nullptr) throw std::runtime_error(fmt::format("the page cannot be served: {}", ::dlerror()));
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
    };
    find(out.create_response, "MHD_create_response_from_buffer");
    find(out.add_header, "MHD_add_response_header");
    find(out.queue_response, "MHD_queue_response");
    find(out.destroy_response, "MHD_destroy_response");
    find(out.lookup_value, "MHD_lookup_connection_value");
    find(out.start_daemon, "MHD_start_daemon");
    find(out.stop_daemon, "MHD_stop_daemon");
    find(out.get_info, "MHD_get_daemon_info");
    find(out.get_connection_info, "MHD_get_connection_info");
    return out;
  }();
  return loaded;
}

constexpr unsigned kMostConnections = 3 * Visitors::kMostStrangers;
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

MHD_Result respond(MHD_Connection* connection, const PageAnswer& answer, const char* allowed = nullptr) {
  const auto& [status, text, type] = answer;
  MHD_Response* response =
      library().create_response(text.size(), const_cast<char*>(text.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  library().add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  library().add_header(response, "Cache-Control", "no-store");
  library().add_header(response, "Referrer-Policy", "no-referrer");
  library().add_header(response, "X-Content-Type-Options", "nosniff");
  library().add_header(response, "X-Frame-Options", "DENY");
  if (allowed != nullptr) library().add_header(response, MHD_HTTP_HEADER_ALLOW, allowed);
  const MHD_Result out = library().queue_response(connection, status, response);
  library().destroy_response(response);
  return out;
}

constexpr const char* kPlain = "text/plain; charset=utf-8";

// What of a request is wrong before its body is read; 0 = nothing.
unsigned refusal(const PageServer::State& state, MHD_Connection* connection, bool is_post) {
  const auto value = [&](MHD_ValueKind kind, const char* name) {
    return library().lookup_value(connection, kind, name);
  };
  const char* host = value(MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  const char* origin = value(MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN);
  const char* token = value(MHD_HEADER_KIND, "X-Weir-Token");
  if (token == nullptr && !is_post) token = value(MHD_GET_ARGUMENT_KIND, "token");
  if (host == nullptr || host != state.host || !are_equal(token, state.token)) return MHD_HTTP_FORBIDDEN;
  if (is_post && origin != nullptr && origin != "http://" + state.host) return MHD_HTTP_FORBIDDEN;
  const char* length = value(MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  if (length != nullptr && std::strtoull(length, nullptr, 10) > PageRequest::kMostBody)
    return MHD_HTTP_CONTENT_TOO_LARGE;
  return 0;
}

PageAnswer answer_safely(const PageServer::State& state, const PageRequest& request) try {
  return state.answer(request);
} catch (const std::exception& error) {
  return {MHD_HTTP_INTERNAL_SERVER_ERROR, std::string(error.what()) + "\n", kPlain};
}

// Of MHD_AccessHandlerCallback. A POST comes in several calls: `body` keeps what has come.
MHD_Result handle(void* context, MHD_Connection* connection, const char* url, const char* method, const char*,
                  const char* data, std::size_t* size, void** body) {
  auto& state = *static_cast<PageServer::State*>(context);
  const bool is_post = state.takes_posts && std::strcmp(method, MHD_HTTP_METHOD_POST) == 0;
  if (!is_post && std::strcmp(method, MHD_HTTP_METHOD_GET) != 0 && std::strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
    *size = 0;
    const char* allowed = state.takes_posts ? "GET, HEAD, POST" : "GET, HEAD";
    return respond(connection, {MHD_HTTP_METHOD_NOT_ALLOWED, std::string("only ") + allowed + "\n", kPlain}, allowed);
  }
  if (*body == nullptr) {
    const unsigned status = refusal(state, connection, is_post);
    if (status != MHD_HTTP_FORBIDDEN) state.visitors.show_token(connection);
    if (status == MHD_HTTP_CONTENT_TOO_LARGE) return respond(connection, {status, "that is too large\n", kPlain});
    if (status != 0)
      return respond(connection,
                     {status, "this page needs the whole address that weir has told, with its token\n", kPlain});
    if (is_post) {
      *body = new std::string();
      return MHD_YES;
    }
  }
  PageRequest request{.is_post = is_post, .path = url, .body = {}, .argument = [connection](const char* name) {
                        const char* value = library().lookup_value(connection, MHD_GET_ARGUMENT_KIND, name);
                        return std::string(value == nullptr ? "" : value);
                      }};
  if (is_post) {
    auto& text = *static_cast<std::string*>(*body);
    if (*size > 0) {
      const std::size_t taken = std::min(*size, PageRequest::kMostBody + 1 - text.size());
      text.append(data, taken);
      *size = 0;
      return MHD_YES;
    }
    if (text.size() > PageRequest::kMostBody)
      return respond(connection, {MHD_HTTP_CONTENT_TOO_LARGE, "that is too large\n", kPlain});
    request.body = std::move(text);
  }
  return respond(connection, answer_safely(state, request));
}

// Of MHD_RequestCompletedCallback.
void forget(void*, MHD_Connection*, void** body, MHD_RequestTerminationCode) {
  delete static_cast<std::string*>(*body);
  *body = nullptr;
}

// Of MHD_NotifyConnectionCallback.
void note_visit(void* context, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode what) {
  Visitors& visitors = static_cast<PageServer::State*>(context)->visitors;
  if (what == MHD_CONNECTION_NOTIFY_CLOSED) return visitors.leave(connection);
  const MHD_ConnectionInfo* info = library().get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (info != nullptr) visitors.enter(connection, info->connect_fd);
}

void listen(PageServer::State& state, std::uint16_t port, unsigned flags) {
  state.token = new_token();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  errno = 0;
  state.server = library().start_daemon(
      flags, 0, nullptr, nullptr, &handle, &state, MHD_OPTION_SOCK_ADDR, reinterpret_cast<sockaddr*>(&address),
      MHD_OPTION_CONNECTION_LIMIT, kMostConnections, MHD_OPTION_CONNECTION_TIMEOUT, kTimeout,
      MHD_OPTION_NOTIFY_COMPLETED, &forget, nullptr, MHD_OPTION_NOTIFY_CONNECTION, &note_visit, &state, MHD_OPTION_END);
  if (state.server == nullptr) {
    const std::string why = errno == 0 ? "" : fmt::format(": {}", std::strerror(errno));
    if (port != 0) throw InputError(fmt::format("port {} of 127.0.0.1 cannot be listened at{}", port, why));
    throw std::runtime_error(fmt::format("no port of 127.0.0.1 can be listened at{}", why));
  }
  const MHD_DaemonInfo* const info = library().get_info(state.server, MHD_DAEMON_INFO_BIND_PORT);
  state.host = fmt::format("127.0.0.1:{}", info->port);
}

}  // namespace

bool PageServer::available() { return true; }

PageServer::PageServer(std::string page) : state_(std::make_unique<State>()) {
  state_->answer = [page = std::move(page)](const PageRequest& request) -> PageAnswer {
    if (request.path != "/") return {MHD_HTTP_NOT_FOUND, "there is nothing here\n", kPlain};
    return {MHD_HTTP_OK, page};
  };
  listen(*state_, 0, MHD_USE_INTERNAL_POLLING_THREAD);
}

PageServer::PageServer(Answer answer, std::uint16_t port) : state_(std::make_unique<State>()) {
  state_->answer = std::move(answer);
  state_->takes_posts = true;
  // one that waits for the simulation must not keep the others waiting
  listen(*state_, port, MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION);
}

PageServer::~PageServer() {
  if (state_->server != nullptr) library().stop_daemon(state_->server);
}

std::string PageServer::address() const { return fmt::format("http://{}/?token={}", state_->host, state_->token); }

#else

struct PageServer::State {};

bool PageServer::available() { return false; }
PageServer::PageServer(std::string) { throw std::logic_error("this build has no HTTP server"); }
PageServer::PageServer(Answer, std::uint16_t) { throw std::logic_error("this build has no HTTP server"); }
PageServer::~PageServer() = default;
std::string PageServer::address() const { return {}; }

#endif

}  // namespace weir::app
