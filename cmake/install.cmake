# `cmake --install`: the command with its manual pages and completions, and for programs that embed Weir the libraries of a
# run, their public headers (include/), and what find_package(weir) and pkg-config need. Each component is a Debian package
# (cmake/packages.cmake).
include(CMakePackageConfigHelpers)

set(weir_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)

install(TARGETS weir weir_run weir_replicas weir_core EXPORT weir COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h")
install(EXPORT weir NAMESPACE weir:: FILE weir-targets.cmake DESTINATION ${weir_package_dir} COMPONENT development)
configure_package_config_file(cmake/weir-config.cmake.in ${PROJECT_BINARY_DIR}/weir-config.cmake
                              INSTALL_DESTINATION ${weir_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weir-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weir-config.cmake ${PROJECT_BINARY_DIR}/weir-config-version.cmake
              cmake/FindRandom123.cmake
        DESTINATION ${weir_package_dir} COMPONENT development)
# It finds its prefix from where it is: `cmake --install --prefix` may name another one.
file(RELATIVE_PATH weir_prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" weir_prefix_from_pc "${weir_prefix_from_pc}")
configure_file(cmake/weir.pc.in ${PROJECT_BINARY_DIR}/weir.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
if(TARGET weir_cli)
  set(data ${CMAKE_INSTALL_DATADIR}/weir)
  install(TARGETS weir_cli COMPONENT command)
  install(DIRECTORY papers scenarios DESTINATION ${data} COMPONENT command)
  install(DIRECTORY data/policies data/workloads DESTINATION ${data}/data COMPONENT command)
  install(FILES share/wireshark/weir.lua DESTINATION ${data}/wireshark COMPONENT command)
  install(FILES share/scenario.schema.json DESTINATION ${data} COMPONENT command)
  install(DIRECTORY share/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT command)
  # Debian's zsh looks in share/zsh/vendor-completions.
  set(WEIR_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completions")
  install(FILES share/completions/_weir DESTINATION ${WEIR_ZSH_COMPLETIONS} COMPONENT command)
  install(FILES share/completions/weir.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
          COMPONENT command)
  install(FILES share/completions/weir.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME weir
          COMPONENT command)
  install(PROGRAMS share/perfetto/query.py DESTINATION ${data}/perfetto COMPONENT command)
  # pip makes what stands in this folder a command of its environment; it starts the one inside the package.
  if(SKBUILD)
    install(PROGRAMS python/command/weir DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT command)
  endif()
endif()
if(TARGET weir_cli AND PROJECT_IS_TOP_LEVEL AND NOT SKBUILD)
  include(cmake/packages.cmake)
endif()
