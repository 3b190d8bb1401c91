// OpenGL 3.3 on desktops. WebGL is in app/web.
#include <cstdio>

#include "app/gl/gl_objects.h"
#include "core/base/tensor/error.h"

namespace headlight {
namespace {

#ifndef NDEBUG
void GLAD_API_PTR print_debug_message(GLenum, GLenum type, GLuint, GLenum severity, GLsizei, const GLchar* message,
                                      const void*) {
  if (type == GL_DEBUG_TYPE_ERROR || severity == GL_DEBUG_SEVERITY_HIGH) {
    std::fprintf(stderr, "headlight: OpenGL: %s\n", message);
  }
}
#endif

std::string text_of(GLenum name) {
  const auto* text = reinterpret_cast<const char*>(glGetString(name));
  return text ? text : "";
}

}  // namespace

void load_opengl(GLADloadfunc load) {
  const int version = gladLoadGL(load);
  if (version < GLAD_MAKE_VERSION(3, 3)) {
    throw InputError("", "the graphics driver offers " + (version == 0 ? "no OpenGL" : "OpenGL " + text_of(GL_VERSION)),
                     "expected OpenGL 3.3 or newer (Mesa's software rasteriser has it)");
  }
#ifndef NDEBUG
  if (GLAD_GL_KHR_debug) {
    glEnable(GL_DEBUG_OUTPUT);
    glDebugMessageCallback(print_debug_message, nullptr);
  }
#endif
}

bool context_is_lost() { return GLAD_GL_ARB_robustness != 0 && glGetGraphicsResetStatusARB() != GL_NO_ERROR; }

const char* shader_version() { return "#version 330"; }
const char* shader_head() { return "#version 330 core\n"; }

}  // namespace headlight
