# BPF programs inside libraries: compiled by clang when the project is built, and embedded as bytes.
#
# Included, this offers weir_bpf_object(target name source): the function weir::hosts::bpf_object_NAME() of
# hosts/bpf/object.h gives the object file. WEIR_BPF_CLANG is the compiler. Run as a script, it writes SOURCE from the
# file OBJECT.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  file(READ ${OBJECT} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(WRITE ${SOURCE} "// Written at build time.
#include \"hosts/bpf/object.h\"

namespace weir::hosts {
namespace {
alignas(8) constexpr unsigned char kObject[] = {
${bytes}};
}  // namespace

std::span<const unsigned char> bpf_object_${NAME}() { return kObject; }

}  // namespace weir::hosts
")
  return()
endif()

find_program(WEIR_LLVM_STRIP NAMES llvm-strip llvm-strip-14 llvm-strip-16 DOC "strips BPF objects of what debuggers need")

function(weir_bpf_object target name source)
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o)
  set(bytes ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.cc)
  set(includes -I${weir_root} -I${weir_root}/src)
  if(CMAKE_LIBRARY_ARCHITECTURE)
    list(APPEND includes -isystem /usr/include/${CMAKE_LIBRARY_ARCHITECTURE})
  endif()
  if(LIBBPF_INCLUDE_DIRS)
    list(TRANSFORM LIBBPF_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE libbpf_includes)
    list(APPEND includes ${libbpf_includes})
  endif()
  set(strip "")
  if(WEIR_LLVM_STRIP)
    set(strip COMMAND ${WEIR_LLVM_STRIP} -g ${object})  # BTF stays
  endif()
  add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d COMMENT "Compiling ${name}.bpf.o" VERBATIM
                     # -mcpu=v3 has compare-and-swap; kernels know it since 5.12
                     COMMAND ${WEIR_BPF_CLANG} -target bpf -mcpu=v3 -O2 -g -std=gnu11 -Wall -Wextra -Werror ${includes}
                             -fdebug-prefix-map=${weir_root}=. -MD -MF ${object}.d -c ${source} -o ${object}
                     ${strip})
  add_custom_command(OUTPUT ${bytes} DEPENDS ${object} ${CMAKE_CURRENT_FUNCTION_LIST_FILE} COMMENT "" VERBATIM
                     COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DOBJECT=${object} -DSOURCE=${bytes}
                             -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  target_sources(${target} PRIVATE ${bytes})
  set_source_files_properties(${bytes} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # there before it is written
endfunction()
