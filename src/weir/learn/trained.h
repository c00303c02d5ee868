// For what a curriculum trains: the ranges that a policy's file names.
#pragma once

#include "weir/learn/curriculum.h"
#include "weir/policy/policy.h"

namespace weir::learn {

// Of the networks of all environments and validations. The number of flows is of those that the learner adds; traffic
// of a scenario's own counts for the other ranges alone.
policy::Trained trained_of(const Curriculum& curriculum);

}  // namespace weir::learn
