// The kinds of traffic that a scenario can name. A new kind is one line in catalogue.cc.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

class Traffic;

// Adds a source whose flows are labelled with context.labels; if the context says so, as one collective.
void add_source(Traffic& traffic, std::unique_ptr<Source> source, const Context& context);

struct Kind {
  std::string name;
  std::string meaning;
  const ParamSet* params = nullptr;
  // Builds a source from an object of these parameters (ParamSet::make) and adds it, its flows
  // labelled with context.labels. Throws InputError about one of the parameters, or about a line of a file.
  std::function<void(Traffic&, const void* params, const Context&)> add;
};

std::vector<const Kind*> kinds();
// One more, of a program that embeds Weir, before it reads a scenario that names it; not while another thread reads
// one. Throws InputError if the name is taken, or is no name (check_new_name).
const Kind& add_kind(Kind kind);
// The kind of a class S of sources with S::Params, built by S(const S::Params&, const Context&).
template <class S>
Kind kind_of(std::string name, std::string meaning) {
  using Params = typename S::Params;
  return {std::move(name), std::move(meaning), &params_of<Params>(),
          [](Traffic& traffic, const void* params, const Context& context) {
            add_source(traffic, std::make_unique<S>(*static_cast<const Params*>(params), context), context);
          }};
}

// Throws InputError with the nearest valid name.
const Kind& kind_named(std::string_view name);

}  // namespace weir::traffic
