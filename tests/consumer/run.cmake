# Builds the consumer project SOURCE in the folder BINARY. If INSTALL names a build tree of Weir, that is installed first
# into BINARY/prefix, where the consumer finds it; the consumer is linked and run, and so are the programs of EXAMPLES,
# by CMake and, one of them, by pkg-config. Otherwise the compiler checks the consumer's source alone.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(options -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_CXX_COMPILER=${COMPILER})
if(INSTALL)
  file(REMOVE_RECURSE ${BINARY}/prefix)
  run(${CMAKE_COMMAND} --install ${INSTALL} --prefix ${BINARY}/prefix)
  list(APPEND options -DCMAKE_PREFIX_PATH=${BINARY}/prefix)
else()
  list(APPEND options -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
endif()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BINARY}/build ${options})
if(NOT INSTALL)
  # As its own build would, but without what that compiles of Weir before.
  cmake_path(SET main NORMALIZE ${SOURCE}/../main.cc)
  file(READ ${BINARY}/build/compile_commands.json commands)
  string(JSON last LENGTH "${commands}")
  math(EXPR last "${last} - 1")
  foreach(i RANGE ${last})
    string(JSON file GET "${commands}" ${i} file)
    if(file STREQUAL main)
      string(JSON command GET "${commands}" ${i} command)
    endif()
  endforeach()
  if(NOT command)
    message(FATAL_ERROR "nothing compiles ${main}")
  endif()
  separate_arguments(command UNIX_COMMAND "${command} -fsyntax-only")
  run(${command})
  return()
endif()

run(${CMAKE_COMMAND} --build ${BINARY}/build --target consumer)
run(${BINARY}/build/consumer)

run(${CMAKE_COMMAND} -S ${EXAMPLES} -B ${BINARY}/examples ${options})
run(${CMAKE_COMMAND} --build ${BINARY}/examples)
file(GLOB examples ${EXAMPLES}/*.cc)
list(FILTER examples EXCLUDE REGEX "/plugin.cc$")
foreach(example IN LISTS examples)
  cmake_path(GET example STEM name)
  run(${BINARY}/examples/${name})
endforeach()
# A plug-in that was built against what is installed is loaded by the command that is.
run(${BINARY}/prefix/bin/weir run ${EXAMPLES}/../tests/scenarios/star-incast-dcqcn.toml --quiet
    --plugin ${BINARY}/examples/libplugin.so --set algorithm={name="halving"})

# Manual pages and completions are where man and shells look for them.
foreach(file share/man/man1/weir-run.1 share/zsh/site-functions/_weir share/bash-completion/completions/weir
        share/fish/vendor_completions.d/weir.fish)
  if(NOT EXISTS ${BINARY}/prefix/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()

# The papers come with the command, wherever it is started.
foreach(arguments IN ITEMS "list;hpcc" "run;hpcc/fig09ab;--list" "run;rldc/fig09;--list")
  execute_process(COMMAND ${BINARY}/prefix/bin/weir paper ${arguments} WORKING_DIRECTORY ${BINARY}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()

find_program(pkg_config pkg-config)
if(pkg_config)
  file(GLOB_RECURSE pc ${BINARY}/prefix/*/weir.pc)
  cmake_path(GET pc PARENT_PATH folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${pkg_config} --cflags --libs weir
                  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${COMPILER} ${EXAMPLES}/embed.cc -o ${BINARY}/embed ${flags})
  run(${BINARY}/embed)
endif()
