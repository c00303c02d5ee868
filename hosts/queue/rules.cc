#include "hosts/queue/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "hosts/path/data_path.h"
#include "hosts/queue/filters.h"
#include "hosts/queue/mangle_table.h"

namespace weir::hosts {
namespace {

constexpr const char* kChain = "WEIR_ON_RAMP";

const char* tables(bool v6) { return v6 ? "ip6tables" : "iptables"; }

Command command(bool v6, std::vector<std::string> rest) {
  Command out{tables(v6), "-w", "5", "-t", "mangle"};
  out.insert(out.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
  return out;
}

Outcome restore(bool v6, const std::string& text) {
  return run({std::string(tables(v6)) + "-restore", "-w", "5", "--noflush"}, "*mangle\n" + text + "COMMIT\n");
}

std::uint32_t bit(bool v6) { return v6 ? 2 : 1; }

bool has_chain(bool v6) { return run(command(v6, {"-n", "-L", kChain})).status == 0; }

// The generation of rules, where a change of ours would change it.
std::optional<std::uint32_t> generation(bool v6) { return has_mangle_table(v6) ? ruleset_generation() : std::nullopt; }

// All lines of the table in which our chain is. Nothing: they cannot be listed now.
std::optional<std::string> listed(bool v6) {
  const Outcome all = run(command(v6, {"-S"}));
  if (all.status != 0) return std::nullopt;
  std::string out;
  std::istringstream lines(all.output);
  for (std::string line; std::getline(lines, line);)
    if (line.find(kChain) != std::string::npos) out += line + "\n";
  return out;
}

}  // namespace

Rules::Rules(std::vector<std::string> interfaces, std::uint16_t queue)
    : interfaces_(std::move(interfaces)), queue_(queue) {}

void Rules::tell_tables(std::atomic<std::uint32_t>& bits) {
  bits.store(made_tables_->load());
  made_tables_ = &bits;
}

void Rules::check(bool v6) {
  const std::string name = tables(v6);
  if (find_program(name).empty() || find_program(name + "-restore").empty())
    throw Unavailable(name + " is missing", "apt-get install iptables");
  if (has_chain(v6)) return;  // of an earlier process: it can
  if (!has_mangle_table(v6)) made_tables_->fetch_or(bit(v6));
  // Rules that nothing calls, to see what the kernel has. The chain goes with them.
  const auto tries = [&](const std::string& match) {
    const std::string rule =
        fmt::format("-A {0} {1} -j NFQUEUE --queue-num {2} --queue-bypass\n", kChain, match, queue_);
    const std::string text = fmt::format(":{0} - [0:0]\n", kChain) + rule;
    Outcome out = restore(v6, text);
    if (out.status == 0) restore(v6, fmt::format("-F {0}\n-X {0}\n", kChain));
    return out;
  };
  filters_[v6] = tries(match(v6)).status == 0;
  if (filters_[v6]) return;
  const Outcome plain = tries(match(v6));
  if (plain.status != 0)
    throw Unavailable(name + " cannot send packets to a queue: " + plain.errors,
                      "run as root, with a kernel that has NFQUEUE (module xt_NFQUEUE)");
}

std::string Rules::match(bool v6) const {
  return filters_[v6] ? fmt::format("-p tcp -m bpf --bytecode \"{}\"", to_bytecode(waiting_filter(v6))) : "-p tcp";
}

void Rules::set(std::span<const Address> peers) {
  set_version(false, peers);
  set_version(true, peers);
}

void Rules::set_version(bool v6, std::span<const Address> peers) {
  std::vector<Address> wanted;
  std::copy_if(peers.begin(), peers.end(), std::back_inserter(wanted), [v6](const Address& a) { return a.v6 == v6; });
  std::sort(wanted.begin(), wanted.end());
  if (wanted == peers_[v6] && (set_[v6] || wanted.empty())) return;
  if (!set_[v6]) check(v6);

  std::string text = fmt::format(":{} - [0:0]\n", kChain);  // makes it, or empties it
  for (const Address& address : wanted)
    for (const std::string& interface : interfaces_)
      fmt::format_to(std::back_inserter(text), "-A {} -o {} -d {} {} -j NFQUEUE --queue-num {} --queue-bypass\n",
                     kChain, interface, to_text(address), match(v6), queue_);
  if (!set_[v6] && run(command(v6, {"-C", "OUTPUT", "-p", "tcp", "-j", kChain})).status != 0)
    text += fmt::format("-I OUTPUT -p tcp -j {}\n", kChain);
  const Outcome outcome = restore(v6, text);
  if (outcome.status != 0)
    throw std::runtime_error(fmt::format("{}-restore has not set the rules: {}", tables(v6), outcome.errors));
  set_[v6] = true;
  peers_[v6] = std::move(wanted);
  looked_at_[v6] = generation(v6);
  listed_[v6] = listed(v6).value_or("");
}

bool Rules::are_there() {
  bool out = true;
  for (const bool v6 : {false, true}) {
    if (!set_[v6]) continue;
    const auto now = generation(v6);
    if (now && now == looked_at_[v6]) continue;
    const auto rules = listed(v6);
    if (!rules) continue;
    looked_at_[v6] = now;
    if (*rules == listed_[v6]) continue;
    set_[v6] = out = false;
    peers_[v6].clear();
  }
  return out;
}

void Rules::remove() {
  std::string errors;
  for (const bool v6 : {false, true}) {
    set_[v6] = false;
    peers_[v6].clear();
    if (!find_program(tables(v6)).empty() && has_chain(v6)) {
      while (run(command(v6, {"-D", "OUTPUT", "-p", "tcp", "-j", kChain})).status == 0) {
      }
      const Outcome outcome = restore(v6, fmt::format("-F {0}\n-X {0}\n", kChain));
      if (outcome.status != 0) errors += fmt::format("{}: {} ", tables(v6), outcome.errors);
    }
    if ((made_tables_->fetch_and(~bit(v6)) & bit(v6)) != 0) remove_empty_mangle_table(v6);
  }
  if (!errors.empty()) throw std::runtime_error("rules are left: " + errors);
}

std::vector<Undo> Rules::undo() {
  std::vector<Undo> out;
  for (const bool v6 : {false, true}) {
    // Carried out from the last to the first.
    out.push_back({.what = "chain of rules", .command = command(v6, {"-X", kChain})});
    out.push_back({.what = "rules", .command = command(v6, {"-F", kChain})});
    out.push_back({.what = "call of the rules", .command = command(v6, {"-D", "OUTPUT", "-p", "tcp", "-j", kChain})});
  }
  return out;
}

std::vector<Undo> Rules::undo_tables() {
  std::vector<Undo> out;
  for (const bool v6 : {false, true})
    if (!has_mangle_table(v6))
      out.push_back({.what = "empty table of rules", .command = {kRemoveEmptyTable, v6 ? "ip6" : "ip"}});
  return out;
}

}  // namespace weir::hosts
