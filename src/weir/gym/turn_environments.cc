#include "weir/gym/turn_environments.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "weir/base/error.h"
#include "weir/gym/vector_environment.h"

namespace weir::gym {
namespace {

std::vector<std::exception_ptr> one_for_each(const VectorShape& shape) {
  std::vector<std::exception_ptr> out;
  out.resize(static_cast<std::size_t>(shape.environments));
  return out;
}

}  // namespace

TurnEnvironments::TurnEnvironments(const Scenario& scenario, const Settings& settings, const SingleFlow& single,
                                   std::int64_t environments, std::int64_t threads)
    : errors_(one_for_each(checked(VectorShape{environments, 0, threads}))), workers_(static_cast<unsigned>(threads)) {
  for (std::size_t i = 0; i < errors_.size(); ++i)
    environments_.push_back(std::make_unique<TurnEnvironment>(scenario, settings, single));
}

void TurnEnvironments::go_on(std::span<const Move> moves) {
  if (moves.size() != size())
    throw InputError("actions",
                     fmt::format("there are {}; valid is one for each of {} environments", moves.size(), size()));
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (moves[i].begins) continue;
    check_factor(moves[i].factor, i);
    if (environments_[i]->has_ended())
      throw std::logic_error(fmt::format("the episode of environment {} has ended; call reset() first", i));
  }
  workers_.run(size(), [&](std::size_t i) {
    try {
      if (!moves[i].begins) return environments_[i]->step(moves[i].factor);
      environments_[i]->reset(moves[i].seed);
      environments_[i]->require_question();
    } catch (...) {
      errors_[i] = std::current_exception();
    }
  });
  std::exception_ptr first;
  for (auto& error : errors_)
    if (std::exception_ptr other = std::exchange(error, nullptr); !first) first = other;
  if (!first) return;
  close();
  std::rethrow_exception(first);
}

void TurnEnvironments::close() {
  for (auto& environment : environments_) environment->close();
}

}  // namespace weir::gym
