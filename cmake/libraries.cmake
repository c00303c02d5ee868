# The libraries that src/weir is made of, from the bottom: on which others each stands, and its folders. Of QUICK ones only
# the compilation takes time. An include crosses from one library to another only as ON says, which ./dev lint checks
# (layering.awk reads these lines), and a folder belongs to one library.
#
# The core knows no files and no results; with the replicas and the run it is what programs embed (weir::weir).

weir_library(core FOLDERS base cc engine fluid host net policy sim theory traffic QUICK toml)
weir_library(replicas ON core FOLDERS replica)
weir_library(run ON core replicas FOLDERS anatomy api probe view QUICK result run scenario)
if(WEIR_PYTHON OR WEIR_BUILD_BENCH OR NOT WEIR_EMBEDDED)
  weir_library(learning ON run FOLDERS gym learn)
endif()
if(NOT WEIR_EMBEDDED)
  weir_library(tools ON run QUICK figure import study sweep)
  weir_library(traces ON run FOLDERS capture perfetto)
  weir_library(views ON tools QUICK report)
  weir_library(papers ON tools learning QUICK claims)

  file(GLOB folders CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/weir ${PROJECT_SOURCE_DIR}/src/weir/*)
  foreach(folder IN LISTS folders)
    get_property(library GLOBAL PROPERTY WEIR_LIBRARY_OF_${folder})
    if(NOT library)
      message(FATAL_ERROR "src/weir/${folder} belongs to no library: cmake/libraries.cmake lists them")
    endif()
  endforeach()
endif()
