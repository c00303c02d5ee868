# Random123 is headers only and ships no CMake package.
find_path(Random123_INCLUDE_DIR Random123/philox.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Random123 REQUIRED_VARS Random123_INCLUDE_DIR)
mark_as_advanced(Random123_INCLUDE_DIR)

if(Random123_FOUND AND NOT TARGET Random123::Random123)
  add_library(Random123::Random123 INTERFACE IMPORTED)
  # Philox needs none of the processor's intrinsics, and to read their headers would cost each source a quarter of a second.
  set_target_properties(Random123::Random123 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Random123_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "R123_USE_SSE=0;R123_USE_X86INTRIN_H=0")
endif()
