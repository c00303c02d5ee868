// OR-ACKs out and in: a UDP socket of one version of IP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "hosts/path/descriptor.h"
#include "hosts/wire/or_ack.h"

namespace weir::hosts {

class OrAckSocket {
 public:
  // Throws std::system_error; EAFNOSUPPORT where the kernel does not have this version of IP.
  OrAckSocket(bool v6, std::uint16_t port);
  ~OrAckSocket();
  OrAckSocket(OrAckSocket&&) noexcept;
  OrAckSocket& operator=(OrAckSocket&&) noexcept;

  int descriptor() const { return socket_.get(); }

  using Take = std::function<void(std::span<const std::uint8_t> payload, const Address& from, const Address& to)>;
  // Payloads that have come, until there are no more or for some hundred, so that a flood of them cannot keep the path
  // from its packets. What is longer than an OR-ACK is cut, to one byte more than that.
  void read(const Take& take);

  // Sends at the next flush(), or when there is no room. What the network does not take is lost.
  void send(const OrAckBytes& or_ack, const Address& from, const Address& to);
  void flush();

 private:
  struct Buffers;
  bool v6_;
  std::uint16_t port_;
  Descriptor socket_;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace weir::hosts
