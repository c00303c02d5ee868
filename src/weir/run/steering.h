// Changes that are made to a run while it goes on, and the file that keeps them: steering.toml.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weir/base/params.h"
#include "weir/base/units.h"
#include "weir/engine/model/faults.h"
#include "weir/scenario/scenario.h"
#include "weir/traffic/flow.h"

namespace weir::run {

// A flow that starts at that instant.
struct SentFlow {
  std::uint32_t src = 0;  // hosts, counted from 0; two different ones
  std::uint32_t dst = 0;
  Bytes size;           // of payload; 1 B to 1 PB
  std::string tag;      // one of the tags of the scenario's traffic; "" = the first one
  std::string profile;  // one of the scenario's profiles; "" = that of [algorithm]

  static void describe(ParamList<SentFlow>& p);
};
// The links between two nodes go down, or come up again.
struct TurnedLinks {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  engine::LinkState state = engine::LinkState::down;

  static void describe(ParamList<TurnedLinks>& p);
};
// Keys of the scenario that get other values, as "key=value"; check_keys() says which may.
struct SetKeys {
  std::vector<std::string> assignments;
};

struct Change {
  Time at;  // the end of an epoch: all events before it have happened, and none at it
  std::variant<SentFlow, TurnedLinks, SetKeys> what;
};

// One line for people, like "flow 3 -> 4 of 1 MB".
std::string to_text(const Change& change);
// The text of steering.toml.
std::string to_toml(const std::vector<Change>& changes);
// Reads the text of steering.toml. Throws InputError that names the line of the file.
std::vector<Change> read_changes(const std::string& text, const std::string& file);

// The flow as the engine takes it, with the indices of its tag and its profile. Throws InputError if there is no tag or
// profile of this name.
traffic::Flow flow_of(const SentFlow& sent, Time start, const std::vector<std::string>& tags,
                      const scenario::Scenario& s);

}  // namespace weir::run
