// The path on one host: a network namespace with nothing but loopback, and connections on it.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "hosts/path/data_path.h"
#include "hosts/path/descriptor.h"

namespace weir::hosts::queue_lab {

constexpr std::size_t kWholeBytes = 2'000'000;

std::int64_t monotonic();  // ns

// Runs `test` in a thread with a namespace of its own, which ends with it; skips the test where that cannot be.
void in_namespace(const std::function<void()>& test);

// "chain" if the path's rules are there, else "".
std::string rules(bool v6 = false);
// The kernel's queues, as text; "" if there is none.
std::string queues();
// Neither rules nor tables nor queues are there.
void expect_no_trace();

PathSettings on_loopback(bool hold = true);
Address loopback(bool v6);
// This host as its own peer.
Peer self(bool v6, bool held = true);

struct Connected {
  Descriptor sender;
  Descriptor receiver;
};
// A connection over loopback.
std::optional<Connected> connected(bool v6);

// Sends kWholeBytes over loopback and looks at every byte; false if not all has come. `each` is called all the time,
// `then` before the connection ends.
bool transfer(
    bool v6, const std::function<void()>& each, const std::function<void()>& then = [] {});

// True if it is so within ten seconds.
bool comes_true(const std::function<bool()>& what);

}  // namespace weir::hosts::queue_lab
