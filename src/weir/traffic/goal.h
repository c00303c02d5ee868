// GOAL schedules: the text form of LogGOPSim and ATLAHS (Hoefler, Schneider, Lumsdaine, LSAP 2010).
//
//   num_ranks 2
//   rank 0 {
//     l1: calc 1000
//     l2: send 65536b to 1 tag 7
//     l2 requires l1
//   }
//   rank 1 {
//     l1: recv 65536b from 0 tag 7
//   }
//
// `a requires b`: a begins when b has ended. `a irequires b`: a begins when b has begun. A calc ends after its time, a
// send when its sender has the last acknowledgement, a recv when its message has arrived and all that the recv requires
// has ended. The recvs and sends of the same two ranks and tag are matched in the order of the file. `cpu` and `nic`
// are read but not modelled, and counted for a notice: only the network is a shared resource. Labels are optional. Text
// after // or #, or between /* and */, is a comment.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/context.h"
#include "weir/traffic/hosts.h"
#include "weir/traffic/program.h"

namespace weir::traffic {

struct Goal {
  std::string file;
  Time time_unit{1'000};
  std::string hosts = "all";
  Placement placement = Placement::in_order;

  static void describe(ParamList<Goal>& p) {
    Param& file = p.text("file", &Goal::file, "a GOAL schedule in its text form");
    file.required = true;
    file.names_file = [](std::string_view) { return true; };
    p.time("time_unit", &Goal::time_unit, "what a calc counts in", "LogGOPSim", Time{1}, Time{kPicosecondsPerSecond});
    p.text("hosts", &Goal::hosts, "the hosts of ranks 0, 1, 2...: \"all\", \"0-15\", \"0-255:32\", \"0-3,8\"");
    p.choice("placement", &Goal::placement, {"in-order", "random"}, "which rank is where: as listed, or at random");
  }
};

// `host_of` gives the host of each rank, and their number is the limit of num_ranks. Throws InputError naming file and
// line.
Program parse_goal(std::string_view text, const std::string& file, Time unit, const std::vector<std::uint32_t>& host_of,
                   Labels labels, const std::function<void(const std::string&)>& notice = {});

Program read_goal(const Goal&, const Context&);

}  // namespace weir::traffic
