# Compresses the man pages of the folder PAGES, if there are any, into the folder MANUAL.
file(GLOB pages ${PAGES}/*.1)
foreach(page IN LISTS pages)
  file(COPY ${page} DESTINATION ${MANUAL})
  cmake_path(GET page FILENAME name)
  execute_process(COMMAND gzip -9nf ${MANUAL}/${name} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
