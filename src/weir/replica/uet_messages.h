// The messages of a connection that is kept for several (-conn_reuse of uet-htsim): each is cut into packets by itself,
// and the connection ends when all of them are acknowledged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::replica::uet {

struct Message {
  std::int64_t start = 0;
  std::int64_t size = 0;
  std::int64_t sent = 0;  // bytes of payload
  std::int64_t acknowledged = 0;
  std::int64_t first_sent = -1;  // when; -1: not yet
  std::int64_t done = -1;        // when all of it is acknowledged
};

// In the order in which they are sent: by their starts, those of one time as their rows stand. None: a plain flow.
struct Messages {
  std::vector<Message> all;
  std::size_t eligible = 0;  // so many have started
  std::size_t sending = 0;   // the first one that has not been sent whole
  std::int64_t left = 0;     // bytes of those that have started and are not acknowledged

  bool empty() const { return all.empty(); }
};

}  // namespace weir::replica::uet
