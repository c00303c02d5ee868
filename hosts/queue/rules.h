// The rules by which packets come to the kernel's queue: a chain of iptables (ip6tables) of our own in the table
// mangle, called for all TCP that this host sends.
//
// It is OUTPUT that calls it, so that forwarded traffic is left alone. Of what goes to the peers, segments with data
// and the first and last ones of a connection wait (filters.h); of kernels without the match "bpf", all segments do.
// Rules have --queue-bypass: without a process that has the queue packets pass.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hosts/path/address.h"
#include "hosts/path/undo.h"
#include "hosts/queue/programs.h"

namespace weir::hosts {

class Rules {
 public:
  // Where packets leave; rules for an interface that is not there do no harm.
  Rules(std::vector<std::string> interfaces, std::uint16_t queue);

  // Throws Unavailable if there is no iptables that can do this; ip6tables is looked for only if it is needed.
  void check(bool v6);
  // From now on `bits` tells which tables did not exist before (bit 0: of IPv4, bit 1: of IPv6), so that another
  // process can take them away. `bits` has to stay there.
  void tell_tables(std::atomic<std::uint32_t>& bits);
  // These peers' packets are queued from now on, and no others. One transaction per version of IP, and nothing at all
  // where nothing changes. Throws std::runtime_error with what iptables said.
  void set(std::span<const Address> peers);
  // Whether what set() has made is there still. Where it is not, since another program has changed it, the next set()
  // makes it anew. Cheap as long as no rule of this host changes; with iptables' older way, it runs a program.
  bool are_there();
  // The host as it was before, also if an earlier process has left rules. What cannot be undone is told by an
  // exception.
  void remove();

  // What remove() does, as commands. For both versions of IP; each fails where there is nothing to undo.
  static std::vector<Undo> undo();
  // What takes the tables away that are not there yet, and that rules will make.
  static std::vector<Undo> undo_tables();

 private:
  void set_version(bool v6, std::span<const Address> peers);
  std::string match(bool v6) const;

  std::vector<std::string> interfaces_;
  std::uint16_t queue_;
  bool filters_[2] = {true, true};  // by version: whether there is the match "bpf"
  bool set_[2] = {false, false};
  std::atomic<std::uint32_t> own_tables_{0};
  std::atomic<std::uint32_t>* made_tables_ = &own_tables_;  // by version: whether there was none before
  std::vector<Address> peers_[2];
  std::string listed_[2];                      // ours among all rules, as iptables lists them
  std::optional<std::uint32_t> looked_at_[2];  // the generation of rules in which that was so
};

}  // namespace weir::hosts
