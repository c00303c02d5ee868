# What the targets of this project are compiled with.

set(WEIR_WARNINGS
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers -Wnon-virtual-dtor
    -Woverloaded-virtual -Wimplicit-fallthrough -Wundef -Wvla
    # g++ 12 warns of "text" + std::string (its bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# It warns of every reference that a function returns which has a temporary among its arguments.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  list(APPEND WEIR_WARNINGS -Wno-dangling-reference)
endif()

# Every target.
function(weir_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE ${WEIR_WARNINGS} $<$<BOOL:${WEIR_WERROR}>:-Werror>)
  if(WEIR_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${WEIR_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS
                                             # g++ 12 sees uninitialised values in the instrumented standard library.
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_link_options(${target} PUBLIC -fsanitize=${WEIR_SANITIZE})
  endif()
endfunction()

# Of what takes no time in a run. With -O1 g++ 12 sees uninitialised values in std::optional where there are none. With
# sanitizers, half of a compilation is optimisation.
set(weir_quick $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)

# A target of such sources.
function(weir_quick_to_compile target)
  target_compile_options(${target} PRIVATE ${weir_quick})
endfunction()

# Gives `target` a source that is written at build time, in a library of its own that links nothing: what writes it, and
# its compilation, would wait for all that `target` links otherwise.
function(weir_generated_source target source)
  cmake_path(GET source STEM name)
  set(name weir_generated_${name})
  add_library(${name} OBJECT ${source})
  weir_options(${name})
  weir_quick_to_compile(${name})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_compile_options(${name} PRIVATE -fvisibility=hidden)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                                             ${PROJECT_SOURCE_DIR}/apps)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}>)
endfunction()

# Tests. The code under test takes the time, and not the tests themselves.
function(weir_test_options target)
  weir_test_program_options(${target})
  target_compile_options(${target} PRIVATE -O0)
endfunction()

