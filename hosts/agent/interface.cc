#include "hosts/agent/interface.h"

#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "hosts/agent/program.h"
#include "hosts/path/descriptor.h"

namespace weir::hosts {
namespace {

ifreq request_for(const std::string& name) {
  ifreq out{};
  std::strncpy(out.ifr_name, name.c_str(), IFNAMSIZ - 1);
  return out;
}

template <class Data>
bool ethtool(int fd, const std::string& name, std::uint32_t command, Data& data) {
  ifreq request = request_for(name);
  data.cmd = command;
  request.ifr_data = reinterpret_cast<char*>(&data);
  return ::ioctl(fd, SIOCETHTOOL, &request) == 0;
}

}  // namespace

std::optional<InterfaceFacts> interface_facts(const std::string& name) {
  InterfaceFacts out;
  out.index = ::if_nametoindex(name.c_str());
  const Descriptor fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (out.index == 0 || !fd) return std::nullopt;
  ifreq request = request_for(name);
  if (::ioctl(fd.get(), SIOCGIFMTU, &request) == 0) out.mtu = static_cast<std::uint32_t>(request.ifr_mtu);
  ethtool_cmd link{};
  if (ethtool(fd.get(), name, ETHTOOL_GSET, link)) {
    const std::uint32_t megabits = ethtool_cmd_speed(&link);
    if (megabits != 0 && megabits != static_cast<std::uint32_t>(SPEED_UNKNOWN)) out.rate = megabits * 1'000'000LL;
  }
  const auto shown =
      nlohmann::json::parse(run_program({"ip", "-d", "-j", "link", "show", "dev", name}).output, nullptr, false);
  if (shown.is_array() && !shown.empty() && shown[0].is_object()) out.gso_max_size = shown[0].value("gso_max_size", 0u);
  ethtool_ts_info stamps{};
  constexpr std::uint32_t kHardware =
      SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;
  if (ethtool(fd.get(), name, ETHTOOL_GET_TS_INFO, stamps))
    out.hardware_timestamps =
        (stamps.so_timestamping & kHardware) == kHardware && (stamps.rx_filters & (1u << HWTSTAMP_FILTER_ALL)) != 0;
  return out;
}

LinkFacts link_facts(const Config& config) {
  LinkFacts out{config.rate.bits_per_second, 0, 0};
  for (const auto& name : config.interfaces) {
    const auto facts = interface_facts(name);
    if (!facts) continue;
    out.mtu = std::max(out.mtu, facts->mtu);
    out.gso_max_size = std::max(out.gso_max_size, facts->gso_max_size);
    if (config.rate.bits_per_second == 0) out.rate = out.rate == 0 ? facts->rate : std::min(out.rate, facts->rate);
  }
  if (out.mtu == 0) out.mtu = LinkFacts{}.mtu;
  if (out.gso_max_size == 0) out.gso_max_size = LinkFacts{}.gso_max_size;
  return out;
}

}  // namespace weir::hosts
