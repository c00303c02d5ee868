// Sends the decisions of a data path to those who have asked for them, as lines of JSON:
//   {"flow": 0, "source": "10.0.0.1", "source_port": 1, "destination": "10.0.0.2", "destination_port": 2}  a new flow
//   ["sent", time, flow, seq, length, held_for]
//   ["or_ack", time, flow, seq, delay, beta, pause]
// Who does not keep up loses decisions, and is told how many: {"lost": n}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hosts/agent/control.h"
#include "hosts/path/data_path.h"

namespace weir::hosts {

class TraceHub {
 public:
  explicit TraceHub(DataPath& path) : path_(path) {}
  TraceHub(const TraceHub&) = delete;
  TraceHub& operator=(const TraceHub&) = delete;
  ~TraceHub() { path_.trace(nullptr); }

  // From now on until the connection is closed.
  void add(const std::shared_ptr<ControlConnection>& connection);
  // Sends what poll() has brought.
  void flush();

 private:
  struct Subscriber {
    std::shared_ptr<ControlConnection> connection;
    std::map<Flow, std::size_t> flows;
    std::string lines;
    std::uint64_t lost = 0;
  };
  void take(const Decision& decision);
  static void add_line(Subscriber& subscriber, const Decision& decision);
  void remove(const ControlConnection* connection);

  DataPath& path_;
  std::vector<std::unique_ptr<Subscriber>> subscribers_;
};

}  // namespace weir::hosts
