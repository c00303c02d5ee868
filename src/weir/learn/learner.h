// Learner: what differs between methods: how flows are decided for, and what is made of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "weir/base/archive.h"
#include "weir/learn/actor.h"
#include "weir/learn/curriculum.h"
#include "weir/policy/policy.h"

namespace weir::learn {

class Learner {
 public:
  virtual ~Learner() = default;

  // An actor that follows what has been learned up to each of its decisions. With `explores`, it tries other actions
  // where the method does so to learn. The learner must outlive it, and must not learn while it is asked.
  virtual std::unique_ptr<Actor> actor(const RandomStream& stream, const FirstRates& rates, bool explores) const = 0;

  // One update from the complete decisions in the stores; returns the loss. `rate` is the learning rate.
  virtual double learn(std::span<TrajectoryStore* const> stores, double rate) = 0;

  // All that learning has changed. load() throws InputError if the bytes do not fit.
  virtual void save(Saver& a) = 0;
  virtual void load(Loader& a) = 0;

  // Nothing if the method gives none.
  virtual std::optional<policy::Policy> policy() const { return std::nullopt; }
};

// With the weights that the seed gives.
std::unique_ptr<Learner> make_learner(const Curriculum& curriculum, std::uint64_t seed);

}  // namespace weir::learn
