# The version text: the project's version, and the commit if the sources are a git checkout. And the simulator: a checksum
# of what the result of a run depends on, which commits to anything else leave as it is.
#
# Included, this offers weir_version_header(target). Run as a script at each build, it writes
# the header only when its text changes, so that an unchanged commit compiles nothing.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  find_program(GIT git)
  if(GIT AND EXISTS ${SOURCE_DIR}/.git)
    execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} --no-optional-locks describe --always --exclude=* --dirty --abbrev=10
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(commit)
      string(APPEND VERSION "+${commit}")
    endif()
  endif()
  # What a run and the values that studies keep of it are made of: the folders of these libraries. Words of the lines that
  # are no folders name no files.
  file(STRINGS ${SOURCE_DIR}/cmake/libraries.cmake libraries REGEX "weir_library\\((core|replicas|run|tools) ")
  string(REGEX MATCHALL "[a-z]+" folders "${libraries}")
  list(TRANSFORM folders REPLACE "(.+)" "${SOURCE_DIR}/src/weir/\\1/*")
  file(GLOB_RECURSE sources RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/include/* ${folders} ${SOURCE_DIR}/data/policies/*
       ${SOURCE_DIR}/data/workloads/*)
  set(checksums "")
  foreach(source IN LISTS sources)
    file(SHA256 ${SOURCE_DIR}/${source} checksum)
    string(APPEND checksums "${source} ${checksum}\n")
  endforeach()
  string(SHA256 SIMULATOR "${checksums}")
  string(SUBSTRING ${SIMULATOR} 0 16 SIMULATOR)
  file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define WEIR_VERSION \"@VERSION@\"\n#define WEIR_SIMULATOR \"@SIMULATOR@\"\n"
       @ONLY)
  return()
endif()

set(weir_version_script ${CMAKE_CURRENT_LIST_FILE})

function(weir_version_header target)
  set(header ${PROJECT_BINARY_DIR}/generated/weir_version.h)
  if(NOT TARGET weir_version)
    add_custom_target(weir_version BYPRODUCTS ${header} COMMENT "" VERBATIM
                      COMMAND ${CMAKE_COMMAND} -DVERSION=${PROJECT_VERSION} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
                              -DHEADER=${header} -P ${weir_version_script})
  endif()
  add_dependencies(${target} weir_version)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
