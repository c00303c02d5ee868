# The drawing code of `weir report`: the TypeScript of web/ checked, bundled and put inside the command as text.
#
# Included, this adds it to the library weir_views; WEIR_REPORT_BUILT tells whether that can draw. Run as a script at build
# time, it makes the bundles in WORK from the sources in WEB and writes them to SOURCE. Without the npm registry it
# warns and writes empty ones: all but the report works.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)

  function(write_assets page view script)
    file(WRITE ${SOURCE} "// Written at build time from web/.
#include \"weir/report/assets.h\"

namespace weir::report {
namespace {
constexpr char kPage[] = R\"weir~(${page})weir~\";
constexpr char kView[] = R\"weir~(${view})weir~\";
constexpr char kScript[] = R\"weir~(${script})weir~\";
}  // namespace

std::string_view page_template() { return {kPage, sizeof kPage - 1}; }
std::string_view view_template() { return {kView, sizeof kView - 1}; }
std::string_view figure_script() { return {kScript, sizeof kScript - 1}; }

}  // namespace weir::report
")
  endfunction()

  function(run)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status OUTPUT_VARIABLE said
                    ERROR_VARIABLE said)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "web/: ${said}")
    endif()
  endfunction()

  file(MAKE_DIRECTORY ${WORK})
  file(SHA256 ${WEB}/package-lock.json lock)
  set(installed "")
  if(EXISTS ${WORK}/installed)
    file(READ ${WORK}/installed installed)
  endif()
  file(REMOVE_RECURSE ${WORK}/src ${WORK}/test)
  file(COPY ${WEB}/src ${WEB}/test ${WEB}/package.json ${WEB}/package-lock.json ${WEB}/tsconfig.json ${WEB}/tsconfig.figure.json
       DESTINATION ${WORK})
  if(NOT installed STREQUAL lock)
    file(REMOVE ${WORK}/installed)
    execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
                            --fetch-retries=1 --fetch-timeout=30000
                    WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 600)
    if(NOT status EQUAL 0)
      message(WARNING "weir report is left out of this build: npm could not install the packages of "
                      "web/package-lock.json. With the registry in reach, run cmake again and build.\n${said}")
      write_assets("" "" "")
      return()
    endif()
    file(WRITE ${WORK}/installed ${lock})
  endif()

  set(tsc ${NODE} node_modules/typescript/bin/tsc)
  # the launcher finds the program of this platform by itself; its install script would only link it
  set(esbuild ${NODE} node_modules/esbuild/bin/esbuild --bundle --format=iife --legal-comments=none --log-level=warning
              "--define:process.env.NODE_ENV=\"production\"")
  run(${tsc} -p tsconfig.json)
  # ES5 for Duktape. esbuild cannot make it of newer TypeScript, so tsc does; and its rewriting of syntax would undo it.
  run(${tsc} -p tsconfig.figure.json --outDir figure)
  run(${esbuild} figure/figure.js --target=es5 --minify-whitespace --minify-identifiers --outfile=figure.js)
  function(make_page name out)
    run(${esbuild} src/${name}.ts --target=es2019 --minify --outfile=${name}.js)
    run(${esbuild} src/${name}.css --minify --outfile=${name}.css)
    file(READ ${WORK}/src/${name}.html page)
    file(READ ${WORK}/${name}.css css)
    file(READ ${WORK}/${name}.js js)
    string(REPLACE "</script" "<\\/script" js "${js}")
    # one after the other: none of the three holds the mark of another
    string(REPLACE "@STYLE@" "${css}" page "${page}")
    string(REPLACE "@SCRIPT@" "${js}" page "${page}")
    set(${out} "${page}" PARENT_SCOPE)
  endfunction()
  make_page(report page)
  make_page(view view)
  file(READ ${WORK}/figure.js figure)
  write_assets("${page}" "${view}" "${figure}")
  return()
endif()

set(weir_report_script ${CMAKE_CURRENT_LIST_FILE})

set(WEIR_REPORT_BUILT FALSE)
if(WEIR_REPORT)
  find_program(WEIR_NODE NAMES node nodejs)
  find_program(WEIR_NPM npm)
  find_path(WEIR_DUKTAPE_INCLUDE_DIR duktape.h)
  find_library(WEIR_DUKTAPE_LIBRARY duktape)
  if(WEIR_NODE AND WEIR_NPM AND WEIR_DUKTAPE_INCLUDE_DIR AND WEIR_DUKTAPE_LIBRARY)
    set(WEIR_REPORT_BUILT TRUE)
  else()
    message(WARNING "weir report is left out of this build: it needs Node.js, npm and Duktape "
                    "(Debian: nodejs npm duktape-dev); -DWEIR_REPORT=OFF says that this is meant")
  endif()
endif()

set(weir_report_assets ${PROJECT_BINARY_DIR}/generated/report_assets.cc)
weir_generated_source(weir_views ${weir_report_assets})
find_package(ZLIB)
if(ZLIB_FOUND)
  target_compile_definitions(weir_views PRIVATE WEIR_HAS_ZLIB)
  target_link_libraries(weir_views PRIVATE ZLIB::ZLIB)
else()
  message(STATUS "weir view is left out of this build: it needs zlib (Debian: zlib1g-dev)")
endif()

if(WEIR_REPORT_BUILT)
  # a build without the registry is tried again after the next configuration
  if(EXISTS ${weir_report_assets} AND NOT EXISTS ${PROJECT_BINARY_DIR}/web/installed)
    file(REMOVE ${weir_report_assets})
  endif()
  set(web ${PROJECT_SOURCE_DIR}/web)
  file(GLOB_RECURSE weir_web_sources CONFIGURE_DEPENDS ${web}/src/* ${web}/test/* ${web}/package.json ${web}/package-lock.json ${web}/tsconfig*)
  add_custom_command(OUTPUT ${weir_report_assets} DEPENDS ${weir_web_sources} ${weir_report_script} VERBATIM
                     COMMENT "Bundling web/ for weir report and weir view"
                     COMMAND ${CMAKE_COMMAND} -DWEB=${web} -DWORK=${PROJECT_BINARY_DIR}/web -DSOURCE=${weir_report_assets}
                             -DNODE=${WEIR_NODE} -DNPM=${WEIR_NPM} -P ${weir_report_script})
  target_compile_definitions(weir_views PRIVATE WEIR_HAS_DUKTAPE)
  target_include_directories(weir_views SYSTEM PRIVATE ${WEIR_DUKTAPE_INCLUDE_DIR})
  target_link_libraries(weir_views PRIVATE ${WEIR_DUKTAPE_LIBRARY})
else()
  file(CONFIGURE OUTPUT ${weir_report_assets} @ONLY CONTENT "#include \"weir/report/assets.h\"

namespace weir::report {

std::string_view page_template() { return {}; }
std::string_view view_template() { return {}; }
std::string_view figure_script() { return {}; }

}  // namespace weir::report
")
endif()
