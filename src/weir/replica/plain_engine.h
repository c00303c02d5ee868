// What replicas have in common as engines: one thread, and steps of 10 us between which samplers look.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/engine/model/model.h"
#include "weir/engine/time/samplers.h"

namespace weir::replica {

class PlainEngine : public engine::Engine {
 public:
  // The model must outlive this.
  PlainEngine(const engine::Model& model, Time stop) : model_(model), stop_(stop) {}

  void every(Time interval, std::function<void(Time)> call) override;
  // A run also ends when all that is left are flows that wait in vain.
  bool advance(Time until = Time::max()) override;

  Time now() const override { return now_; }
  Time epoch() const override;
  std::uint32_t threads() const override { return 1; }
  const engine::Model& model() const override { return model_; }

 protected:
  // All events before `end`.
  virtual void run_until(Time end) = 0;
  // Nothing is left to be done.
  virtual bool idle() const = 0;
  // Flows that have ended since this was last cleared.
  virtual std::vector<host::FlowRecord>& finished() = 0;

 private:
  bool ended() const { return now_ >= stop_ || idle(); }
  void report();

  const engine::Model& model_;
  const Time stop_;
  Time now_;
  engine::Samplers samplers_;
};

}  // namespace weir::replica
