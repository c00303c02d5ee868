# `cmake --install`, so that find_package(weir) gives weir::weir.
include(CMakePackageConfigHelpers)

set(weir_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)

install(TARGETS weir EXPORT weir INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY src/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        PATTERN report EXCLUDE PATTERN "*-inl.h" EXCLUDE)
install(EXPORT weir NAMESPACE weir:: FILE weir-targets.cmake DESTINATION ${weir_package_dir})
configure_package_config_file(cmake/weir-config.cmake.in ${PROJECT_BINARY_DIR}/weir-config.cmake
                              INSTALL_DESTINATION ${weir_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weir-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weir-config.cmake ${PROJECT_BINARY_DIR}/weir-config-version.cmake
              cmake/FindRandom123.cmake
        DESTINATION ${weir_package_dir})
if(TARGET weir_cli)
  install(TARGETS weir_cli)
endif()
