# The Python program that writes Parquet, python/weir/_parquet.py, as text inside the command, so that it runs from any
# folder.
#
# Included, this offers weir_embed_parquet(target). Run as a script, it writes SOURCE from FILE.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  file(READ ${FILE} text)
  file(WRITE ${SOURCE} "// Written at build time from python/weir/_parquet.py.
namespace weir::app {

extern const char* const kParquetProgram;  // weir/parquet.h
const char* const kParquetProgram = R\"python(${text})python\";

}  // namespace weir::app
")
  return()
endif()

set(weir_embed_parquet_script ${CMAKE_CURRENT_LIST_FILE})

function(weir_embed_parquet target)
  set(file ${PROJECT_SOURCE_DIR}/python/weir/_parquet.py)
  set(source ${PROJECT_BINARY_DIR}/generated/parquet_program.cc)
  add_custom_command(OUTPUT ${source} DEPENDS ${file} ${weir_embed_parquet_script} COMMENT "" VERBATIM
                     COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DSOURCE=${source} -P ${weir_embed_parquet_script})
  weir_generated_source(${target} ${source})
endfunction()
