#include "weir/catalogue.h"

#include "weir/scenario/reference.h"

namespace weir {

std::string catalogue_json() { return scenario::to_json(scenario::reference()); }

}  // namespace weir
