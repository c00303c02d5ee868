# The policies of data/policies as text inside the library, so that they are found by name from the
# build tree and after installation alike.
#
# Included, this offers weir_embed_policies(target). Run as a script, it writes SOURCE from the
# files DIR/*.toml, in order of their names.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  file(GLOB files ${DIR}/*.toml)
  list(SORT files)
  set(entries "")
  foreach(file IN LISTS files)
    cmake_path(GET file STEM LAST_ONLY name)
    file(READ ${file} text)
    # a literal has no more than 65536 bytes in C++ compilers' guarantees: pieces of 16000 are joined
    set(pieces "")
    string(LENGTH "${text}" length)
    set(at 0)
    while(at LESS length)
      string(SUBSTRING "${text}" ${at} 16000 piece)
      string(APPEND pieces "\n     R\"toml(${piece})toml\"")
      math(EXPR at "${at} + 16000")
    endwhile()
    string(APPEND entries "    {\"${name}\",${pieces}},\n")
  endforeach()
  file(WRITE ${SOURCE} "// Written at build time from data/policies/*.toml.
#include \"weir/policy/shipped.h\"

namespace weir::policy {
namespace {
constexpr Shipped kShipped[] = {
${entries}};
}  // namespace

std::span<const Shipped> shipped() { return kShipped; }

}  // namespace weir::policy
")
  return()
endif()

set(weir_embed_policies_script ${CMAKE_CURRENT_LIST_FILE})

function(weir_embed_policies target)
  set(dir ${PROJECT_SOURCE_DIR}/data/policies)
  set(source ${PROJECT_BINARY_DIR}/generated/policies.cc)
  file(GLOB files CONFIGURE_DEPENDS ${dir}/*.toml)
  add_custom_command(OUTPUT ${source} DEPENDS ${files} ${weir_embed_policies_script} COMMENT "" VERBATIM
                     COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DSOURCE=${source} -P ${weir_embed_policies_script})
  weir_generated_source(${target} ${source})
endfunction()
