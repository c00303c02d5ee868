# Fails unless the extension module MODULE needs only libraries that every Linux with glibc has, those of the C library.
execute_process(COMMAND ${READELF} --dynamic --wide ${MODULE} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "Shared library: \\[[^]]*\\]" needed "${dynamic}")
foreach(line IN LISTS needed)
  string(REGEX REPLACE ".*\\[(.*)\\]" "\\1" library "${line}")
  if(NOT library MATCHES "^(libc|libm|libpthread|libdl|librt)\\.so\\.[0-9]+$|^ld-linux[-a-z0-9_]*\\.so\\.[0-9]+$")
    message(FATAL_ERROR "${MODULE} needs ${library}, which not every system has: what of the library needs it is not to "
                        "be linked, or is to be linked statically")
  endif()
endforeach()
