#include "weir/capture/pcapng.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <type_traits>

namespace weir::capture {
namespace {

static_assert(std::endian::native == std::endian::little, "the blocks are in the byte order of this machine");

enum Block : std::uint32_t { kInterface = 1, kPacket = 6, kSection = 0x0a0d0d0a };
enum Option : std::uint16_t {
  kEnd = 0,
  kComment = 1,
  kPacketFlags = 2,
  kInterfaceName = 2,
  kInterfaceDescription = 3,
  kInterfaceSpeed = 8,
  kInterfaceResolution = 9,
  kApplication = 4
};
constexpr std::uint32_t kByteOrder = 0x1a2b3c4d;
constexpr std::uint16_t kEthernet = 1;     // LINKTYPE_ETHERNET
constexpr std::uint8_t kPicoseconds = 12;  // times are in units of 10^-12 s

template <class T>
void put(std::string& out, T value) {
  static_assert(std::is_integral_v<T>);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void pad(std::string& out, std::size_t bytes) { out.append((4 - bytes % 4) % 4, '\0'); }

void put_option(std::string& out, std::uint16_t code, std::string_view value) {
  put(out, code);
  put(out, static_cast<std::uint16_t>(value.size()));
  out.append(value);
  pad(out, value.size());
}

template <class T>
std::string bytes_of(T value) {
  std::string out;
  put(out, value);
  return out;
}

// A block stands between two copies of its length.
void put_block(std::string& out, std::uint32_t type, std::string_view body) {
  const auto length = static_cast<std::uint32_t>(body.size() + 12);
  put(out, type);
  put(out, length);
  out.append(body);
  put(out, length);
}

}  // namespace

std::string file_header(std::string_view application, const Interface& interface) {
  std::string section;
  put(section, kByteOrder);
  put(section, std::uint16_t{1});  // version 1.0
  put(section, std::uint16_t{0});
  put(section, std::int64_t{-1});  // the section ends with the file
  put_option(section, kApplication, application);
  put_option(section, kEnd, "");
  std::string description;
  put(description, kEthernet);
  put(description, std::uint16_t{0});
  put(description, interface.snaplen);
  put_option(description, kInterfaceName, interface.name);
  put_option(description, kInterfaceDescription, interface.description);
  put_option(description, kInterfaceSpeed, bytes_of(interface.rate.bits_per_second));
  put_option(description, kInterfaceResolution, bytes_of(kPicoseconds));
  put_option(description, kEnd, "");
  std::string out;
  put_block(out, kSection, section);
  put_block(out, kInterface, description);
  return out;
}

void append_packet(std::string& out, Time time, Direction direction, std::span<const std::uint8_t> head,
                   std::uint32_t kept, std::uint32_t length, std::string_view comment) {
  assert(kept <= length && comment.size() <= kMaxComment);
  const auto block = static_cast<std::uint32_t>(packet_block_bytes(kept, comment.size()));
  const std::size_t begin = out.size();
  out.resize(begin + block);  // with zeros
  char* at = out.data() + begin;
  const auto add = [&](auto value) {
    std::memcpy(at, &value, sizeof(value));
    at += sizeof(value);
  };
  const auto ps = static_cast<std::uint64_t>(time.ps);
  add(static_cast<std::uint32_t>(kPacket));
  add(block);
  add(std::uint32_t{0});  // the interface
  add(static_cast<std::uint32_t>(ps >> 32));
  add(static_cast<std::uint32_t>(ps));
  add(kept);
  add(length);
  std::memcpy(at, head.data(), std::min<std::size_t>(head.size(), kept));
  at += (kept + 3) / 4 * 4;
  add(static_cast<std::uint16_t>(kPacketFlags));
  add(std::uint16_t{4});
  add(static_cast<std::uint32_t>(direction));
  add(static_cast<std::uint16_t>(kComment));
  add(static_cast<std::uint16_t>(comment.size()));
  std::memcpy(at, comment.data(), comment.size());
  at += (comment.size() + 3) / 4 * 4;
  add(std::uint32_t{kEnd});
  add(block);
  assert(at == out.data() + out.size());
}

}  // namespace weir::capture
