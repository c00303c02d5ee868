// What is to be done, read from lines of text.
//
//   host NAME ADDRESS            a namespace and its address
//   seed N
//   warm TIME                    counters and requests begin then
//   until TIME                   everything ends, at the latest
//   queue NAMESPACE DEVICE TIME  the backlog of its root qdisc, looked at so often
//   departures NAMESPACE DEVICE  how long packets of TCP have waited when they leave it
//   long ASKER SENDER...         one flow without end from each sender
//   requests LABEL ASKER SENDER... [connections=N] [size=BYTES] [count=N] [skip=N] [every=TIME]
//                                a request asks for `size` bytes on each connection (N in all, dealt to the senders in
//                                turn) and is complete when all have come; the next one begins 0.8 to 1.2 times `every`
//                                after this one began, or when this one is complete if that is later. The first `skip`
//                                are not counted: their connections know no round trip under load. The run ends when
//                                all counts are reached
//   web LABEL LOAD RATE FILE TIME ASKER SENDER...
//                                answers of random sizes at random times, such that they are LOAD of RATE (bits a
//                                second). FILE has the sizes: "bytes percent" a line, so many are at most so large.
//                                None begins after TIME; the run ends when all have come. Lines with one LABEL have one
//                                result. What is asked for and when does not depend on what comes back
//
// Times: 5ms, 2s; a plan that cannot be used throws std::runtime_error with the number of the line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/hosts/vm/load/netns.h"

namespace weir::hosts::load {

struct LongPlan {
  std::size_t asker = 0;
  std::vector<std::size_t> senders;
};

struct RequestPlan {
  std::string label;
  std::size_t asker = 0;
  std::vector<std::size_t> senders;
  int connections = 1;
  std::uint64_t size = 2048;
  int count = 0;  // 0: as many as there is time for
  int skip = 0;
  std::int64_t every = 100'000'000;
};

struct WebPlan {
  std::string label;
  double bytes_per_second = 0;
  std::int64_t last = 0;                         // ns after the begin; none begins later
  std::vector<std::pair<double, double>> sizes;  // bytes, per cent of flows that are at most so large
  std::size_t asker = 0;
  std::vector<std::size_t> senders;
};

struct QueuePlan {
  std::string ns;
  std::string device;
  std::int64_t interval = 0;
};

struct Plan {
  std::vector<Host> hosts;
  std::uint64_t seed = 1;
  std::int64_t warm = 0;
  std::int64_t until = 0;
  std::vector<QueuePlan> queues;
  std::vector<std::pair<std::string, std::string>> departures;  // namespace, device
  std::vector<LongPlan> longs;
  std::vector<RequestPlan> requests;
  std::vector<WebPlan> webs;
};

Plan read_plan(const std::string& path);

}  // namespace weir::hosts::load
