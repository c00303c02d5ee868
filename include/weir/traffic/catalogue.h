// The kinds of traffic that a scenario can name. A new kind is added by one line in src/weir/traffic/catalogue.cc, or
// by a call of add_kind() in a program that embeds Weir.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "weir/base/params.h"
#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

class Traffic;

// Adds a source to the traffic. Its flows get context.labels; if context.completion is true, they are one collective.
void add_source(Traffic& traffic, std::unique_ptr<Source> source, const Context& context);

// A kind of traffic, without the type of its class.
struct Kind {
  std::string name;
  std::string meaning;
  const ParamSet* params = nullptr;
  // Builds a source from an object of these parameters (ParamSet::make) and adds it as add_source() does.
  // Throws InputError about one of the parameters, or about a line of a file.
  std::function<void(Traffic&, const void* params, const Context&)> add;
};

// All kinds, in the order in which the reference page lists them. Entries stay in place when others are added.
const std::list<Kind>& kinds();
// Adds a kind of a program that embeds Weir. Call it before reading a scenario that names the kind, and not while
// another thread reads a scenario. Throws InputError if the name is taken or not valid (check_new_name).
const Kind& add_kind(Kind kind);
// Makes the kind of a source class S that has S::Params and a constructor S(const S::Params&, const Context&).
template <class S>
Kind kind_of(std::string name, std::string meaning) {
  using Params = typename S::Params;
  return {std::move(name), std::move(meaning), &params_of<Params>(),
          [](Traffic& traffic, const void* params, const Context& context) {
            add_source(traffic, std::make_unique<S>(*static_cast<const Params*>(params), context), context);
          }};
}

// The kind of this name. Throws InputError with the nearest valid name if there is none.
const Kind& kind_named(std::string_view name);

}  // namespace weir::traffic
