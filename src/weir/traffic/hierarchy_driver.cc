#include "weir/traffic/hierarchy_driver.h"

#include <algorithm>
#include <cmath>

#include "weir/traffic/schedule.h"

namespace weir::traffic {
namespace {

// Fields of a message's step number: phase and, above the step, tree and direction.
constexpr std::uint32_t kPhaseShift = 20;
constexpr std::uint32_t kTreeShift = 19;
constexpr std::uint32_t kDownShift = 18;

std::uint64_t hierarchy_messages(const Collective& c, std::uint64_t ranks) {
  const std::uint64_t g = c.group;
  const std::uint64_t across = 2 * (ranks / g - 1);
  // one message of each step and rank, or of each tree edge and place, up and down two trees
  return c.chunks * (2 * ranks * (g - 1) + across * (c.across == Across::tree ? 2 * g : ranks));
}

}  // namespace

HierarchyDriver::HierarchyDriver(const Collective& c, const Context& context, const CollectivePlan& plan,
                                 std::uint32_t group)
    : CollectiveDriver(c, context, {plan.members, group}, hierarchy_messages(c, plan.members->ranks)),
      come_(plan.members->ranks) {}

Bytes HierarchyDriver::size_of(std::uint32_t chunk) const {
  return part_of(collective().size, chunk, collective().chunks);
}

// With rings, GPU i of a server holds the sum of part i + 1 after all steps.
Bytes HierarchyDriver::share(std::uint32_t rank, std::uint32_t chunk) const {
  const std::uint32_t at = rank % gpus();
  return part_of(size_of(chunk), by_switch() ? at : (at + 1) % gpus(), gpus());
}

CollectiveDriver::Send HierarchyDriver::near_message(std::uint32_t rank, std::uint32_t chunk, Phase phase,
                                                     std::uint32_t k) const {
  const std::uint32_t g = gpus();
  const std::uint32_t at = rank % g;
  Send out{.to = rank - at + (at + (by_switch() ? k + 1 : 1)) % g,
           .peer = 0,
           .size = {},
           .word = word_of(chunk, static_cast<std::uint32_t>(phase) << kPhaseShift | k)};
  if (by_switch()) {
    const double both = static_cast<double>(size_of(chunk).count) * (g + 1) / g / collective().in_switch_efficiency;
    out.size = {std::max<std::int64_t>(1, std::llround(std::ceil(both / 2 / (g - 1))))};
  } else {
    const std::uint32_t first = phase == Phase::adds_up ? at : at + 1;
    out.size = part_of(size_of(chunk), (first + g - k) % g, g);
  }
  return out;
}

CollectiveDriver::Send HierarchyDriver::ring_message(std::uint32_t rank, std::uint32_t chunk,
                                                     std::uint32_t step) const {
  const std::uint32_t n = servers();
  return {.to = (rank + gpus()) % ranks(),
          .peer = 1,
          .size = part_of(share(rank, chunk), (rank / gpus() + n - step % n) % n, n),
          .word = word_of(chunk, static_cast<std::uint32_t>(Phase::across) << kPhaseShift | step),
          .turn = turn_in_ring(chunk, step, ring_steps())};
}

// Ports of the parent in each tree come first, then those of the children.
CollectiveDriver::Send HierarchyDriver::tree_message(std::uint32_t rank, std::uint32_t chunk, std::uint32_t tree,
                                                     bool down, std::uint32_t server, std::uint32_t peer) const {
  return {.to = server * gpus() + rank % gpus(),
          .peer = 2 + tree + kTrees * peer,
          .size = part_of(share(rank, chunk), tree, kTrees),
          .word = word_of(chunk, static_cast<std::uint32_t>(Phase::across) << kPhaseShift | tree << kTreeShift |
                                     (down ? 1u << kDownShift : 0u)),
          .turn = turn_of(chunk)};
}

CollectiveDriver::Branches HierarchyDriver::branches(std::uint32_t rank, std::uint32_t tree) const {
  const TreePlace own = place(rank, tree);
  const auto in = [&](std::uint32_t server) { return server * gpus() + rank % gpus(); };
  Branches out{.up = 2 + tree};
  for (std::uint32_t i = 0; i < own.children.size(); ++i) {
    if (own.children[i] == kNoRank) continue;
    out.child[out.children] = in(own.children[i]);
    out.down[out.children++] = 2 + tree + kTrees * (i + 1);
  }
  if (own.parent == kNoRank) return out;
  out.parent = in(own.parent);
  const auto above = double_tree(own.parent, servers(), tree).children;
  const std::uint32_t i = above[0] == rank / gpus() ? 0 : 1;
  out.down_to = 2 + tree + kTrees * (i + 1);
  return out;
}

HierarchyDriver::Come& HierarchyDriver::come(std::uint32_t rank, std::uint32_t chunk) {
  if (come_[rank].empty()) come_[rank].resize(collective().chunks);
  return come_[rank][chunk];
}

void HierarchyDriver::start(Desk& desk, std::uint32_t rank) {
  for (std::uint32_t chunk = 0; chunk < first_chunks(); ++chunk) begin_chunk(desk, rank, chunk);
}

void HierarchyDriver::begin_chunk(Desk& desk, std::uint32_t rank, std::uint32_t chunk) {
  for (std::uint32_t k = 0; k < (by_switch() ? gpus() - 1 : 1); ++k)
    send(desk, rank, near_message(rank, chunk, Phase::adds_up, k));
}

HierarchyDriver::Where HierarchyDriver::where_of(std::uint64_t word) {
  const std::uint32_t rest = step_of(word);
  return {.phase = static_cast<Phase>(rest >> kPhaseShift),
          .tree = rest >> kTreeShift & 1,
          .goes_down = (rest >> kDownShift & 1) != 0,
          .step = rest & ((1u << kDownShift) - 1)};
}

void HierarchyDriver::go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) {
  const std::uint32_t chunk = chunk_of(word);
  const Where at = where_of(word);
  if (at.phase != Phase::across) {
    go_near(desk, rank, chunk, at.phase, at.step);
  } else if (!by_trees()) {
    ++come(rank, chunk).steps;
    go_round(desk, rank, chunk);
    if (receivers_free() && at.step + 1 == ring_steps()) free_in_ring(desk, rank);
  } else if (at.goes_down) {
    descend(desk, rank, chunk, at.tree);
  } else {
    climb(desk, rank, chunk, at.tree);
  }
}

