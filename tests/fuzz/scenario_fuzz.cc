// Any text is either a scenario, which survives being written out in full and read again and, if
// it is small, can be built; or an InputError. Data files are left alone.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "weir/base/error.h"
#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"

namespace {

using namespace weir;

void require(bool good) {
  if (!good) std::abort();
}

bool reads_files(const ParamSet& set, const void* object) {
  for (const Param& p : set.params())
    if (p.names_file != nullptr && p.names_file(std::get<std::string>(p.get(object)))) return true;
  return false;
}

bool reads_files(const scenario::Scenario& s) {
  if (reads_files(s.topology.list(), s.topology.params.get())) return true;
  for (const auto& t : s.traffic)
    if (t.flows.empty() && reads_files(*t.kind->params, t.params.get())) return true;
  return false;
}

bool small(const scenario::Scenario& s) {
  for (const Param& p : s.topology.list().params()) {
    const ParamValue value = p.get(s.topology.params.get());
    if (const auto* count = std::get_if<std::int64_t>(&value); count != nullptr && *count > 16) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scenario::Scenario s;
  try {
    s = scenario::load_scenario({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const InputError& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
    return 0;
  }
  if (reads_files(s)) return 0;
  const std::string text = scenario::effective(s).toml;
  require(scenario::effective(scenario::load_scenario(text, "again")).toml == text);

  if (!small(s)) return 0;
  s.run.threads = 1;
  try {
    const auto run = scenario::build(s);
    scenario::expect(s, *run.model, 100);
  } catch (const InputError& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
