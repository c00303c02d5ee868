# What the Python package has of the library (WEIR_WHEEL): all but what only the command needs.
#
# Included, this offers weir_wheel_sources(LIST). Run as a script, it checks that what is left in the sources of ROOT
# includes nothing of what is left out: such a package is built, and cannot be loaded.
set(weir_not_in_wheel
    "/src/weir/((claims|figure|learn|perfetto|study|capture)/|run/(admission|allotment|claims|earlier_runs|job_environment|left_runs|run_process|sweep[a-z_]*)\\.)")

function(weir_wheel_sources list)
  list(FILTER ${list} EXCLUDE REGEX "${weir_not_in_wheel}")
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cmake_minimum_required(VERSION 3.25)
  file(GLOB_RECURSE sources ${ROOT}/src/weir/*.cc ${ROOT}/src/weir/*.h)
  list(FILTER sources EXCLUDE REGEX "/src/weir/report/")
  weir_wheel_sources(sources)
  set(found "")
  foreach(source IN LISTS sources)
    file(STRINGS ${source} lines REGEX "^#include \"weir/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"(.*)\".*" "/src/\\1" included "${line}")
      if(included MATCHES "${weir_not_in_wheel}")
        string(APPEND found "\n${source}: ${line}")
      endif()
    endforeach()
  endforeach()
  if(found)
    message(FATAL_ERROR "The Python package has these sources, and not what they include (cmake/wheel.cmake):${found}")
  endif()
endif()
