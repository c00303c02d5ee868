// The kernel's queue of packets that wait for a verdict (nfnetlink_queue), from user space: packets in, verdicts out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hosts/path/descriptor.h"

namespace weir::hosts {

// A packet that waits.
struct QueuedPacket {
  std::uint32_t id;
  std::span<const std::uint8_t> headers;  // what was copied, from the IP header on
  std::size_t length;                     // of the whole packet
};

class NfQueue {
 public:
  // Packets that wait at most; those that come when there are so many pass without waiting.
  static constexpr std::uint32_t kRoom = 4'096;

  // Opens the socket; bind() makes the queue. Throw std::system_error; Unavailable if another process has the queue.
  explicit NfQueue(std::uint16_t number);
  // What comes is copied as far as its headers, super-packets of segmentation offload are not cut, and where user space
  // does not keep up packets pass (fail-open). What an earlier binding has left in the socket is thrown away.
  void bind();

  int descriptor() const { return socket_.get(); }
  // Calls `take` for packets that have come, until there are no more or for some hundred; returns how many.
  std::size_t read(const std::function<void(const QueuedPacket&)>& take);
  // Lets the packets go, in this order.
  void accept(std::span<const std::uint32_t> ids);

  // Lets everything go that waits or comes from now on, and ends the queue: nothing is lost. `last` is the number of a
  // packet that came lately. Needs no memory and no lock, so that another process with the same socket may call it.
  static void pass_all(int socket, std::uint16_t number, std::uint32_t last);

 private:
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kRoomOfMessage = 1'024;
  int answer();

  std::uint16_t number_;
  Descriptor socket_;
  std::unique_ptr<std::array<std::array<char, kRoomOfMessage>, kBatch>> buffers_;
  std::vector<char> verdicts_;
};

}  // namespace weir::hosts
