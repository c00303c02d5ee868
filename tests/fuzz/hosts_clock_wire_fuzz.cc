// Any bytes are a message of the clocks, which is written again as it was, or none.
#include <sodium.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <variant>

#include "hosts/clock/clocks.h"
#include "hosts/clock/line.h"
#include "hosts/clock/pairs.h"
#include "hosts/clock/wire.h"

namespace {

using namespace weir::hosts::clock;

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool ready = sodium_init() >= 0;
  require(ready);
  const std::span bytes(data, size);
  const auto message = read_message(bytes);
  if (!message) return 0;
  require(read_header(bytes)->number == message->header.number);
  const Key key{};
  Buffer out;
  std::size_t written = 0;
  if (const auto* probe = std::get_if<Probe>(&message->body)) {
    written = write_probe(out, message->header, *probe, key);
    static Pairs pairs(1'000);
    pairs.came(message->header.kind, message->header.number, 5);
    if (probe->record) {
      pairs.sending(message->header.number, 0);
      pairs.left(message->header.number, 1'000);
      pairs.ours_came(*probe->record);
      pairs.theirs_left(*probe->record);
    }
  } else if (const auto* report = std::get_if<Report>(&message->body)) {
    written = write_report(out, message->header, *report, key);
    // whatever a host reports, it can be reconciled
    static Reports reports;
    reports.take(*report, 0);
    const std::vector<OwnEdge> own{{report->origin, {1'000, 5, 1e-6, 10, 1e-9}}};
    Clocks clocks;
    clocks.solve(own, reports, {}, 1'000);
    for (const ReportEdge& e : report->edges) {
      const auto found = clocks.find(e.to);
      require(!found || std::isfinite(found->error));
    }
    reports.expire(INT64_MAX);
  } else {
    written = write_greeting(out, message->header, key);
  }
  require(written == size);
  const auto again = read_message(std::span(out).first(written));
  require(again.has_value() && again->body.index() == message->body.index());
  return 0;
}
