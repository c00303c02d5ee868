// Parts of the Python module, one for each layer of the library that Python sees.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "weir/base/error.h"

namespace weir::python {

void add_errors(nanobind::module_& m);
void add_scenario(nanobind::module_& m);
void add_gym(nanobind::module_& m);
void add_vector(nanobind::module_& m);
void add_policy(nanobind::module_& m);
void add_tables(nanobind::module_& m);
void add_algorithms(nanobind::module_& m);
void add_decisions(nanobind::module_& m);
void add_drivers(nanobind::module_& m);
void add_simulation(nanobind::module_& m);
void add_theory(nanobind::module_& m);
void add_learn(nanobind::module_& m);

// Calls work(name), which reads a text that no file has: of its errors the key stays, and no place in a file.
template <class Work>
auto of_no_file(const char* name, Work&& work) {
  try {
    return work(name);
  } catch (const InputError& error) {
    if (error.where().file != name || !error.key()) throw;
    const std::string named = "key '" + *error.key() + "': ";
    const std::string& reason = error.reason();
    throw InputError(*error.key(), reason.starts_with(named) ? reason.substr(named.size()) : reason);
  }
}

// What a call that releases Python's lock keeps for itself. A second call at the same time is refused with
// RuntimeError.
class OneAtATime {
 public:
  class Call {
   public:
    explicit Call(OneAtATime& owner) : owner_(owner) {
      if (owner_.busy_.exchange(true))
        throw nanobind::builtin_exception(nanobind::exception_type::runtime_error,
                                          "it is in use by another thread, or by the call in which this one is made");
    }
    Call(const Call&) = delete;
    ~Call() { owner_.busy_ = false; }

   private:
    OneAtATime& owner_;
  };

  // While the program's own function is called within such a call, with Python's lock held.
  class Inside {
   public:
    explicit Inside(OneAtATime& owner)
        : owner_(owner), before_(std::exchange(owner.inside_, std::this_thread::get_id())) {}
    Inside(const Inside&) = delete;
    ~Inside() { owner_.inside_ = before_; }

   private:
    OneAtATime& owner_;
    const std::thread::id before_;
  };
  // A call that only looks, which the program's own functions may make as well.
  class Look {
   public:
    explicit Look(OneAtATime& owner) {
      if (owner.inside_ != std::this_thread::get_id()) call_.emplace(owner);
    }

   private:
    std::optional<Call> call_;
  };

 private:
  std::atomic<bool> busy_{false};
  std::thread::id inside_;  // the thread in which the program's function is called; read and written with Python's lock
};

}  // namespace weir::python
