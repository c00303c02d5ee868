// What has to be done to put back what a data path is about to change, in case the agent ends before it can do so.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace weir::hosts {

// Stands for a command: {kRemoveEmptyTable, "ip" or "ip6"} takes away what iptables never does (queue/mangle_table.h).
inline constexpr const char* kRemoveEmptyTable = "remove-empty-mangle-table";

// A command of tc, ip, iptables, ip6tables, nft or ethtool, without a shell, or kRemoveEmptyTable. It must do no harm
// where the change was never made or is undone already: its failure means nothing.
struct Undo {
  std::string what;                  // for people: "segment size of eth0"
  std::vector<std::string> command;  // {"ip", "link", "set", "dev", "eth0", "gso_max_size", "65536"}
  std::string interface;             // the interface that was changed; empty: none in particular
  unsigned ifindex = 0;              // its number then: an interface of that name with another number is left alone
};

// To be called before each change; it returns when the steps are on disk, and throws where they cannot be written. What
// has been undone need not be told: the agent forgets all steps after DataPath::detach(). Steps are carried out in
// reverse order.
using BeforeChange = std::function<void(const Undo&)>;

}  // namespace weir::hosts
