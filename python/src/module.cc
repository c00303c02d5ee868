// The extension module weir._weir.
#include "module.h"

#include <nanobind/stl/string.h>

#include <string>

#include "weir/base/version.h"

NB_MODULE(_weir, m) {
  m.doc() = "What the package weir has of the C++ library.";
  m.attr("__version__") = std::string(weir::version());
  weir::python::add_errors(m);
  weir::python::add_scenario(m);
  weir::python::add_gym(m);
  weir::python::add_vector(m);
  weir::python::add_policy(m);
}
