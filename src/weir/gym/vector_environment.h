// VectorEnvironment: many environments at once, on several threads, with one call for the decisions of all.
//
// A call of step() takes the answers to all questions that the last call gave out, lets each environment go on to its
// next questions, and writes these into arrays of the caller: first those of environment 0, then those of 1, and so on.
// An environment gives out at most `slots` questions at a time; what a window has beyond that comes with the next call,
// before the environment goes on. Neither `slots` nor the number of threads changes what a flow observes. An
// environment whose run has ended begins the next episode within the same call.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "weir/gym/environment.h"
#include "weir/gym/workers.h"

namespace weir::gym {

// What flows have seen since their decisions before (policy::Observation). An array without room is not written.
struct Sights {
  std::span<std::int64_t> intervals;  // since the question before, or the flow's start; ps
  std::span<std::int64_t> rtts;       // ps
  std::span<std::int64_t> base_rtts;
  std::span<float> rates;  // shares of the line rate
  std::span<std::int32_t> sent;
  std::span<std::int32_t> marked;  // CNPs, or marks on acknowledgements
  std::span<std::int32_t> lost;
  std::span<std::int64_t> acknowledged;  // bytes
};

// Arrays of the caller for capacity() rows each, of which the first ones are written.
struct Batch {
  std::span<float> observations;  // capacity() x width()
  std::span<float> rewards;       // of the flow's decision before; 0 for its first question
  std::span<std::int64_t> flows;  // ids
  std::span<std::int32_t> environments;
  std::span<std::int32_t> episodes;  // of the environment, from 0
  std::span<std::int64_t> times;     // when the probe returned, in picoseconds of the episode
  std::span<std::uint8_t> first;     // 1: the flow's first question
  Sights seen;
};

struct VectorShape {
  std::int64_t environments = 1;  // 1 to 65,536
  std::int64_t slots = 0;         // of each, up to 1,048,576; 0 = as many as the first scenario has flows, up to 4,096
  std::int64_t threads = 0;       // up to 1,024; 0 = one for each processor
};

// The shape, or InputError if a number of it is out of its range.
const VectorShape& checked(const VectorShape& shape);

class VectorEnvironment {
 public:
  // Environment i has the scenario i modulo their number. Throws InputError as Environment does.
  VectorEnvironment(const std::vector<Scenario>& scenarios, const Settings& settings, const VectorShape& shape);

  // Begins episode 0 of all environments and writes their first questions. Returns how many there are. Episode k of
  // environment i has run.seed = seed + i + environments() * k.
  std::size_t reset(std::uint64_t seed, const Batch& out);
  // Answers the questions of the last call, in their order, with factors for the flows' rates, and writes the next
  // ones. Throws InputError, before anything has changed, unless there is a finite factor above 0 for each. If another
  // error is thrown, reset() must be called first.
  std::size_t step(std::span<const float> factors, const Batch& out) { return step_with(factors, out); }
  std::size_t step(std::span<const double> factors, const Batch& out) { return step_with(factors, out); }

  std::size_t capacity() const { return environments_.size() * slots_; }
  std::size_t width() const { return environments_.front()->width(); }
  std::uint32_t environments() const { return static_cast<std::uint32_t>(environments_.size()); }
  std::uint32_t slots() const { return slots_; }
  unsigned threads() const { return workers_.threads(); }

 private:
  // What has been given out of an environment's window.
  struct Progress {
    std::size_t begin = 0;
    std::size_t count = 0;
    std::uint32_t episode = 0;
    std::exception_ptr error;
  };

  template <class Number>
  std::size_t step_with(std::span<const Number> factors, const Batch& out);
  void check_room(const Batch& out) const;
  // Calls work(i) for each environment, and throws what the first of them has thrown.
  template <class Work>
  void for_each(Work&& work);
  void go_on(std::size_t i);
  std::size_t write(const Batch& out);

  std::vector<std::unique_ptr<Environment>> environments_;
  std::vector<Progress> progress_;
  std::uint32_t slots_ = 0;
  std::uint64_t seed_ = 0;
  std::size_t given_ = 0;  // questions that wait for an answer
  bool usable_ = false;
  Workers workers_;
};

}  // namespace weir::gym
