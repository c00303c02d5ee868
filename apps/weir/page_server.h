// One page over HTTP, for a browser on this machine.
//
// It listens on 127.0.0.1 only, at a port that the system chooses. The page is only given to those who know the token
// in its address, and under no other name of this machine.
#pragma once

#include <memory>
#include <string>

namespace weir::app {

class PageServer {
 public:
  // False if this build has no HTTP server.
  static bool available();

  // Throws std::runtime_error if it cannot listen; requires available().
  explicit PageServer(std::string page);
  ~PageServer();
  PageServer(const PageServer&) = delete;

  // The address of the page, with the token.
  std::string address() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace weir::app
