# `cmake --install`: the command with its manual pages and completions, and for programs that embed Weir the libraries of a run, their public headers (include/), and what
# find_package(weir) and pkg-config need.
include(CMakePackageConfigHelpers)

set(weir_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)

install(TARGETS weir weir_run weir_replicas weir_core EXPORT weir INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT weir NAMESPACE weir:: FILE weir-targets.cmake DESTINATION ${weir_package_dir})
configure_package_config_file(cmake/weir-config.cmake.in ${PROJECT_BINARY_DIR}/weir-config.cmake
                              INSTALL_DESTINATION ${weir_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weir-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weir-config.cmake ${PROJECT_BINARY_DIR}/weir-config-version.cmake
              cmake/FindRandom123.cmake
        DESTINATION ${weir_package_dir})
# At install time, when the prefix is known: `cmake --install --prefix` may name another one.
install(CODE "
  set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
  set(PROJECT_VERSION ${PROJECT_VERSION})
  set(CMAKE_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR})
  set(CMAKE_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
  configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/cmake/weir.pc.in\"
                 \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/weir.pc\" @ONLY)
")
if(TARGET weir_cli)
  install(TARGETS weir_cli)
  install(DIRECTORY papers scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/weir)
  install(FILES share/wireshark/weir.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/weir/wireshark)
  install(FILES share/scenario.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/weir)
  install(DIRECTORY share/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  set(WEIR_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
      "Where zsh looks for completions; for Debian's packages share/zsh/vendor-completions")
  install(FILES share/completions/_weir DESTINATION ${WEIR_ZSH_COMPLETIONS})
  install(FILES share/completions/weir.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME weir)
  install(FILES share/completions/weir.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(PROGRAMS share/perfetto/query.py DESTINATION ${CMAKE_INSTALL_DATADIR}/weir/perfetto)
endif()
