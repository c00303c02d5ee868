#include "hosts/clock/wire.h"

#include <algorithm>
#include <cmath>

#include <sodium.h>

#include "hosts/clock/line.h"

namespace weir::hosts::clock {
namespace {

static_assert(sizeof(Key) == crypto_shorthash_siphashx24_KEYBYTES);
static_assert(kTagBytes == crypto_shorthash_siphashx24_BYTES);
static_assert(kTimeOfDayBytes <= kEdgeBytes);

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kWithTimeOfDay = 2;
constexpr std::uint32_t kNotSeen = 0xffff'fffe;
constexpr std::uint32_t kNoRecord = 0xffff'ffff;
constexpr double kSmallDriftUnit = 1.0 / (std::int64_t{1} << 40);

class Writer {
 public:
  explicit Writer(Buffer& out) : out_(out) {}

  void put(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = bytes; i-- > 0;) out_[size_++] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  void put(const Address& address) {
    put(address.v6 ? 1 : 0, 1);
    for (const std::uint8_t byte : address.bytes) put(byte, 1);
  }
  std::size_t seal(const Key& key) {
    crypto_shorthash_siphashx24(out_.data() + size_, out_.data(), size_, key.data());
    return size_ += kTagBytes;
  }

 private:
  Buffer& out_;
  std::size_t size_ = 0;
};

// Reads what is there; past the end it reads zeros and is not good any more.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> in) : in_(in) {}

