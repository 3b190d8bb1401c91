# headlight_glad: an OpenGL 3.3 core loader, written at build time by glad's own generator from the specification that
# it ships (--reproducible: no network).
function(find_glad out)
  foreach(python IN ITEMS "${HEADLIGHT_GLAD_PYTHON}" python3 /usr/bin/python3 python)
    if(NOT python)
      continue()
    endif()
    execute_process(COMMAND ${python} -c "import glad.generator.c"
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(${out} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "No Python with glad 2 was found; install python3-glad, or name one by HEADLIGHT_GLAD_PYTHON")
endfunction()

set(HEADLIGHT_GLAD_PYTHON "" CACHE FILEPATH "A Python interpreter that has glad 2; empty: search")
find_glad(glad_python)
set(glad_dir ${CMAKE_BINARY_DIR}/glad)
add_custom_command(
  OUTPUT ${glad_dir}/src/gl.c ${glad_dir}/include/glad/gl.h ${glad_dir}/include/KHR/khrplatform.h
  COMMAND ${glad_python} -m glad --api gl:core=3.3 --extensions GL_KHR_debug,GL_ARB_robustness --reproducible --quiet
          --out-path ${glad_dir} c
  COMMENT "Generating the OpenGL loader"
  VERBATIM)
add_library(headlight_glad STATIC ${glad_dir}/src/gl.c)
target_include_directories(headlight_glad SYSTEM PUBLIC ${glad_dir}/include)
