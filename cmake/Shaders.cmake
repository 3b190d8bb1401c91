# Shaders are part of the program: each NAME.glsl in assets/shaders becomes the constant shader_NAME.
file(GLOB shaders CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/assets/shaders/*.glsl)
set(shader_constants "")
foreach(shader IN LISTS shaders)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${shader})
  get_filename_component(name ${shader} NAME_WE)
  file(READ ${shader} source)
  string(APPEND shader_constants "inline constexpr char shader_${name}[] = R\"glsl(${source})glsl\";\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/shaders.h
     CONTENT "#pragma once\nnamespace headlight {\n@shader_constants@}\n" @ONLY)
