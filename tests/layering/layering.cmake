# cmake -DROOT=DIR -P layering.cmake: fails if a floor under DIR includes what is above it or beside it.
# The arrows point down: app → ui → core. core knows no window at all; ui knows Dear ImGui, but no platform.
cmake_minimum_required(VERSION 3.25)

set(platform "GL/|GLES[23]?/|OpenGL/|EGL/|KHR/|GLFW/|glad|imgui_impl_|X11/")
set(core_must_not "^(${platform}|imgui|ui/|app/)")
set(ui_must_not "^(${platform}|app/|backends/)")

foreach(floor core ui)
  file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/${floor}/*.cpp ${ROOT}/${floor}/*.h)
  list(LENGTH sources count)
  if(count EQUAL 0)
    message(SEND_ERROR "layering: no sources in ${ROOT}/${floor}; expected the repository's own")
  endif()
  foreach(source IN LISTS sources)
    file(STRINGS ${ROOT}/${source} lines REGEX "^[ \t]*#[ \t]*include")
    foreach(line IN LISTS lines)
      # Ways around the include root, such as "../app/window.h" or <imgui/imgui.h>, are the same include.
      string(REGEX REPLACE "^[ \t]*#[ \t]*include[ \t]*[<\"](\\.\\./)*(imgui/)?([^>\"]*).*" "\\3" header "${line}")
      if(header MATCHES "${${floor}_must_not}")
        message(SEND_ERROR "layering: ${source} includes ${header}; ${floor} must not (see ARCHITECTURE.md)")
      endif()
    endforeach()
  endforeach()
endforeach()
