# Builds the consumer project SOURCE in the folder BINARY. If INSTALL names a build tree of Weir, that is installed first
# into BINARY/prefix, where the consumer finds it, and the consumer is linked and run; otherwise its
# source alone is compiled.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(options -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_CXX_COMPILER=${COMPILER})
if(INSTALL)
  file(REMOVE_RECURSE ${BINARY}/prefix)
  run(${CMAKE_COMMAND} --install ${INSTALL} --prefix ${BINARY}/prefix)
  list(APPEND options -DCMAKE_PREFIX_PATH=${BINARY}/prefix)
endif()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BINARY}/build ${options})
if(INSTALL)
  run(${CMAKE_COMMAND} --build ${BINARY}/build --target consumer)
  run(${BINARY}/build/consumer)
else()
  cmake_path(SET main NORMALIZE ${SOURCE}/../main.cc)
  run(${CMAKE_COMMAND} --build ${BINARY}/build --target ${main}^)  # ninja's name of what is compiled from it
endif()
