// A network as a picture: a row of nodes for each tier, hosts at the bottom.
#pragma once

#include <string>

#include "weir/network_listing.h"

namespace weir::app {

// An SVG document that needs nothing else. Hosts of many are drawn as one box for each of their switches, and of a
// tier of many switches the first and the last ones; what is left out is counted in the picture. The links of all paths
// stand out, and those that go down at some time are crossed out. Each line says in its <title> which links it is.
std::string network_picture(const NetworkView&);

}  // namespace weir::app
