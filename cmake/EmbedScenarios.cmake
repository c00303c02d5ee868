# The scenarios that `weir demo` and `weir bench` run, as text inside the command, so that they run
# from any folder.
#
# Included, this offers weir_embed_scenarios(target NAMES...). Run as a script, it writes SOURCE
# from the files DIR/<name>.toml of the comma-separated NAMES.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  string(REPLACE "," ";" NAMES "${NAMES}")
  set(entries "")
  foreach(name IN LISTS NAMES)
    file(READ ${DIR}/${name}.toml text)
    string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
  endforeach()
  file(WRITE ${SOURCE} "// Written at build time from scenarios/*.toml.
#include \"weir/embedded.h\"

namespace weir::app {
namespace {
constexpr EmbeddedScenario kScenarios[] = {
${entries}};
}  // namespace

std::span<const EmbeddedScenario> embedded_scenarios() { return kScenarios; }

}  // namespace weir::app
")
  return()
endif()

set(weir_embed_scenarios_script ${CMAKE_CURRENT_LIST_FILE})

function(weir_embed_scenarios target)
  set(dir ${PROJECT_SOURCE_DIR}/scenarios)
  set(source ${PROJECT_BINARY_DIR}/generated/scenarios.cc)
  list(TRANSFORM ARGN PREPEND ${dir}/ OUTPUT_VARIABLE files)
  list(TRANSFORM files APPEND .toml)
  string(REPLACE ";" "," names "${ARGN}")
  add_custom_command(OUTPUT ${source} DEPENDS ${files} ${weir_embed_scenarios_script} COMMENT "" VERBATIM
                     COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DNAMES=${names} -DSOURCE=${source}
                             -P ${weir_embed_scenarios_script})
  weir_generated_source(${target} ${source})
endfunction()
