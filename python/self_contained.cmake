# Fails unless the extension module MODULE exports the function that Python looks for and nothing else; and, with WHEEL,
# unless it needs only libraries that every Linux with glibc has, those of the C library.
execute_process(COMMAND ${READELF} --dyn-syms --wide ${MODULE} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
# Lines of readelf: number, value, size, type, binding, visibility, section, name.
string(REGEX MATCHALL "(GLOBAL|WEAK|UNIQUE) +[A-Z]+ +[0-9A-Z]+ [^\n]+" symbols "${symbols}")
list(FILTER symbols EXCLUDE REGEX " UND ")
list(TRANSFORM symbols REPLACE ".* " "")
if(NOT symbols STREQUAL "PyInit__weir")
  list(LENGTH symbols count)
  list(SUBLIST symbols 0 5 some)
  message(FATAL_ERROR "${MODULE} exports ${count} symbols, ${some} among them; valid is PyInit__weir alone: others would "
                      "be shared with the libraries of other Python packages (python/exports.map)")
endif()

if(WHEEL)
  execute_process(COMMAND ${READELF} --dynamic --wide ${MODULE} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "Shared library: \\[[^]]*\\]" needed "${dynamic}")
  foreach(line IN LISTS needed)
    string(REGEX REPLACE ".*\\[(.*)\\]" "\\1" library "${line}")
    if(NOT library MATCHES "^(libc|libm|libpthread|libdl|librt)\\.so\\.[0-9]+$|^ld-linux[-a-z0-9_]*\\.so\\.[0-9]+$")
      message(FATAL_ERROR "${MODULE} needs ${library}, which not every system has: what of the library needs it is not to "
                          "be linked, or is to be linked statically")
    endif()
  endforeach()
endif()
