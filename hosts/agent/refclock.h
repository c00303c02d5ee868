// The agent as a reference clock of chronyd, which steers this host's clock to a peer's: it hears once a second how far
// the peer's time of day is away. The agent itself changes no clock.
//
// chronyd listens where its configuration says `refclock SOCK <path>` (chrony.conf(5)); a sample is one datagram.
#pragma once

#include <sys/time.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "hosts/agent/peers.h"
#include "hosts/clock/service.h"
#include "hosts/path/address.h"
#include "hosts/path/descriptor.h"

namespace weir::hosts {

// As chronyd reads it, in the byte order and with the alignment of this machine: 40 bytes where a long has 64 bits. Its
// driver SOCK (refclock_sock.c of chrony) says what the fields mean.
struct SockSample {
  timeval when{};          // of this host's clock
  double offset = 0;       // s: true time minus this host's
  std::int32_t pulse = 0;  // not 0: only the part below a second is known
  std::int32_t leap = 0;   // 0: the minute has 60 seconds
  std::int32_t pad = 0;
  std::int32_t magic = 0x534f434b;
};
static_assert(sizeof(SockSample) == sizeof(timeval) + 24);

SockSample sock_sample(const TimeDifference& time);

enum class RefclockState : std::uint8_t {
  given,           // the last sample was given
  unsynchronised,  // the reference's clock is not known, or no longer
  untold,          // the agent there does not tell its time of day
  uncertain,       // that is known less exactly than it has to be
  unheard,         // no chronyd takes samples
};
std::string_view name_of(RefclockState state);

struct RefclockStatus {
  Address reference;
  std::string socket;
  RefclockState state = RefclockState::unsynchronised;
  std::string why;  // why the last sample was not given; "": it was
  std::uint64_t samples = 0;
  std::int64_t given = 0;                             // when the last one was, CLOCK_MONOTONIC, ns
  std::optional<TimeDifference> last = std::nullopt;  // nothing: none was given yet
};

class Refclock {
 public:
  // Samples are given only as long as the peer is synchronised and its time of day known within max_error, ns.
  Refclock(const Address& reference, const std::string& socket, std::int64_t max_error);

  // Gives a sample if it is time to. What becomes of that is logged when it is something else than what was logged last
  // and has been the same for ten samples: where the error is near its limit, that changes each second. `now` is
  // CLOCK_MONOTONIC.
  void update(std::int64_t now, const std::map<Address, ClockNews>& news);
  const RefclockStatus& status() const { return status_; }

 private:
  // Gives a sample, and sets the status.
  void give(std::int64_t now, const ClockNews& news);

  std::int64_t max_error_;
  RefclockStatus status_;
  Descriptor socket_;
  std::int64_t next_ = INT64_MIN;
  RefclockState logged_ = RefclockState::unsynchronised;  // the log is empty: nothing is given
  std::int64_t in_a_row_ = 0;                             // samples with the state of the last one
};

}  // namespace weir::hosts