  std::uint64_t get(std::size_t bytes) {
    if (in_.size() - at_ < bytes) {
      good_ = false;
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | in_[at_++];
    return value;
  }
  std::int64_t time() {
    const auto t = static_cast<std::int64_t>(get(8));
    if (t < -kTimeLimit || t > kTimeLimit) good_ = false;
    return t;
  }
  Address address() {
    Address a;
    const std::uint64_t family = get(1);
    a.v6 = family == 1;
    for (std::uint8_t& byte : a.bytes) byte = static_cast<std::uint8_t>(get(1));
    if (family > 1 || std::any_of(a.bytes.begin() + a.size(), a.bytes.end(), [](auto b) { return b != 0; })) {
      good_ = false;
    }
    return a;
  }
  void require(bool condition) { good_ = good_ && condition; }
  bool good_to_the_end() const { return good_ && at_ == in_.size(); }
  bool good() const { return good_; }

 private:
  std::span<const std::uint8_t> in_;
  std::size_t at_ = 0;
  bool good_ = true;
};

void put_header(Writer& w, const Header& h, std::uint8_t version = kVersion) {
  w.put(version, 1);
  w.put(static_cast<std::uint8_t>(h.kind), 1);
  w.put(h.key_id, 2);
  w.put(h.from, 8);
  w.put(h.to, 8);
  w.put(h.number, 8);
}

Header get_header(Reader& r) {
  Header h;
  const std::uint64_t version = r.get(1);
  const std::uint64_t kind = r.get(1);
  r.require(kind >= 1 && kind <= 4);
  h.kind = static_cast<Kind>(kind);
  r.require(version == kVersion || (version == kWithTimeOfDay && h.kind == Kind::report));
  h.key_id = static_cast<std::uint16_t>(r.get(2));
  h.from = r.get(8);
  h.to = r.get(8);
  h.number = r.get(8);
  // no host has the nonce 0
  r.require(h.from != 0);
  return h;
}

Probe get_probe(Reader& r) {
  Probe probe;
  const std::uint64_t eager = r.get(1);
  r.require(eager <= 1);
  probe.eager = eager == 1;
  Record record;
  record.number = static_cast<std::uint32_t>(r.get(4));
  record.time = r.time();
  const auto apart = static_cast<std::uint32_t>(r.get(4));
  if (apart == kNoRecord) return probe;
  if (apart != kNotSeen) record.apart = apart;
  probe.record = record;
  return probe;
}

// The error as it is sent: rounded up, and the largest number for whatever is larger.
std::uint32_t rounded_up(double error, double unit) {
  const double units = std::ceil(error / unit);
  return units < 4294967295.0 ? static_cast<std::uint32_t>(std::max(0.0, units)) : 0xffff'ffff;
}

Report get_report(Reader& r, bool with_time_of_day) {
  Report report;
  report.hops = static_cast<std::uint8_t>(r.get(1));
  report.origin = r.address();
  report.started = r.get(8);
  report.number = static_cast<std::uint32_t>(r.get(4));
  report.at = r.time();
  if (with_time_of_day) {
    TimeOfDay& told = report.time_of_day.emplace();
    told.ahead = r.time();
    told.error = static_cast<std::uint32_t>(r.get(4));
  }
  const std::uint64_t count = r.get(1);
  r.require(count <= most_edges(report));
  for (std::uint64_t i = 0; r.good() && i < count; ++i) {
    ReportEdge edge;
    edge.to = r.address();
    edge.offset = r.time();
    edge.drift = static_cast<std::int32_t>(r.get(4)) * kSmallDriftUnit;
    edge.error = static_cast<double>(r.get(4));
    edge.growth = static_cast<double>(r.get(4)) * kSmallDriftUnit;
    edge.bias = static_cast<double>(r.get(4));
    r.require(std::abs(edge.drift) <= kDriftLimit && edge.error > 0 && edge.bias <= edge.error);
    report.edges.push_back(edge);
  }
  return report;
}

}  // namespace

std::size_t write_greeting(Buffer& out, const Header& header, const Key& key) {
  Writer w(out);
  put_header(w, header);
  return w.seal(key);
}

std::size_t write_probe(Buffer& out, const Header& header, const Probe& probe, const Key& key) {
  Writer w(out);
  put_header(w, header);
  const Record r = probe.record.value_or(Record{});
  w.put(probe.eager ? 1 : 0, 1);
  w.put(r.number, 4);
  w.put(static_cast<std::uint64_t>(r.time), 8);
  w.put(probe.record ? std::min(r.apart.value_or(kNotSeen), kNotSeen) : kNoRecord, 4);
  return w.seal(key);
}

std::size_t write_report(Buffer& out, const Header& header, const Report& report, const Key& key) {
  Writer w(out);
  put_header(w, header, report.time_of_day ? kWithTimeOfDay : kVersion);
  const std::size_t count = std::min(report.edges.size(), most_edges(report));
  w.put(report.hops, 1);
  w.put(report.origin);
  w.put(report.started, 8);
  w.put(report.number, 4);
  w.put(static_cast<std::uint64_t>(report.at), 8);
  if (report.time_of_day) {
    w.put(static_cast<std::uint64_t>(report.time_of_day->ahead), 8);
    w.put(report.time_of_day->error, 4);
  }
  w.put(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const ReportEdge& edge = report.edges[i];
    w.put(edge.to);
    w.put(static_cast<std::uint64_t>(edge.offset), 8);
    w.put(static_cast<std::uint32_t>(static_cast<std::int32_t>(std::lround(edge.drift / kSmallDriftUnit))), 4);
    w.put(std::max(1u, rounded_up(edge.error, 1)), 4);
    w.put(rounded_up(edge.growth, kSmallDriftUnit), 4);
    w.put(rounded_up(std::min(edge.bias, edge.error), 1), 4);
  }
  return w.seal(key);
}

std::optional<Header> read_header(std::span<const std::uint8_t> bytes) {
  Reader r(bytes);
  const Header header = get_header(r);
  if (!r.good()) return std::nullopt;
  return header;
}

std::optional<Message> read_message(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kHeaderBytes + kTagBytes || bytes.size() > kLargestMessage) return std::nullopt;
  Reader r(bytes.first(bytes.size() - kTagBytes));
  Message message;
  message.header = get_header(r);
  if (!r.good()) return std::nullopt;
  switch (message.header.kind) {
    case Kind::greeting: break;
    case Kind::first:
    case Kind::second: message.body = get_probe(r); break;
    case Kind::report: message.body = get_report(r, bytes.front() == kWithTimeOfDay); break;
  }
  if (!r.good_to_the_end()) return std::nullopt;
  return message;
}

bool is_signed(std::span<const std::uint8_t> bytes, const Key& key) {
  if (bytes.size() < kTagBytes) return false;
  const auto text = bytes.first(bytes.size() - kTagBytes);
  std::array<std::uint8_t, kTagBytes> tag{};
  crypto_shorthash_siphashx24(tag.data(), text.data(), text.size(), key.data());
  return sodium_memcmp(tag.data(), text.data() + text.size(), kTagBytes) == 0;
}

}  // namespace weir::hosts::clock
