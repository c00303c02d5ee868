// weir.Scenario.
#include "weir/scenario.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "module.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

using Overrides = std::vector<std::string>;

// "key=value" of a list of such texts, or of a dictionary.
Overrides assignments_of(nb::handle values) {
  return nb::cast<Overrides>(nb::module_::import_("weir._values").attr("assignments")(values));
}

}  // namespace

void add_scenario(nb::module_& m) {
  nb::class_<Scenario>(m, "Scenario", "What is to be simulated, as `weir run` takes it. It never changes.")
      .def_static(
          "from_file",
          [](nb::handle file, nb::handle overrides) {
            const auto path = nb::cast<std::string>(nb::module_::import_("weir._values").attr("file_name")(file));
            return Scenario::from_file(path, assignments_of(overrides));
          },
          "file"_a, "overrides"_a = nb::tuple(),
          nb::sig("def from_file(file: str | os.PathLike[str], overrides: collections.abc.Sequence[str] | "
                  "collections.abc.Mapping[str, object] = ()) -> Scenario"),
          "Reads a TOML file. Overrides are 'key=value' as for `weir run --set`, or a dictionary.")
      .def_static(
          "from_text",
          [](const std::string& toml, nb::handle overrides, const std::string& name) {
            return Scenario::from_text(toml, assignments_of(overrides), name);
          },
          "toml"_a, "overrides"_a = nb::tuple(), "name"_a = "scenario.toml",
          nb::sig("def from_text(toml: str, overrides: collections.abc.Sequence[str] | collections.abc.Mapping[str, "
                  "object] = (), name: str = ...) -> Scenario"),
          "Reads TOML text. Messages call it `name`; names of data files are relative to the folder of `name`.")
      .def_static(
          "from_values", [](nb::handle values) { return Scenario::from_values(assignments_of(values)); }, "values"_a,
          nb::sig("def from_values(values: collections.abc.Sequence[str] | collections.abc.Mapping[str, object]) -> "
                  "Scenario"),
          "Makes a scenario from 'key=value' alone, or from a dictionary.")
      .def_static(
          "from_dict", [](nb::handle tables) { return Scenario::from_values(assignments_of(tables)); }, "tables"_a,
          nb::sig("def from_dict(tables: collections.abc.Mapping[str, object]) -> Scenario"),
          "Makes a scenario from a dictionary of its tables, as tomllib reads them from a file. Keys may be dotted.")
      .def(
          "with_values", [](const Scenario& s, nb::handle values) { return s.with(assignments_of(values)); },
          "values"_a,
          nb::sig("def with_values(self, values: collections.abc.Sequence[str] | collections.abc.Mapping[str, object]) "
                  "-> Scenario"),
          "The same scenario with more values; data files are still found where they were.")
      .def(
          "to_dict",
          [](const Scenario& s) -> nb::object { return nb::module_::import_("tomllib").attr("loads")(s.to_toml()); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"),
          "The effective scenario as a dictionary of its tables.")
      .def_prop_ro("text", &Scenario::text, "The TOML text that it was made of.")
      .def_prop_ro("overrides", &Scenario::overrides, "The 'key=value' that replace what the text says.")
      .def_prop_ro("name", &Scenario::name, "The file's name, as given.")
      .def(
          "__getstate__", [](const Scenario& s) { return nb::make_tuple(s.text(), s.overrides(), s.name()); },
          nb::sig("def __getstate__(self) -> tuple[str, list[str], str]"))
      .def("__setstate__",
           [](Scenario& self, const std::tuple<std::string, Overrides, std::string>& state) {
             const auto& [text, overrides, name] = state;
             new (&self) Scenario(Scenario::from_text(text, overrides, name));
           })
      .def(
          "__eq__",
          [](const Scenario& s, nb::handle other) {
            const Scenario* const o = nb::isinstance<Scenario>(other) ? nb::inst_ptr<Scenario>(other) : nullptr;
            return o != nullptr && s.to_toml() == o->to_toml();
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Scenario& s) { return std::hash<std::string>()(s.to_toml()); })
      .def("to_toml", &Scenario::to_toml, "The effective scenario: all parameters, defaults included.")
      .def("warnings", &Scenario::warnings, nb::call_guard<nb::gil_scoped_release>(),
           "The warnings of `weir validate`, one sentence each.")
      .def("__repr__", [](const Scenario&) { return "<weir.Scenario>"; });
}

}  // namespace weir::python
