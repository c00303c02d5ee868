#include "weir/probe/delay_probe.h"

#include <algorithm>

#include "weir/engine/model/model.h"

namespace weir::probe {

void DelayProbe::check(const Params&, const Checks& checks) {
  checks.of_key("interval", [&] {
    const auto& profiles = model_of(checks.setting.network).profiles;
    const auto has = [](const auto& profile) { return profile.on_ramp.has_value(); };
    if (std::any_of(profiles.begin(), profiles.end(), has)) return;
    throw InputError("no flow has On-Ramp, whose OR-ACKs tell delays; add a table [algorithm.on_ramp]");
  });
}

DelayProbe::DelayProbe(const Params& params, const Context& context) : params_(params), simulation_(context.engine) {
  simulation_.every(params.interval, [this](Time now) { sample(now); });
  if (context.out != nullptr) file_.emplace(context.out->table("delays.csv"));
}

void DelayProbe::sample(Time now) {
  if (!file_ || now < params_.start || (params_.stop.ps != 0 && now >= params_.stop)) return;
  simulation_.for_each_active([&](const host::FlowView& f) {
    const auto report = simulation_.one_way_report(f);
    if (!report) return;
    Flow& flow = flows_[f.id];
    if (report->sent == flow.last.sent) return;
    flow.last = *report;
    file_->print("{},{},{},{},{},{},", report->heard.ps, f.id, report->sent.ps, (report->delay - report->error).ps,
                 report->delay.ps, (report->heard - report->sent).ps);
    if (flow.waits && report->sent >= flow.since) {
      file_->print("{},{}\n", flow.known.delay.ps, (flow.known.heard - flow.known.sent).ps);
      flow.waits = false;
    } else {
      file_->write(",\n");
    }
    if (flow.waits) return;
    flow.known = *report;
    flow.since = now;
    flow.waits = true;
  });
}

void DelayProbe::finish(Summary&) {
  if (file_) file_->close();
}

}  // namespace weir::probe
