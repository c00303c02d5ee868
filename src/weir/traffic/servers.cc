#include "weir/traffic/servers.h"

#include <fmt/format.h>

#include <map>

#include "weir/base/error.h"
#include "weir/traffic/traffic.h"

namespace weir::traffic {

void check_pxn(bool pxn, std::uint32_t group, Sharing sharing, const std::vector<std::uint32_t>& hosts) {
  if (!pxn) return;
  if (group == 1 || sharing != Sharing::max_min)
    throw InputError("pxn",
                     "it needs servers whose GPUs share their scale-up links; write group and scale_up_sharing = "
                     "\"max-min\" as well");
  if (group > kMostOnRails)
    throw InputError("group", fmt::format("{} is too many with pxn; valid is 2 to {}", group, kMostOnRails));
  std::map<std::uint32_t, std::uint32_t> of_server;
  for (const std::uint32_t host : hosts) ++of_server[host / group];
  for (const auto& [server, count] : of_server)
    if (count != group)
      throw InputError("pxn",
                       fmt::format("of server {}, hosts {} to {}, {} take part; all of its GPUs must, since others "
                                   "send by them",
                                   server, server * group, (server + 1) * group - 1, count));
}

}  // namespace weir::traffic
