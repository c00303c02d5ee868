#include "tests/hosts/vm/load/plan.h"

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace weir::hosts::load {
namespace {

std::int64_t time_of(const std::string& text) {
  std::size_t used = 0;
  const double value = std::stod(text, &used);
  const std::string unit = text.substr(used);
  const double factor = unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 0;
  if (factor == 0) throw std::runtime_error("not a time: " + text);
  return std::llround(value * factor);
}

class Reader {
 public:
  void line(const std::string& text) {
    std::istringstream stream(text);
    std::string keyword;
    words_.clear();
    if (!(stream >> keyword) || keyword[0] == '#') return;
    for (std::string word; stream >> word;) words_.push_back(word);
    next_ = 0;
    if (keyword == "host") {
      const std::string name = take();
      plan.hosts.push_back({name, take()});
    } else if (keyword == "seed") {
      plan.seed = std::stoull(take());
    } else if (keyword == "warm") {
      plan.warm = time_of(take());
    } else if (keyword == "until") {
      plan.until = time_of(take());
    } else if (keyword == "queue") {
      QueuePlan queue{take(), {}, 0};
      queue.device = take();
      queue.interval = time_of(take());
      plan.queues.push_back(queue);
    } else if (keyword == "departures") {
      const std::string ns = take();
      plan.departures.emplace_back(ns, take());
    } else if (keyword == "long") {
      LongPlan flows{take_host(), {}};
      flows.senders = take_hosts();
      plan.longs.push_back(flows);
    } else if (keyword == "requests") {
      requests();
    } else if (keyword == "web") {
      web();
    } else {
      throw std::runtime_error("unknown: " + keyword);
    }
    if (next_ < words_.size()) throw std::runtime_error("too much: " + words_[next_]);
  }

  Plan plan;

 private:
  const std::string& take() {
    if (next_ == words_.size()) throw std::runtime_error("something is missing at the end");
    return words_[next_++];
  }

  std::size_t take_host() {
    const std::string& name = take();
    for (std::size_t i = 0; i < plan.hosts.size(); ++i) {
      if (plan.hosts[i].name == name) return i;
    }
    throw std::runtime_error("no such host: " + name);
  }

  std::vector<std::size_t> take_hosts() {
    std::vector<std::size_t> hosts{take_host()};
    while (next_ < words_.size() && words_[next_].find('=') == std::string::npos) hosts.push_back(take_host());
    return hosts;
  }

  void requests() {
    RequestPlan made;
    made.label = take();
    made.asker = take_host();
    made.senders = take_hosts();
    made.connections = static_cast<int>(made.senders.size());
    while (next_ < words_.size()) {
      const std::string& word = take();
      const std::size_t equals = word.find('=');
      const std::string key = word.substr(0, equals);
      const std::string value = word.substr(equals + 1);
      if (key == "connections") {
        made.connections = std::stoi(value);
      } else if (key == "size") {
        made.size = std::stoull(value);
      } else if (key == "count") {
        made.count = std::stoi(value);
      } else if (key == "skip") {
        made.skip = std::stoi(value);
      } else if (key == "every") {
        made.every = time_of(value);
      } else {
        throw std::runtime_error("unknown: " + word);
      }
    }
    plan.requests.push_back(made);
  }

  void web() {
    WebPlan made;
    made.label = take();
    const double load = std::stod(take());
    made.bytes_per_second = load * std::stod(take()) / 8;
    const std::string path = take();
    std::ifstream file(path);
    for (double size = 0, probability = 0; file >> size >> probability;) made.sizes.emplace_back(size, probability);
    if (made.sizes.empty()) throw std::runtime_error("no sizes in " + path);
    made.last = time_of(take());
    made.asker = take_host();
    made.senders = take_hosts();
    plan.webs.push_back(made);
  }

  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

}  // namespace

Plan read_plan(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  Reader reader;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    try {
      reader.line(text);
    } catch (const std::exception& error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  if (reader.plan.until <= reader.plan.warm) throw std::runtime_error(path + ": until must be later than warm");
  return reader.plan;
}

}  // namespace weir::hosts::load
