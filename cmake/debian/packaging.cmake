# Read by cpack before it makes the packages: what `./dev docs` has not built is left out, with a word.
cmake_policy(VERSION 3.25)
get_filename_component(weir_docs ${CMAKE_CURRENT_LIST_DIR}/../../build/docs ABSOLUTE)
if("documentation" IN_LIST CPACK_COMPONENTS_ALL AND NOT EXISTS ${weir_docs}/site/index.html)
  list(REMOVE_ITEM CPACK_COMPONENTS_ALL documentation)
  message(STATUS "weir-doc is left out: `./dev docs` has not built the site")
endif()
