// weir::InputError becomes weir.InputError, a Python class, with the attributes file, line and key.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>

#include "module.h"
#include "weir/base/error.h"

namespace nb = nanobind;

namespace weir::python {
namespace {

void raise(const InputError& error) {
  const Where& where = error.where();
  // A value that was given beside a file, which the command does by --set.
  const bool is_override = where.line == 0 && where.file.starts_with("--");
  const nb::object file = where.file.empty() || is_override ? nb::none() : nb::cast(where.file);
  const nb::object line = where.line > 0 ? nb::cast(where.line) : nb::none();
  const nb::object key = error.key() && !error.key()->empty() ? nb::cast(*error.key()) : nb::none();
  const nb::object type = nb::module_::import_("weir._errors").attr("InputError");
  PyErr_SetObject(
      type.ptr(),
      type(is_override && error.key() ? *error.key() + ": " + error.reason() : error.what(), file, line, key).ptr());
}

}  // namespace

void add_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const InputError& error) {
      raise(error);
    }
  });
}

}  // namespace weir::python
