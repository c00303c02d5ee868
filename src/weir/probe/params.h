// Which probes a scenario turns on, and with which parameters.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "weir/base/params.h"

namespace weir::probe {

struct ProbeKind;

// A value: copies share nothing that changes.
class ProbeParams {
 public:
  // The probes that are always on, with the defaults of their parameters.
  ProbeParams();

  // Turns the probe on with an object of its parameters, instead of what it had.
  void set(const ProbeKind& kind, std::shared_ptr<const void> params);
  // Its parameters; null = it is off.
  const void* get(const ProbeKind& kind) const;

  // The same of a probe in the catalogue, by the type of its parameters.
  template <class P>
  void set(P params) {
    set(kind_of(params_of<P>()), std::make_shared<const P>(std::move(params)));
  }
  template <class P>
  const P* get() const {
    return static_cast<const P*>(get(kind_of(params_of<P>())));
  }

  // What asks for single events, as "probes.packets"; "" = nothing.
  std::string trace_key() const;
  // Whether the engine has to tell them (engine::RunOptions::traced).
  bool need_trace() const { return !trace_key().empty(); }
  // The shortest interval at which they ask to be called, as far as that is known; Time::max() if none does.
  Time shortest_interval() const;

 private:
  // Throws logic_error if no probe of the catalogue has these.
  static const ProbeKind& kind_of(const ParamSet& params);

  std::map<std::string, std::shared_ptr<const void>, std::less<>> on_;  // by name
};

}  // namespace weir::probe