void HierarchyDriver::begun(Desk& desk, std::uint32_t rank, const Send& message) {
  const Where at = where_of(message.word);
  if (at.phase != Phase::across) return;
  if (by_trees())
    free_branches(desk, rank, branches(rank, at.tree), at.goes_down, turn_of(chunk_of(message.word)));
  else if (at.step > 0)
    free_in_ring(desk, rank);
}

void HierarchyDriver::free_in_ring(Desk& desk, std::uint32_t rank) const {
  free_slot_at(desk, rank, (rank + ranks() - gpus()) % ranks(), 1);
}

// A message from the same server has arrived.
void HierarchyDriver::go_near(Desk& desk, std::uint32_t rank, std::uint32_t chunk, Phase phase, std::uint32_t step) {
  if (!by_switch() && step + 2 < gpus()) send_later(desk, rank, near_message(rank, chunk, phase, step + 1));
  Come& own = come(rank, chunk);
  if (phase == Phase::spreads) {
    ++own.spread;
    look_at_end(desk, rank, chunk);
  } else if (++own.near == gpus() - 1) {
    added_up(desk, rank, chunk);
  }
}

void HierarchyDriver::added_up(Desk& desk, std::uint32_t rank, std::uint32_t chunk) {
  come(rank, chunk).is_added_up = true;
  if (!by_trees()) return go_round(desk, rank, chunk);
  for (std::uint32_t tree = 0; tree < kTrees; ++tree) climb(desk, rank, chunk, tree);
}

// Sends each step once the rank has its server's sum and the message of the step before.
void HierarchyDriver::go_round(Desk& desk, std::uint32_t rank, std::uint32_t chunk) {
  Come& own = come(rank, chunk);
  if (!own.is_added_up) return;
  for (; own.sent < ring_steps() && own.sent <= own.steps; ++own.sent)
    send_later(desk, rank, ring_message(rank, chunk, own.sent));
  if (own.steps == ring_steps() && !own.spreads) spread(desk, rank, chunk);
}

