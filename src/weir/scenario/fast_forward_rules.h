// [run.fast_forward]: what a scenario may ask of a run that skips messages or time.
#pragma once

#include <string>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/scenario/scenario.h"
#include "weir/traffic/traffic.h"

namespace weir::scenario {

// Whether something may be skipped.
bool skips(const Scenario&);
// Throws InputError that names file, line and key if the scenario asks for something that such a run does not have.
void check_fast_forward(const Scenario&, const engine::Model&);
// The same of traffic whose messages wait for each other: all of them are written down, and none is sent by an
// algorithm whose messages change for longer than is looked at.
void check_skipped_messages(const Scenario&, const traffic::Traffic&);
// Throws InputError "<option>: ..." if something may be skipped: the option asks for single packets.
void check_sends_all(const Scenario&, std::string_view option);
// Adds what may surprise about such a run.
void warn_of_fast_forward(const Scenario&, std::vector<std::string>& out);

}  // namespace weir::scenario
