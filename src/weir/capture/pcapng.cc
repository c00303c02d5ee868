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

// The same into memory; returns the end.
template <class T>
char* store(char* at, T value) {
  static_assert(std::is_integral_v<T>);
  std::memcpy(at, &value, sizeof(T));
  return at + sizeof(T);
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

std::string file_header(std::string_view application, std::span<const Interface> interfaces) {
  std::string section;
  put(section, kByteOrder);
  put(section, std::uint16_t{1});  // version 1.0
  put(section, std::uint16_t{0});
  put(section, std::int64_t{-1});  // the section ends with the file
  put_option(section, kApplication, application);
  put_option(section, kEnd, "");
  std::string out;
  put_block(out, kSection, section);
  for (const Interface& interface : interfaces) {
    std::string description;
    put(description, kEthernet);
    put(description, std::uint16_t{0});
    put(description, interface.snaplen);
    put_option(description, kInterfaceName, interface.name);
    put_option(description, kInterfaceDescription, interface.description);
    put_option(description, kInterfaceSpeed, bytes_of(interface.rate.bits_per_second));
    put_option(description, kInterfaceResolution, bytes_of(kPicoseconds));
    put_option(description, kEnd, "");
    put_block(out, kInterface, description);
  }
  return out;
}

char* PacketBlock::keep(std::uint32_t interface, Time time, Direction direction, std::uint32_t head, std::uint32_t kept,
                        std::uint32_t length) {
  assert(kept <= length);
  const auto ps = static_cast<std::uint64_t>(time.ps);
  char* at = store(begin_, std::uint32_t{kPacket});
  at = store(at, std::uint32_t{0});  // the size of the block is not known yet
  at = store(at, interface);
  at = store(at, static_cast<std::uint32_t>(ps >> 32));
  at = store(at, static_cast<std::uint32_t>(ps));
  at = store(at, kept);
  at = store(at, length);
  if (kept > head) std::memset(at + head, 0, kept - head);
  store(at + kept, std::uint32_t{0});  // up to the next multiple of 4
  at += (kept + 3) / 4 * 4;
  at = store(at, std::uint16_t{kPacketFlags});
  at = store(at, std::uint16_t{4});
  at = store(at, static_cast<std::uint32_t>(direction));
  comment_ = at + 4;
  return comment_;
}

std::size_t PacketBlock::end(std::size_t comment) {
  store(store(comment_ - 4, std::uint16_t{kComment}), static_cast<std::uint16_t>(comment));
  store(comment_ + comment, std::uint32_t{0});  // up to the next multiple of 4
  char* const at = store(comment_ + (comment + 3) / 4 * 4, std::uint32_t{kEnd});
  const auto size = static_cast<std::uint32_t>(at + 4 - begin_);
  store(at, size);
  store(begin_ + 4, size);
  return size;
}

}  // namespace weir::capture
