# What every target of this project is compiled with.

set(WEIR_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
                  -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wundef -Wvla)

function(weir_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE ${WEIR_WARNINGS} $<$<BOOL:${WEIR_WERROR}>:-Werror>)
  if(WEIR_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${WEIR_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
    # g++ 12 sees uninitialised values in the instrumented standard library.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_link_options(${target} PUBLIC -fsanitize=${WEIR_SANITIZE})
  endif()
endfunction()
