# What `cmake --install` installs for programs that link with the computation: find_package(headlight), headlight::core.
# The archive is made of the objects of headlight_core: it needs no Cairo, Pango, Fontconfig, ImGui or window. The component is "Library", which the packages of a program leave out.
include(CMakePackageConfigHelpers)

# public_headers(LIST HEADER): the header and all of our headers that it includes, as paths from the root.
function(public_headers list header)
  set(found ${${list}})
  if(NOT header IN_LIST found)
    list(APPEND found ${header})
    file(STRINGS ${CMAKE_SOURCE_DIR}/${header} lines REGEX "^#include \"core/")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${header})
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
      public_headers(found ${included})
    endforeach()
  endif()
  set(${list} ${found} PARENT_SCOPE)
endfunction()

add_library(headlight_library STATIC $<TARGET_OBJECTS:headlight_core>)
set_target_properties(headlight_library PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME headlight EXPORT_NAME core)
target_compile_features(headlight_library INTERFACE cxx_std_20)
target_include_directories(headlight_library INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/headlight>)
target_link_libraries(headlight_library INTERFACE Threads::Threads PkgConfig::LIBZIP PkgConfig::UTF8PROC PkgConfig::PCRE2 PNG::PNG ZLIB::ZLIB
  $<$<BOOL:${JPEG_FOUND}>:PkgConfig::JPEG>)
if(HEADLIGHT_SANITIZE)
  target_link_options(headlight_library INTERFACE -fsanitize=${HEADLIGHT_SANITIZE})
endif()
add_library(headlight::core ALIAS headlight_library)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/headlight)
set(written ${CMAKE_BINARY_DIR}/library)
configure_file(${CMAKE_SOURCE_DIR}/cmake/version.h.in ${written}/version.h @ONLY)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/headlightConfig.cmake.in ${written}/headlightConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${written}/headlightConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS headlight_library EXPORT headlightTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Library)
install(EXPORT headlightTargets NAMESPACE headlight:: DESTINATION ${package} COMPONENT Library)
install(FILES ${written}/headlightConfig.cmake ${written}/headlightConfigVersion.cmake DESTINATION ${package} COMPONENT Library)
install(FILES ${CMAKE_SOURCE_DIR}/core/headlight.h ${written}/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/headlight COMPONENT Library)
public_headers(headers core/headlight.h)
list(REMOVE_ITEM headers core/headlight.h)
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${CMAKE_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/headlight/${folder} COMPONENT Library)
endforeach()
