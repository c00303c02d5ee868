#include "weir/replica/ns3_control.h"

#include <stdexcept>
#include <string>

#include "weir/cc/dcqcn.h"
#include "weir/cc/dctcp.h"
#include "weir/cc/hpcc.h"
#include "weir/cc/timely.h"

namespace weir::replica {

std::unique_ptr<Control> make_control(const engine::Model& model, const Ns3Params& params, Ns3Events& events) {
  const std::string_view name = model.profiles.front().algorithm->about.name;
  if (name == cc::Hpcc::about.name) return make_hpcc(model, params);
  if (name == cc::Dcqcn::about.name) return make_dcqcn(model, events);
  if (name == cc::Timely::about.name) return make_timely(model);
  if (name == cc::Dctcp::about.name) return make_dctcp(model, params);
  throw std::logic_error("the replica has no form of " + std::string(name));
}

}  // namespace weir::replica
