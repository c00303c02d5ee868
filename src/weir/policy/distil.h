// From any policy to a regression tree that answers its inputs in about the same way.
//
// Source: the idea is that of Implementing Reinforcement Learning Datacenter Congestion Control in NVIDIA NICs
// (arXiv 2207.02295); the tree is grown by greatest reduction of variance, the leaf that gains most first (Breiman et
// al., Classification and Regression Trees, 1984). What a tree is asked depends on what it has answered before, so the
// samples of a network miss where its tree goes: distil_in_loop() lets trees drive and the network answer, round by
// round, and grows the next tree from the samples of all rounds (DAgger: Ross et al., A Reduction of Imitation Learning
// and Structured Prediction to No-Regret Online Learning, AISTATS 2011). The same samples give the same tree.
#pragma once

#include <span>

#include "weir/policy/policy.h"
#include "weir/policy/walks.h"

namespace weir::policy {

struct DistilOptions {
  int depth = 14;     // splits on the way to a leaf, 0 to 14
  int leaf = 10;      // least samples of a leaf, at least 1
  int leaves = 1000;  // of the tree, at least 1
};

// Throws std::logic_error without samples, or if an option is out of range. A policy that remembers, an LSTM, loses its
// memory.
Policy distil(const Policy& policy, std::span<const Sample> samples, const DistilOptions& options = {});

struct LoopOptions {
  int rounds = 2;  // in which a tree drives, after the first one, in which the policy itself does; from 0 on
  WalkOptions walks{.walks = 100, .decisions = 1000};  // of each round; the seed counts up
};

// Throws as distil() does.
Policy distil_in_loop(const Policy& policy, const DistilOptions& options = {}, const LoopOptions& loop = {});

}  // namespace weir::policy
