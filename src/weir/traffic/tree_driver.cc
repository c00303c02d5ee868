#include "weir/traffic/tree_driver.h"

#include <algorithm>

#include "weir/traffic/double_tree.h"
#include "weir/traffic/schedule.h"

namespace weir::traffic {
namespace {

std::uint64_t messages_of(const Collective& c, std::uint64_t ranks) { return (ranks - 1) * 2 * 2 * c.chunks; }

// Encodes tree, chunk and direction in the word of a message.
constexpr std::uint64_t tree_word(std::uint32_t tree, std::uint32_t chunk, bool down) {
  return std::uint64_t{chunk} << 2 | tree << 1 | (down ? 1u : 0u);
}
constexpr bool goes_down(std::uint64_t word) { return (word & 1) != 0; }
constexpr std::uint32_t tree_in(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 1 & 1); }
constexpr std::uint32_t chunk_in(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 2); }

}  // namespace

TreeDriver::TreeDriver(const Collective& c, const Context& context, const CollectivePlan& plan, std::uint32_t group)
    : CollectiveDriver(c, context, {plan.members, group}, messages_of(c, plan.members->ranks)),
      come_(plan.members->ranks) {}

TreeDriver::Place TreeDriver::place_of(std::uint32_t rank, std::uint32_t tree, std::uint32_t chunk) const {
  const std::uint32_t group = collective().group;
  const std::uint32_t index = index_of(rank, chunk);
  Place out;
  if (index % group != 0) {
    out.parent = rank_at(index - 1, chunk);
  } else {
    const TreePlace place = double_tree(index / group, ranks() / group, tree);
    if (place.parent != kNoRank) out.parent = rank_at(place.parent * group, chunk);
    for (const std::uint32_t child : place.children)
      if (child != kNoRank) out.child[out.children++] = rank_at(child * group, chunk);
  }
  if ((index + 1) % group != 0) out.child[out.children++] = rank_at(index + 1, chunk);
  return out;
}

Bytes TreeDriver::size_of(std::uint32_t tree, std::uint32_t chunk) const {
  return part_of(part_of(collective().size, tree, kTrees), chunk, collective().chunks);
}

CollectiveDriver::Send TreeDriver::message_of(std::uint32_t tree, std::uint32_t chunk, Way way, std::uint32_t to,
                                              std::uint32_t peer) const {
  return {.to = to,
          .peer = port(tree, chunk, peer),
          .size = size_of(tree, chunk),
          .word = tree_word(tree, chunk, way == Way::down),
          .turn = turn_of(chunk)};
}

CollectiveDriver::Branches TreeDriver::branches(std::uint32_t rank, std::uint32_t tree, std::uint32_t chunk) const {
  const Place own = place_of(rank, tree, chunk);
  Branches out{.parent = own.parent, .up = port(tree, chunk, 0), .children = own.children, .child = own.child};
  for (std::uint32_t i = 0; i < own.children; ++i) out.down[i] = port(tree, chunk, i + 1);
  if (own.parent == kNone) return out;
  const Place above = place_of(own.parent, tree, chunk);
  const auto place = std::find(above.child.begin(), above.child.begin() + above.children, rank) - above.child.begin();
  out.down_to = port(tree, chunk, static_cast<std::uint32_t>(place) + 1);
  return out;
}

void TreeDriver::begun(Desk& desk, std::uint32_t rank, const Send& message) {
  const std::uint32_t chunk = chunk_in(message.word);
  free_branches(desk, rank, branches(rank, tree_in(message.word), chunk), goes_down(message.word), turn_of(chunk));
}

// Leaves of the trees begin.
void TreeDriver::start(Desk& desk, std::uint32_t rank) {
  for (std::uint32_t chunk = 0; chunk < first_chunks(); ++chunk)
    for (std::uint32_t tree = 0; tree < kTrees; ++tree)
      if (const Place place = place_of(rank, tree, chunk); place.children == 0)
        send(desk, rank, message_of(tree, chunk, Way::up, place.parent, 0));
}

void TreeDriver::go_on(Desk& desk, std::uint32_t rank, std::uint64_t word) {
  const std::uint32_t tree = tree_in(word);
  const std::uint32_t chunk = chunk_in(word);
  if (goes_down(word)) return pass_down(desk, rank, tree, chunk);
  if (const std::uint32_t children = place_of(rank, tree, chunk).children; children > 1) {
    auto& come = come_[rank];
    if (come.empty()) come.resize(std::size_t{kTrees} * collective().chunks);
    if (++come[kTrees * std::size_t{chunk} + tree] < children) return;
  }
  pass_up(desk, rank, tree, chunk);
}

// At the root the sum is complete and goes down.
void TreeDriver::pass_up(Desk& desk, std::uint32_t rank, std::uint32_t tree, std::uint32_t chunk) {
  if (const std::uint32_t parent = place_of(rank, tree, chunk).parent; parent != kNone)
    send_later(desk, rank, message_of(tree, chunk, Way::up, parent, 0));
  else
    pass_down(desk, rank, tree, chunk);
}

void TreeDriver::pass_down(Desk& desk, std::uint32_t rank, std::uint32_t tree, std::uint32_t chunk) {
  const Place place = place_of(rank, tree, chunk);
  if (place.children == 0 && receivers_free())
    free_branches(desk, rank, branches(rank, tree, chunk), true, turn_of(chunk));
  for (std::uint32_t i = 0; i < place.children; ++i)
    send_later(desk, rank, message_of(tree, chunk, Way::down, place.child[i], i + 1));
  const std::uint64_t next = std::uint64_t{chunk} + first_chunks();
  if (place.children == 0 && next < collective().chunks)
    send(desk, rank, message_of(tree, static_cast<std::uint32_t>(next), Way::up, place.parent, 0));
}

// A message each way to each neighbour, of each chunk.
std::uint64_t TreeDriver::moves(std::uint32_t rank) const {
  const std::uint32_t channels = collective().channels;
  std::uint64_t out = 0;
  for (std::uint32_t channel = 0; channel < channels; ++channel)
    for (std::uint32_t tree = 0; tree < kTrees; ++tree) {
      const Place place = place_of(rank, tree, channel);
      const std::uint64_t chunks = (collective().chunks - channel + channels - 1) / channels;
      out += 2 * chunks * (place.children + (place.parent == kNone ? 0u : 1u));
    }
  return out;
}

Bytes TreeDriver::payload() const { return saturating_product(collective().size, (ranks() - std::uint64_t{1}) * 2); }

void TreeDriver::each_peer(std::uint32_t rank, const VisitSend& visit) const {
  for (std::uint32_t channel = 0; channel < std::min(collective().channels, collective().chunks); ++channel)
    for (std::uint32_t tree = 0; tree < kTrees; ++tree) {
      const Place place = place_of(rank, tree, channel);
      if (place.parent != kNone) visit(message_of(tree, channel, Way::up, place.parent, 0));
      for (std::uint32_t i = 0; i < place.children; ++i)
        visit(message_of(tree, channel, Way::down, place.child[i], i + 1));
    }
}

std::uint64_t TreeDriver::longest() const {
  std::uint64_t deepest = 0;
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    std::uint64_t depth = 0;
    for (std::uint32_t at = place_of(rank, 0, 0).parent; at != kNone; at = place_of(at, 0, 0).parent) ++depth;
    deepest = std::max(deepest, depth);
  }
  return 2 * deepest;
}

}  // namespace weir::traffic