// Called once for the rank itself and for each child whose sum has arrived; when all have, the rank sends to its
// parent.
void HierarchyDriver::climb(Desk& desk, std::uint32_t rank, std::uint32_t chunk, std::uint32_t tree) {
  const TreePlace at = place(rank, tree);
  const auto awaited = 1 + std::count_if(at.children.begin(), at.children.end(), [](auto c) { return c != kNoRank; });
  if (++come(rank, chunk).below[tree] < awaited) return;
  if (at.parent == kNoRank) return descend(desk, rank, chunk, tree);
  send_later(desk, rank, tree_message(rank, chunk, tree, false, at.parent, 0));
}

void HierarchyDriver::descend(Desk& desk, std::uint32_t rank, std::uint32_t chunk, std::uint32_t tree) {
  const TreePlace at = place(rank, tree);
  const bool is_leaf = at.children[0] == kNoRank && at.children[1] == kNoRank;
  if (is_leaf && receivers_free()) free_branches(desk, rank, branches(rank, tree), true, turn_of(chunk));
  for (std::uint32_t i = 0; i < at.children.size(); ++i)
    if (at.children[i] != kNoRank) send_later(desk, rank, tree_message(rank, chunk, tree, true, at.children[i], i + 1));
  if (++come(rank, chunk).trees == kTrees) spread(desk, rank, chunk);
}

void HierarchyDriver::spread(Desk& desk, std::uint32_t rank, std::uint32_t chunk) {
  come(rank, chunk).spreads = true;
  for (std::uint32_t k = 0; k < (by_switch() ? gpus() - 1 : 1); ++k)
    send_later(desk, rank, near_message(rank, chunk, Phase::spreads, k));
  look_at_end(desk, rank, chunk);
}

// When a chunk is complete at this rank and on its way to the other GPUs, the next chunk begins.
void HierarchyDriver::look_at_end(Desk& desk, std::uint32_t rank, std::uint32_t chunk) {
  const Come& own = come(rank, chunk);
  if (!own.spreads || own.spread < gpus() - 1) return;
  const std::uint64_t next = std::uint64_t{chunk} + first_chunks();
  if (next < collective().chunks) begin_chunk(desk, rank, static_cast<std::uint32_t>(next));
}

std::uint64_t HierarchyDriver::moves(std::uint32_t rank) const {
  std::uint64_t across = 2 * ring_steps();
  if (by_trees()) {
    across = 0;
    for (std::uint32_t tree = 0; tree < kTrees; ++tree) {
      const TreePlace at = place(rank, tree);
      for (const std::uint32_t other : {at.parent, at.children[0], at.children[1]}) across += other == kNoRank ? 0 : 2;
    }
  }
  return collective().chunks * (std::uint64_t{4} * (gpus() - 1) + across);
}

Bytes HierarchyDriver::payload() const {
  const std::uint64_t g = gpus();
  Bytes near = saturating_product(collective().size, 2 * (g - 1) * servers());
  if (by_switch()) {
    near = {};
    for (std::uint32_t chunk = 0; chunk < collective().chunks; ++chunk)
      near = saturating_sum(
          near, saturating_product(near_message(0, chunk, Phase::adds_up, 0).size, 2 * g * (g - 1) * servers()));
  }
  return saturating_sum(near, saturating_product(collective().size, ring_steps()));
}

// The longest chain of messages: within a server, from the server that is deepest in the tree to the root and back, and
// within a server again.
std::uint64_t HierarchyDriver::longest() const {
  const std::uint64_t near_steps = by_switch() ? 1 : gpus() - 1;
  if (!by_trees()) return 2 * near_steps + ring_steps();
  std::uint64_t deepest = 0;
  for (std::uint32_t server = 0; server < servers(); ++server) {
    std::uint64_t depth = 0;
    for (std::uint32_t at = double_tree(server, servers(), 0).parent; at != kNoRank;
         at = double_tree(at, servers(), 0).parent)
      ++depth;
    deepest = std::max(deepest, depth);
  }
  return 2 * (near_steps + deepest);
}

void HierarchyDriver::each_peer(std::uint32_t rank, const VisitSend& visit) const {
  if (!by_trees()) return visit(ring_message(rank, 0, 0));
  for (std::uint32_t tree = 0; tree < kTrees; ++tree) {
    const TreePlace at = place(rank, tree);
    if (at.parent != kNoRank) visit(tree_message(rank, 0, tree, false, at.parent, 0));
    for (std::uint32_t i = 0; i < at.children.size(); ++i)
      if (at.children[i] != kNoRank) visit(tree_message(rank, 0, tree, true, at.children[i], i + 1));
  }
}

}  // namespace weir::traffic