# A program that tests start.
function(weir_test_program_options target)
  weir_options(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(WEIR_SANITIZE MATCHES "fuzzer")
    # Fuzzers are led by what they test, and no fuzzer has a test in it.
    target_compile_options(${target} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
endfunction()

# The library and those executables whose speed counts. Fat objects take no longer to compile, and
# whoever links without this option (the tests, other projects) finds ordinary code in them.
function(weir_lto target)
  if(WEIR_LTO AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -flto=auto -ffat-lto-objects)
    target_link_options(${target} PRIVATE -flto=auto)
  endif()
endfunction()

# The folders of what a run does. What g++ inlines depends on what else it compiles with it, and so does their speed.
set(WEIR_RUN_FOLDERS base cc engine host net policy traffic)

# Compiles the sources of each folder at once, with WEIR_UNITY: most of a compilation is of the headers that they share.
# Those of what a run does are compiled eight at a time, but for debug builds, and those of the command in three parts,
# since nothing else is left to compile beside them at the end of a build. With WEIR_UNITY=WHOLE all sources of a target
# are one.
function(weir_unity target)
  set(unity OFF)
  if(WEIR_UNITY)
    set(unity ON)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${unity} UNITY_BUILD_MODE GROUP)
  list(SORT ARGN)
  foreach(source IN LISTS ARGN)
    set(size 1000)
    if(source MATCHES "/src/weir/([a-z]+)/")
      set(folder ${CMAKE_MATCH_1})
      if(folder IN_LIST WEIR_RUN_FOLDERS AND target STREQUAL "weir_core" AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        set(size 8)
      endif()
    else()
      cmake_path(GET source PARENT_PATH path)
      cmake_path(GET path FILENAME folder)
      if(target STREQUAL "weir_app")
        set(size 17)
      endif()
    endif()
    if(WEIR_UNITY STREQUAL "WHOLE")
      set(folder whole)
      set(size 1000)
    endif()
    math(EXPR count_${folder} "0${count_${folder}} + 1")
    math(EXPR batch "(${count_${folder}} - 1) / ${size}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
endfunction()

# What the libraries of src/weir are compiled with.
function(weir_library_options target)
  weir_options(${target})
  weir_lto(${target})
  # It may become a part of a shared library, and nobody replaces one of its functions there.
  target_compile_options(${target} PRIVATE -fno-semantic-interposition -fvisibility=hidden)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Digests must agree between compilers and machines, in inline functions of a user as well.
  target_compile_options(${target} PUBLIC -ffp-contract=off)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  target_include_directories(${target} SYSTEM PRIVATE ${WEIR_TOML_INCLUDE_DIR} ${WEIR_XXHASH_INCLUDE_DIR})
  set(fmt fmt::fmt)
  if(WEIR_WHEEL)
    set(fmt fmt::fmt-header-only)
  endif()
  target_link_libraries(${target} PUBLIC Random123::Random123 Threads::Threads ${fmt}
                                  PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
endfunction()

# weir_library(NAME [ON LIBRARIES...] [FOLDERS FOLDERS...] [QUICK FOLDERS...]): the library weir_NAME of these folders of
# src/weir, which stands on others. Of the folders after QUICK only the compilation takes time. The global property
# WEIR_LIBRARY_OF_<folder> says which library a folder belongs to.
function(weir_library name)
  cmake_parse_arguments(PARSE_ARGV 1 library "" "" "ON;FOLDERS;QUICK")
  set(target weir_${name})
  set(sources "")
  set(quick_sources "")
  foreach(folder IN LISTS library_FOLDERS library_QUICK)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/weir/${folder}/*.cc)
    if(folder IN_LIST library_QUICK)
      list(APPEND quick_sources ${found})
    else()
      list(APPEND sources ${found})
    endif()
    set_property(GLOBAL PROPERTY WEIR_LIBRARY_OF_${folder} ${target})
  endforeach()
  if(sources)
    add_library(${target} STATIC ${sources})
    weir_unity(${target} ${sources})
    if(quick_sources)
      add_library(${target}_quick OBJECT ${quick_sources})
      weir_library_options(${target}_quick)
      weir_quick_to_compile(${target}_quick)
      weir_unity(${target}_quick ${quick_sources})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_quick>)
    endif()
  else()
    add_library(${target} STATIC ${quick_sources})
    weir_quick_to_compile(${target})
    weir_unity(${target} ${quick_sources})
  endif()
  add_library(weir::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  weir_library_options(${target})
  list(TRANSFORM library_ON PREPEND weir_)
  target_link_libraries(${target} PUBLIC ${library_ON})
endfunction()

# The sources where a run spends its time are compiled to count what they do (WEIR_PROFILE is "generate"), or for what
# they did: it is a folder that has what was counted, SOURCE.gcda for each. What did nothing then is compiled as ever.
function(weir_profile)
  if(NOT WEIR_PROFILE)
    return()
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "WEIR_PROFILE needs g++")
  endif()
  set(counted ${PROJECT_BINARY_DIR}/profile)
  foreach(source IN LISTS ARGN)
    if(WEIR_PROFILE STREQUAL "generate")
      set(options -fprofile-generate=${counted} -fprofile-update=prefer-atomic)
    else()
      cmake_path(GET source FILENAME name)
      if(NOT EXISTS ${WEIR_PROFILE}/${name}.gcda)
        message(FATAL_ERROR "There is no profile ${WEIR_PROFILE}/${name}.gcda; ./dev build --preset pgo makes it")
      endif()
      # g++ looks for it by the name of the object.
      string(REPLACE "/" "#" object ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/weir_core.dir/${source}.gcda)
      configure_file(${WEIR_PROFILE}/${name}.gcda ${counted}/${object} COPYONLY)
      set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${WEIR_PROFILE}/${name}.gcda)
      set(options -fprofile-use=${counted} -fprofile-partial-training)
    endif()
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${options})
  endforeach()
  if(WEIR_PROFILE STREQUAL "generate")
    target_link_options(weir_core PUBLIC -fprofile-generate)
  endif()
endfunction()
