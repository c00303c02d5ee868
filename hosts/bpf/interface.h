// One interface: the programs at its egress and ingress, and, where packets are held, a qdisc that keeps times of
// departure and super-packets that are not too long. What was changed is put back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hosts/path/data_path.h"
#include "hosts/path/netlink.h"
#include "hosts/path/segment_limit.h"

namespace weir::hosts {

class Interface {
 public:
  // The number by which tc shows what is ours: handle 0x7472 of filters, 7472: of qdiscs.
  static constexpr unsigned kHandle = 0x7472;

  // Throws Unavailable if it is not there or not one of Ethernet. Nothing is changed.
  Interface(Netlink& netlink, const std::string& name);

  // Throws Unavailable if programs have no place here. Nothing is changed.
  void check_programs() const;
  // Throws Unavailable if packets that leave here cannot be held: the qdiscs that they wait in are not all fq, and the
  // kernel's default is not what stands at the root. Nothing is changed.
  void check_departures() const;

  // Changes it, after `before_change` has been told how to undo each step. Throws Unavailable.
  void limit_segments(std::uint32_t bytes, const BeforeChange& before_change);
  void keep_departures(const BeforeChange& before_change);
  void attach(int egress, int ingress, const BeforeChange& before_change);

  // In this order, and each once: programs, then, when packets that were held have left, the rest. Both throw
  // std::runtime_error for what cannot be put back, after they have done what can; an interface that has vanished is as
  // it was.
  void put_back_programs();
  void put_back();

  const std::string& name() const { return link_.name; }
  // What is wrong with it now; "": nothing. `hold`: whether packets are to be held.
  std::string trouble(bool hold) const;

 private:
  bool is_there() const;
  bool keeps_departures() const;
  void tell(const BeforeChange& before_change, const std::string& what, std::vector<std::string> command) const;

  Netlink* netlink_;
  Link link_;
  unsigned programs_[2] = {};  // their numbers in the kernel; 0: not attached
  bool root_changed_ = false;
  bool clsact_made_ = false;
  std::optional<SegmentLimit> segments_;
};

}  // namespace weir::hosts
