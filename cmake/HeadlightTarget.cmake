# headlight_target(NAME): the warnings, sanitizers and include root that every target of ours shares.
function(headlight_target name)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_compile_features(${name} PUBLIC cxx_std_20)
  if(MSVC)
    target_compile_options(${name} PRIVATE /W4 /utf-8)
  else()
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wconversion -Wshadow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC 12 takes the inactive alternatives of a moved std::variant for uninitialised reads.
      target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
  if(HEADLIGHT_WERROR)
    set_target_properties(${name} PROPERTIES COMPILE_WARNING_AS_ERROR ON)
  endif()
  if(HEADLIGHT_SANITIZE)
    target_compile_options(${name} PUBLIC -fsanitize=${HEADLIGHT_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${name} PUBLIC -fsanitize=${HEADLIGHT_SANITIZE})
  endif()
endfunction()

# precompile(NAME HEADER…): compiles once what nearly every file of the target includes, about a quarter of its time. Every file still
# includes what it uses: the preset dev builds without.
function(precompile name)
  if(HEADLIGHT_PRECOMPILE AND NOT EMSCRIPTEN)
    target_precompile_headers(${name} PRIVATE <algorithm> <array> <cmath> <functional> <map> <memory> <optional> <string>
      <string_view> <utility> <vector> ${ARGN})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # What GCC 12 sees in <string> without cause, and keeps to itself where the header is a system's own and not precompiled.
      target_compile_options(${name} PRIVATE -Wno-stringop-overflow -Wno-restrict -Wno-array-bounds)
    endif()
  endif()
endfunction()

# ways_of_this_system(LIST): of what is done in two ways, each in a file of its own, the list keeps that of the system it is
# built for: a machine with fontconfig, Pango, Cairo and its own word for its memory, or a page without them; with threads or,
# as most pages, without.
function(ways_of_this_system list)
  set(files ${${list}})
  if(EMSCRIPTEN)
    list(FILTER files EXCLUDE REGEX "_(installed|pango|cairo|system)[.]cpp$")
  else()
    list(FILTER files EXCLUDE REGEX "_(shipped|freetype|page)[.]cpp$")
  endif()
  if(EMSCRIPTEN AND NOT HEADLIGHT_PAGE_THREADS)
    list(FILTER files EXCLUDE REGEX "_threads[.]cpp$")
  else()
    list(FILTER files EXCLUDE REGEX "_turns[.]cpp$")
  endif()
  set(${list} ${files} PARENT_SCOPE)
endfunction()
