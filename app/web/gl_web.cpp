// The parts of app/gl that differ in a web page: no functions to load, and another shader language.
#include <emscripten/html5_webgl.h>

#include "app/gl/gl_objects.h"

namespace headlight {

void load_opengl(GLADloadfunc) {}

bool context_is_lost() { return emscripten_is_webgl_context_lost(emscripten_webgl_get_current_context()); }

const char* shader_version() { return "#version 300 es"; }

const char* shader_head() {
  return "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\nprecision highp "
         "usampler2D;\n";
}

}  // namespace headlight
