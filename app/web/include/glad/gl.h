// OpenGL as a page has it, under the name that app/gl includes: WebGL 2 is OpenGL ES 3.0, whose functions are simply
// there.
#pragma once

#include <GLES3/gl3.h>

typedef void (*GLADapiproc)(void);
typedef GLADapiproc (*GLADloadfunc)(const char* name);
