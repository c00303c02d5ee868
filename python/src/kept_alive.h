// Objects of the program that outlive a call.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

namespace weir::python {

// An object that is let go with Python's lock held, whoever lets it go.
inline std::shared_ptr<nanobind::object> kept_alive(nanobind::object object) {
  return {new nanobind::object(std::move(object)), [](nanobind::object* o) {
            const nanobind::gil_scoped_acquire acquire;
            delete o;
          }};
}

}  // namespace weir::python
