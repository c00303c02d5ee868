// Metrics for Prometheus over HTTP, GET /metrics on an address of this host alone; served from the event loop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "hosts/agent/config.h"
#include "hosts/agent/event_loop.h"

struct MHD_Daemon;

namespace weir::hosts {

class MetricsServer {
 public:
  // `text` makes the answer. Throws std::runtime_error where the address cannot be listened at.
  MetricsServer(EventLoop& loop, const Listen& listen, std::function<std::string()> text);
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;
  ~MetricsServer();

  // Of an address with port 0: the one that the kernel chose.
  std::uint16_t port() const;

 private:
  EventLoop& loop_;
  std::function<std::string()> text_;
  MHD_Daemon* server_ = nullptr;
  int descriptor_ = -1;  // the library's
};

}  // namespace weir::hosts
