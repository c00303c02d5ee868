#include "hosts/bpf/interface.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <net/if_arp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "hosts/bpf/libbpf_log.h"

namespace weir::hosts {
namespace {

constexpr bpf_tc_attach_point kPoints[] = {BPF_TC_EGRESS, BPF_TC_INGRESS};
constexpr const char* kPointNames[] = {"egress", "ingress"};
constexpr unsigned kPriority = 1;
constexpr std::uint32_t kRoot = Interface::kHandle << 16;

bpf_tc_hook hook_of(unsigned ifindex, bpf_tc_attach_point point) {
  bpf_tc_hook out{};
  out.sz = sizeof out;
  out.ifindex = static_cast<int>(ifindex);
  out.attach_point = point;
  return out;
}

bpf_tc_opts filter() {
  bpf_tc_opts out{};
  out.sz = sizeof out;
  out.handle = Interface::kHandle;
  out.priority = kPriority;
  return out;
}

Unavailable unavailable(const std::string& what, int error) {
  const bool allowed = error != EPERM && error != EACCES;
  return Unavailable(fmt::format("{}: {}", what, std::strerror(error)),
                     allowed ? "" : "run as root, or with CAP_NET_ADMIN");
}

bool holds_programs(const Qdisc& qdisc) { return qdisc.kind == "clsact" || qdisc.kind == "ingress"; }

// Whether `other` stands in a class of `one`. The kernel's defaults have no handle, and only a root has any below it.
bool is_below(const Qdisc& other, const Qdisc& one) {
  return !holds_programs(other) && other.parent != TC_H_ROOT && TC_H_MAJ(other.parent) == one.handle &&
         (one.handle != 0 || one.parent == TC_H_ROOT);
}

// Those in which packets wait.
std::vector<Qdisc> leaves(const std::vector<Qdisc>& all) {
  std::vector<Qdisc> out;
  for (const Qdisc& one : all)
    if (!holds_programs(one) && std::ranges::none_of(all, [&one](const Qdisc& other) { return is_below(other, one); }))
      out.push_back(one);
  return out;
}

const Qdisc* root_of(const std::vector<Qdisc>& all) {
  const auto found = std::ranges::find(all, TC_H_ROOT, &Qdisc::parent);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

Interface::Interface(Netlink& netlink, const std::string& name) : netlink_(&netlink) {
  try {
    link_ = netlink.link(name);
  } catch (const std::system_error& error) {
    if (error.code().value() == ENODEV) throw Unavailable("there is no interface " + name, "ip link lists them");
    throw unavailable("interface " + name, error.code().value());
  }
  if (link_.type != ARPHRD_ETHER && link_.type != ARPHRD_LOOPBACK)
    throw Unavailable(name + " is no interface of Ethernet", "");
}

bool Interface::is_there() const { return ::if_nametoindex(link_.name.c_str()) == link_.ifindex; }

bool Interface::keeps_departures() const {
  const std::vector<Qdisc> all = leaves(netlink_->qdiscs(link_.ifindex));
  return !all.empty() && std::ranges::all_of(all, [](const Qdisc& one) { return one.kind == "fq"; });
}

void Interface::check_programs() const {
  const std::vector<Qdisc> all = netlink_->qdiscs(link_.ifindex);
  if (std::ranges::find(all, "ingress", &Qdisc::kind) != all.end())
    throw Unavailable(fmt::format("{} has the qdisc ingress, which has no place for programs at egress", link_.name),
                      fmt::format("tc qdisc replace dev {} clsact", link_.name));
}

void Interface::check_departures() const {
  const std::vector<Qdisc> all = netlink_->qdiscs(link_.ifindex);
  const Qdisc* root = root_of(all);
  if (keeps_departures() || root == nullptr || root->handle == 0) return;
  throw Unavailable(
      fmt::format("{} has the qdisc {}, which someone has chosen and which does not keep times of departure",
                  link_.name, root->kind),
      fmt::format("tc qdisc replace dev {} root fq, or mode queue", link_.name));
}

void Interface::tell(const BeforeChange& before_change, const std::string& what,
                     std::vector<std::string> command) const {
  if (before_change) before_change({what + " of " + link_.name, std::move(command), link_.name, link_.ifindex});
}

void Interface::limit_segments(std::uint32_t bytes, const BeforeChange& before_change) {
  if (bytes == 0) return;
  try {
    segments_.emplace(*netlink_, link_.name, bytes, before_change);
  } catch (const std::system_error& error) {
    throw unavailable(fmt::format("the segment size of {} cannot be {} bytes", link_.name, bytes),
                      error.code().value());
  }
}

void Interface::keep_departures(const BeforeChange& before_change) {
  check_departures();
  const std::vector<Qdisc> all = netlink_->qdiscs(link_.ifindex);
  const Qdisc* root = root_of(all);
  // Of an agent before this one, which could not put it back.
  if (root != nullptr && root->handle == kRoot) root_changed_ = true;
  if (keeps_departures()) return;
  const bool several = root != nullptr ? root->kind == "mq" : link_.queues > 1;
  tell(before_change, "qdisc",
       {"tc", "qdisc", "del", "dev", link_.name, "root", "handle", fmt::format("{:x}:", Interface::kHandle)});
  const char* failed = several ? "mq" : "fq";
  try {
    netlink_->replace_qdisc(link_.ifindex, {failed, kRoot, TC_H_ROOT});
    root_changed_ = true;
    if (!several) return;
    failed = "fq";
    for (const Qdisc& one : netlink_->qdiscs(link_.ifindex))
      if (TC_H_MAJ(one.parent) == kRoot && one.parent != TC_H_ROOT)
        netlink_->replace_qdisc(link_.ifindex, {failed, 0, one.parent});
  } catch (const std::system_error& error) {
    if (error.code().value() != ENOENT) throw unavailable("the qdisc of " + link_.name, error.code().value());
    throw Unavailable(
        fmt::format("the kernel does not have the qdisc {}, so that packets of {} cannot be held", failed, link_.name),
        "a kernel with CONFIG_NET_SCH_FQ (those of Debian have it), or mode queue");
  }
}

void Interface::attach(int egress, int ingress, const BeforeChange& before_change) {
  check_programs();
  const LibbpfLog log;
  const std::vector<Qdisc> all = netlink_->qdiscs(link_.ifindex);
  if (std::ranges::find(all, "clsact", &Qdisc::kind) == all.end()) {
    tell(before_change, "qdisc clsact", {"tc", "qdisc", "del", "dev", link_.name, "clsact"});
    bpf_tc_hook hook = hook_of(link_.ifindex, static_cast<bpf_tc_attach_point>(BPF_TC_INGRESS | BPF_TC_EGRESS));
    const int result = bpf_tc_hook_create(&hook);
    if (result == -ENOENT)
      throw Unavailable("the kernel does not have the qdisc clsact", "a kernel with CONFIG_NET_SCH_INGRESS");
    if (result != 0) throw unavailable("the qdisc clsact of " + link_.name, -result);
    clsact_made_ = true;
  }
  const int programs[] = {egress, ingress};
  for (std::size_t i = 0; i < std::size(kPoints); ++i) {
    tell(before_change, std::string("program at ") + kPointNames[i],
         {"tc", "filter", "del", "dev", link_.name, kPointNames[i], "pref", std::to_string(kPriority), "handle",
          fmt::format("{:#x}", Interface::kHandle), "bpf"});
    const bpf_tc_hook hook = hook_of(link_.ifindex, kPoints[i]);
    bpf_tc_opts options = filter();
    options.prog_fd = programs[i];
    options.flags = BPF_TC_F_REPLACE;
    const int result = bpf_tc_attach(&hook, &options);
    if (result != 0) throw unavailable(fmt::format("the program at {} of {}", kPointNames[i], link_.name), -result);
    programs_[i] = options.prog_id;
  }
}

void Interface::put_back_programs() {
  const LibbpfLog log;
  std::string left;
  for (std::size_t i = 0; i < std::size(kPoints); ++i) {
    if (std::exchange(programs_[i], 0) == 0 || !is_there()) continue;
    const bpf_tc_hook hook = hook_of(link_.ifindex, kPoints[i]);
    const bpf_tc_opts options = filter();
    const int result = bpf_tc_detach(&hook, &options);
    if (result != 0 && result != -ENOENT && result != -EINVAL)
      left = fmt::format("the program at {} of {}: {}", kPointNames[i], link_.name, std::strerror(-result));
  }
  if (!left.empty()) throw std::runtime_error(left);
}

void Interface::put_back() {
  std::string left;
  const auto undo = [&](bool& changed, const char* what, auto&& step) {
    if (!std::exchange(changed, false) || !is_there()) return;
    try {
      step();
    } catch (const std::system_error& error) {
      // It is not there: someone else has removed it.
      const int number = error.code().value();
      if (number != ENOENT && number != EINVAL && number != ENODEV)
        left = fmt::format("{} of {}: {}", what, link_.name, std::strerror(number));
    }
  };
  undo(clsact_made_, "the qdisc clsact", [this] {
    // Others may have put theirs into it.
    if (!netlink_->has_filters(link_.ifindex))
      netlink_->delete_qdisc(link_.ifindex, {"clsact", TC_H_MAKE(TC_H_CLSACT, 0), TC_H_CLSACT});
  });
  undo(root_changed_, "the qdisc", [this] { netlink_->delete_qdisc(link_.ifindex, {"", kRoot, TC_H_ROOT}); });
  bool limited = segments_.has_value();
  undo(limited, "the segment size", [this] { segments_->put_back(); });
  if (!left.empty()) throw std::runtime_error(left);
}

std::string Interface::trouble(bool hold) const {
  if (!is_there()) return link_.name + " has vanished";
  for (std::size_t i = 0; i < std::size(kPoints); ++i) {
    const LibbpfLog log;
    const bpf_tc_hook hook = hook_of(link_.ifindex, kPoints[i]);
    bpf_tc_opts options = filter();
    if (programs_[i] != 0 && (bpf_tc_query(&hook, &options) != 0 || options.prog_id != programs_[i]))
      return fmt::format("the program at {} of {} has been removed", kPointNames[i], link_.name);
  }
  if (hold && !keeps_departures())
    return fmt::format("the qdisc of {} is no longer fq, nothing is held there", link_.name);
  return {};
}

}  // namespace weir::hosts
