// The list of all probes: one line each.
#include "weir/probe/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <utility>

#include "weir/probe/anatomy_probe.h"
#include "weir/probe/delay_probe.h"
#include "weir/probe/flow_probe.h"
#include "weir/probe/link_probe.h"
#include "weir/probe/packet_probe.h"
#include "weir/probe/pfc_probe.h"
#include "weir/probe/queue_probe.h"
#include "weir/probe/rate_probe.h"
#include "weir/probe/view_probe.h"

namespace weir::probe {
namespace {

ProbeKind always_on(ProbeKind kind) {
  kind.is_always_on = true;
  return kind;
}

std::list<ProbeKind>& entries() {
  static std::list<ProbeKind> list{
      always_on(describe<FlowProbe>()), describe<QueueProbe>(),   describe<RateProbe>(),
      describe<DelayProbe>(),           describe<PfcProbe>(),     describe<LinkProbe>(),
      describe<PacketProbe>(),          describe<AnatomyProbe>(), describe<ViewProbe>(),
  };
  return list;
}

}  // namespace

const std::list<ProbeKind>& probe_kinds() { return entries(); }

const ProbeKind* find_kind(std::string_view name) {
  for (const ProbeKind& kind : probe_kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

void add_kind(ProbeKind kind, std::vector<result::TableKind> tables) {
  check_new_name("a probe", kind.name, find_kind(kind.name) != nullptr);
  for (result::TableKind& table : tables) {
    table.probe = kind.name;
    const Param* flag = table.if_set.empty() ? nullptr : kind.params->find(table.if_set);
    if (!table.if_set.empty() && (flag == nullptr || !std::holds_alternative<bool>(flag->fallback)))
      throw InputError(fmt::format("table {}: probe '{}' has no flag '{}'", table.file, kind.name, table.if_set));
  }
  result::add_tables(std::move(tables));
  entries().push_back(std::move(kind));
}

}  // namespace weir::probe
