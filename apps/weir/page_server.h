// Pages over HTTP, for a browser on this machine.
//
// It listens on 127.0.0.1 only. Requests are only answered to those who know the token, and under no other name of this
// machine: of a page the token stands in its address; of what changes something, a POST, in the header X-Weir-Token,
// which pages from elsewhere cannot set.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace weir::app {

struct PageRequest {
  bool is_post = false;
  std::string path;                                  // "/"
  std::string body;                                  // of a POST, at most kMostBody bytes
  std::function<std::string(const char*)> argument;  // of the address; "" = it is not there

  static constexpr std::size_t kMostBody = 64 * 1024;
};

struct PageAnswer {
  unsigned status = 200;  // of HTTP
  std::string text;
  const char* type = "text/html; charset=utf-8";
};

class PageServer {
 public:
  using Answer = std::function<PageAnswer(const PageRequest&)>;

  // False if this build has no HTTP server.
  static bool available();

  // One page, at "/". Throws std::runtime_error if it cannot listen; requires available().
  explicit PageServer(std::string page);
  // `answer` is called on threads of the server, several at a time, and must have returned before this is destroyed.
  // `port` 0 = the system chooses one. Throws InputError if a port that is given cannot be listened at.
  PageServer(Answer answer, std::uint16_t port);
  ~PageServer();
  PageServer(const PageServer&) = delete;

  // The address of the page, with the token.
  std::string address() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace weir::app
