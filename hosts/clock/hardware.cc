#include "hosts/clock/hardware.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hosts/clock/realtime.h"

namespace weir::hosts::clock {
namespace {

constexpr std::int64_t kReadEvery = 100'000'000;
constexpr std::size_t kReadings = 30;
constexpr std::size_t kFewestReadings = 5;
constexpr unsigned kSamples = 5;  // of one reading; the one that took least time counts

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::int64_t nanoseconds(const ptp_clock_time& t) { return t.sec * 1'000'000'000 + t.nsec; }

std::optional<HardwareReading> read_clock(int ptp, Realtime& realtime) {
  ptp_sys_offset_extended request{};
  request.n_samples = kSamples;
  if (::ioctl(ptp, PTP_SYS_OFFSET_EXTENDED, &request) != 0 || !realtime.check()) return std::nullopt;
  std::optional<HardwareReading> best;
  for (unsigned i = 0; i < kSamples; ++i) {
    const auto& [before, hardware, after] = request.ts[i];
    const HardwareReading r{realtime.to_monotonic(nanoseconds(before)), nanoseconds(hardware),
                            realtime.to_monotonic(nanoseconds(after))};
    if (!best || r.after - r.before < best->after - best->before) best = r;
  }
  return best;
}

}  // namespace

void HardwareClock::check(std::int64_t now) {
  if (now < next_) return;
  next_ = now + kReadEvery;
  const auto reading = read_();
  if (!reading) return;
  readings_.push_back(*reading);
  if (readings_.size() > kReadings) readings_.pop_front();
  fit();
}

void HardwareClock::fit() {
  line_.reset();
  at_ = readings_.back().hardware;
  origin_ = readings_.back().before - readings_.back().hardware;
  std::vector<Dot> upper;
  std::vector<Dot> lower;
  for (const HardwareReading& r : readings_) {
    const auto x = static_cast<double>(r.hardware - at_);
    upper.push_back({x, static_cast<double>(r.after - r.hardware - origin_)});
    lower.push_back({x, static_cast<double>(r.before - r.hardware - origin_)});
  }
  const auto by_x = [](const Dot& a, const Dot& b) { return a.x < b.x; };
  if (upper.size() < kFewestReadings) return;
  if (std::is_sorted(upper.begin(), upper.end(), by_x)) line_ = max_margin(upper, lower);
  // readings that no line fits between: the clock was set, or slewed
  if (!line_ || line_->margin < 0) {
    line_.reset();
    readings_.erase(readings_.begin(), readings_.end() - 1);
  }
}

std::optional<std::int64_t> HardwareClock::to_monotonic(std::int64_t hardware) const {
  if (!line_) return std::nullopt;
  return hardware + origin_ + std::llround(line_->at(static_cast<double>(hardware - at_)));
}

std::int64_t HardwareClock::error() const { return line_ ? std::llround(std::ceil(line_->margin)) : 0; }

std::unique_ptr<HardwareClock> find_hardware_clock(const std::string& interface, std::string& why) {
  const auto no = [&](const char* reason) {
    why = reason;
    return nullptr;
  };
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  if (interface.size() >= sizeof request.ifr_name) return no("no such interface");
  std::memcpy(request.ifr_name, interface.data(), interface.size());
  ethtool_ts_info info{};
  info.cmd = ETHTOOL_GET_TS_INFO;
  request.ifr_data = reinterpret_cast<char*>(&info);
  if (::ioctl(socket.get(), SIOCETHTOOL, &request) != 0 || info.phc_index < 0) return no("the interface has no clock");
  hwtstamp_config config{};
  request.ifr_data = reinterpret_cast<char*>(&config);
  if (::ioctl(socket.get(), SIOCGHWTSTAMP, &request) != 0 || config.tx_type == HWTSTAMP_TX_OFF ||
      config.rx_filter != HWTSTAMP_FILTER_ALL) {
    return no("stamping of all packets by the interface is not switched on");
  }
  const std::string path = "/dev/ptp" + std::to_string(info.phc_index);
  auto ptp = std::make_shared<Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (ptp->get() < 0) return no("the interface's clock cannot be opened");
  auto realtime = std::make_shared<Realtime>();
  if (!read_clock(ptp->get(), *realtime)) return no("the kernel cannot compare the interface's clock with its own");
  return std::make_unique<HardwareClock>([ptp, realtime] { return read_clock(ptp->get(), *realtime); });
}

}  // namespace weir::hosts::clock
