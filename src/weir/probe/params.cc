#include "weir/probe/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "weir/probe/catalogue.h"

namespace weir::probe {

ProbeParams::ProbeParams() {
  for (const ProbeKind& kind : probe_kinds())
    if (kind.is_always_on) set(kind, kind.params->make());
}

void ProbeParams::set(const ProbeKind& kind, std::shared_ptr<const void> params) {
  on_.insert_or_assign(kind.name, std::move(params));
}

const void* ProbeParams::get(const ProbeKind& kind) const {
  const auto at = on_.find(kind.name);
  return at == on_.end() ? nullptr : at->second.get();
}

std::string ProbeParams::trace_key() const {
  for (const ProbeKind& kind : probe_kinds()) {
    const void* params = get(kind);
    if (params == nullptr || !kind.trace_key) continue;
    if (const std::optional<std::string_view> key = kind.trace_key(params))
      return fmt::format("probes.{}{}{}", kind.name, key->empty() ? "" : ".", *key);
  }
  return "";
}

Time ProbeParams::shortest_interval() const {
  Time out = Time::max();
  for (const ProbeKind& kind : probe_kinds())
    if (const void* params = get(kind); params != nullptr && kind.interval) out = std::min(out, kind.interval(params));
  return out;
}

const ProbeKind& ProbeParams::kind_of(const ParamSet& params) {
  for (const ProbeKind& kind : probe_kinds())
    if (kind.params == &params) return kind;
  throw std::logic_error("no probe of the catalogue has these parameters");
}

}  // namespace weir::probe
