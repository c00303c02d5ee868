// From any policy to a regression tree that answers its inputs in about the same way.
//
// Source: the idea is that of Implementing Reinforcement Learning Datacenter Congestion Control in NVIDIA NICs
// (arXiv 2207.02295); the tree is grown by greatest reduction of variance (Breiman et al., Classification and
// Regression Trees, 1984). The same samples give the same tree.
#pragma once

#include <span>

#include "weir/policy/policy.h"
#include "weir/policy/walks.h"

namespace weir::policy {

struct DistilOptions {
  int depth = 10;  // splits on the way to a leaf, 0 to 14
  int leaf = 20;   // least samples of a leaf, at least 1
};

// Throws std::logic_error without samples, or if an option is out of range. A policy that remembers, an LSTM, loses its
// memory.
Policy distil(const Policy& policy, std::span<const Sample> samples, const DistilOptions& options = {});

}  // namespace weir::policy
