// weir.Scenario.
#include "weir/scenario.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "module.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {

void add_scenario(nb::module_& m) {
  using Overrides = std::vector<std::string>;
  nb::class_<Scenario>(m, "Scenario", "What is to be simulated, as `weir run` takes it. It never changes.")
      .def_static("from_file", &Scenario::from_file, "file"_a, "overrides"_a = Overrides(),
                  "Reads a TOML file. Overrides are 'key=value' as for `weir run --set`.")
      .def_static("from_text", &Scenario::from_text, "toml"_a, "overrides"_a = Overrides(), "name"_a = "scenario.toml",
                  "Reads TOML text. Messages call it `name`; names of data files are relative to the folder of `name`.")
      .def_static("from_values", &Scenario::from_values, "values"_a, "Makes a scenario from 'key=value' alone.")
      .def("to_toml", &Scenario::to_toml, "The effective scenario: all parameters, defaults included.")
      .def("warnings", &Scenario::warnings, nb::call_guard<nb::gil_scoped_release>(),
           "The warnings of `weir validate`, one sentence each.")
      .def("__repr__", [](const Scenario&) { return "<weir.Scenario>"; });
}

}  // namespace weir::python
