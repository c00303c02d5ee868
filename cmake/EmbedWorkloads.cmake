# The flow-size distributions of data/workloads as text inside the library, so that they are
# found by name from the build tree and after installation alike.
#
# Included, this offers weir_embed_workloads(target). Run as a script, it writes SOURCE from the
# files DIR/*.cdf.txt, in order of their names.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  file(GLOB files ${DIR}/*.cdf.txt)
  list(SORT files)
  set(entries "")
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    string(REPLACE ".cdf.txt" "" name "${name}")
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"cdf(${text})cdf\"},\n")
  endforeach()
  file(WRITE ${SOURCE} "// Written at build time from data/workloads/*.cdf.txt.
#include \"weir/traffic/workloads.h\"

namespace weir::traffic {
namespace {
constexpr Workload kWorkloads[] = {
${entries}};
}  // namespace

std::span<const Workload> workloads() { return kWorkloads; }

}  // namespace weir::traffic
")
  return()
endif()

set(weir_embed_workloads_script ${CMAKE_CURRENT_LIST_FILE})

function(weir_embed_workloads target)
  set(dir ${PROJECT_SOURCE_DIR}/data/workloads)
  set(source ${PROJECT_BINARY_DIR}/generated/workloads.cc)
  file(GLOB files CONFIGURE_DEPENDS ${dir}/*.cdf.txt)
  add_custom_command(OUTPUT ${source} DEPENDS ${files} ${weir_embed_workloads_script} COMMENT "" VERBATIM
                     COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DSOURCE=${source} -P ${weir_embed_workloads_script})
  weir_generated_source(${target} ${source})
endfunction()
