# Debian packages of what is installed, one for each component: `./dev package`, or cpack -G DEB in the build folder.
# Included by the whole project, and by hosts/ where that is built alone.
set(weir_packages ${CMAKE_CURRENT_LIST_DIR}/debian)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL "")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_NAME weir)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_VENDOR "The Weir authors")
set(CPACK_PACKAGE_CONTACT "The Weir authors <weir@localhost>")
set(CPACK_STRIP_FILES ON)
set(CPACK_PROJECT_CONFIG_FILE ${weir_packages}/packaging.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE weir)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_OUTPUT_CONFIG_FILE ${CMAKE_BINARY_DIR}/CPackConfig.cmake)

# weir_package(COMPONENT PACKAGE SECTION SUMMARY DESCRIPTION [FIELD VALUE]...): a package of the component, with other
# fields by CPack's names of them, such as SHLIBDEPS ON.
macro(weir_package component package section summary description)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}")
  set(fields ${ARGN})
  while(fields)
    list(POP_FRONT fields field value)
    set(CPACK_DEBIAN_${upper}_PACKAGE_${field} "${value}")
  endwhile()
  install(FILES ${weir_packages}/copyright DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package} COMPONENT ${component})
  # Policy asks for a compressed list of changes. At install time, since SOURCE_DATE_EPOCH may say the date.
  install(CODE "
    set(VERSION ${PROJECT_VERSION})
    set(DOCUMENTS \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATAROOTDIR}/doc/${package}\")
    include(${weir_packages}/changelog.cmake)
  " COMPONENT ${component})
endmacro()

if(TARGET weir_host)
  weir_package(hosts weir-host net "On-Ramp on this host: holds TCP packets that would only queue"
"weir-host measures the one-way delay of TCP flows between hosts that run it,
and holds packets of a flow before the NIC while they would only stand in a
queue of the network. Applications and congestion control stay as they are.
When the agent ends or hangs, packets pass as if it were not there."
    SHLIBDEPS ON DEPENDS iproute2 RECOMMENDS iptables SUGGESTS chrony)
  set(scripts ${CMAKE_CURRENT_LIST_DIR}/../hosts/package)
  set(CPACK_DEBIAN_HOSTS_PACKAGE_CONTROL_EXTRA "${scripts}/postinst;${scripts}/prerm;${scripts}/postrm")
endif()

if(TARGET weir_cli)
  # What the command loads when it serves a page, which dpkg-shlibdeps does not see, and what reads traces.
  set(served RECOMMENDS python3)
  if(WEIR_MICROHTTPD_LIBRARY)
    file(REAL_PATH ${WEIR_MICROHTTPD_LIBRARY} library)
    execute_process(COMMAND dpkg-query --search ${library} OUTPUT_VARIABLE owner ERROR_QUIET)
    if(owner MATCHES "^([^:,]+)")
      set(served RECOMMENDS "${CMAKE_MATCH_1}, python3")
    endif()
  endif()
  weir_package(command weir science "packet-level simulator of datacenter networks"
"Weir simulates congestion control, load balancing, priority flow control
and collectives in datacenter networks, packet by packet, and tells why a
flow was slow. The same scenario and seed give the same bytes on any number
of threads. With the command come scenarios, and papers to repeat."
    SHLIBDEPS ON ${served} SUGGESTS "weir-doc, weir-host, weir-openmpi | weir-mpich, tshark")
  weir_package(development libweir-dev libdevel "packet-level simulator of datacenter networks, for C++ programs"
"Static libraries and headers of Weir, with what CMake and pkg-config need to
find them, and examples: programs that run simulations, and plug-ins with
congestion-control algorithms of one's own for the command."
    DEPENDS "libfmt-dev, librandom123-dev" SUGGESTS "weir (= ${PROJECT_VERSION})")
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libweir-dev COMPONENT development)
  weir_package(documentation weir-doc doc "packet-level simulator of datacenter networks, documentation"
"The documentation of Weir to read in a browser, with its search: a tutorial,
recipes, guides, all parameters, and what shows that results are right.
Begin at /usr/share/doc/weir-doc/html/index.html."
    ARCHITECTURE all)
  # `./dev docs` makes it; packaging.cmake says if it is missing.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/docs/site/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/weir-doc/html
          COMPONENT documentation OPTIONAL PATTERN ".html" EXCLUDE)  # what Sphinx keeps for its next run
  foreach(mpi IN ITEMS openmpi mpich)
    if(TARGET weir-ranks-${mpi})
      weir_package(${mpi} weir-${mpi} science "packet-level simulator of datacenter networks, with ${mpi}"
"By this module the command weir runs one simulation on several machines, when
the mpirun of this MPI starts it."
        SHLIBDEPS ON DEPENDS "weir (= ${PROJECT_VERSION})")
    endif()
  endforeach()
endif()

include(CPack)
