// The extension module weir._weir.
#include "module.h"

#include <nanobind/stl/string.h>

#include <string>

#include "weir/base/version.h"

NB_MODULE(_weir, m) {
  m.doc() = "What the package weir has of the C++ library.";
  m.def("version", [] { return std::string(weir::version()); });
  weir::python::add_errors(m);
  weir::python::add_scenario(m);
  weir::python::add_tables(m);
  weir::python::add_algorithms(m);
  weir::python::add_decisions(m);
  weir::python::add_drivers(m);
  weir::python::add_simulation(m);
  weir::python::add_theory(m);
  weir::python::add_gym(m);
  weir::python::add_vector(m);
  weir::python::add_policy(m);
  weir::python::add_learn(m);
}
