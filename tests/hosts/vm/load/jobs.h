// What a plan asks for, as it is done: long flows, requests, a load of a size distribution.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/hosts/vm/load/connection.h"
#include "tests/hosts/vm/load/loop.h"
#include "tests/hosts/vm/load/plan.h"

namespace weir::hosts::load {

// Of times in ns.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
};
Summary summary(std::vector<double> values);
// As a JSON object, divided by `unit`.
std::string json(const Summary&, double unit);

// Hosts of a plan that answer.
struct World {
  Loop loop;
  Plan plan;
  std::mt19937_64 random{1};
  std::vector<std::unique_ptr<Server>> servers;
};

class LongFlows {
 public:
  LongFlows(World&, const LongPlan&);
  void begin();  // counting
  void end();
  // For each flow an object with its rate and its longest silence.
  std::string json() const;
  int broken() const;

 private:
  struct Flow {
    std::unique_ptr<Connection> connection;
    std::uint64_t before = 0;  // bytes
    double rate = 0;           // bits a second
    std::int64_t silence = 0;  // ns
  };
  std::vector<Flow> flows_;
  std::int64_t began_ = 0;
};

class Requests {
 public:
  Requests(World&, const RequestPlan&);
  void begin();
  // Until all answers are there.
  std::string json() const;
  // Until the answer on each connection is there, mean, ms.
  std::string connections_json() const;
  bool counts() const { return plan_.count > 0; }
  bool done() const { return counts() && static_cast<int>(times_.size()) >= plan_.count; }
  int broken() const;
  const std::string& label() const { return plan_.label; }

 private:
  void start();
  void one_is_there(std::size_t connection);

  World& world_;
  RequestPlan plan_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::int64_t started_ = 0;
  std::size_t missing_ = 0;
  int skipped_ = 0;
  std::vector<double> times_;  // ns
  std::vector<double> sums_;   // ns, of each connection
};

class Web {
 public:
  // Of several in a plan each has a number, and so random times and sizes of its own.
  Web(World&, const WebPlan&, std::size_t number);
  void begin();
  // What those of one label have seen together, by the size of flows.
  static std::string json(const std::vector<const Web*>&);
  bool done() const { return ended_ && done_.size() == started_; }
  int broken() const;
  const std::string& label() const { return plan_.label; }

 private:
  struct Done {
    double size;  // bytes
    double time;  // ns
  };
  void next();
  void start();
  double draw_size();
  double mean_size() const;

  World& world_;
  WebPlan plan_;
  std::vector<std::vector<std::unique_ptr<Connection>>> pools_;  // of each sender
  std::mt19937_64 random_;
  std::int64_t last_ = 0;  // none begins later
  bool ended_ = false;
  std::vector<Done> done_;
  std::size_t started_ = 0;
};

}  // namespace weir::hosts::load
