#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "app/gl/gl_objects.h"
#include "app/window/offscreen.h"
#include "core/base/tensor/error.h"

namespace headlight {
namespace {

bool offers(EGLDisplay display, const char* extension) {
  const char* all = eglQueryString(display, EGL_EXTENSIONS);
  return all != nullptr && std::strstr(all, extension) != nullptr;
}

/// Mesa's platform without a display; EGL_NO_DISPLAY if the driver has no such platform.
EGLDisplay surfaceless_display() {
  if (!offers(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) return EGL_NO_DISPLAY;
  const auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  return get != nullptr ? get(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr) : EGL_NO_DISPLAY;
}

[[noreturn]] void fail(const char* step) {
  char code[16];
  std::snprintf(code, sizeof code, "0x%x", static_cast<unsigned>(eglGetError()));
  throw InputError("", std::string("EGL cannot draw off screen (") + step + " failed, " + code + ")",
                   "expected a driver with EGL and OpenGL 3.3, such as Mesa's (libegl-mesa0, libgl1-mesa-dri)");
}

EGLConfig choose_config(EGLDisplay display) {
  constexpr EGLint wanted[] = {EGL_SURFACE_TYPE,
                               EGL_PBUFFER_BIT,
                               EGL_RENDERABLE_TYPE,
                               EGL_OPENGL_BIT,
                               EGL_RED_SIZE,
                               8,
                               EGL_GREEN_SIZE,
                               8,
                               EGL_BLUE_SIZE,
                               8,
                               EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) fail("eglChooseConfig");
  return config;
}

}  // namespace

struct OffscreenContext::State {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLSurface surface = EGL_NO_SURFACE;
  EGLContext context = EGL_NO_CONTEXT;

  State() {
    display = surfaceless_display();
    if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr)) return;
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) fail("eglInitialize");
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
    eglTerminate(display);
  }

  void make_context() {
    if (!eglBindAPI(EGL_OPENGL_API)) fail("eglBindAPI");
    const EGLConfig config = choose_config(display);
    const std::array<EGLint, 7> wanted{
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, wanted.data());
    if (context == EGL_NO_CONTEXT) fail("eglCreateContext for OpenGL 3.3");
    if (!offers(display, "EGL_KHR_surfaceless_context")) {
      const std::array<EGLint, 5> tiny{EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
      surface = eglCreatePbufferSurface(display, config, tiny.data());
      if (surface == EGL_NO_SURFACE) fail("eglCreatePbufferSurface");
    }
    if (!eglMakeCurrent(display, surface, surface, context)) fail("eglMakeCurrent");
  }
};

OffscreenContext::OffscreenContext() : state_(std::make_unique<State>()) {
  state_->make_context();
  load_opengl(eglGetProcAddress);
}

OffscreenContext::~OffscreenContext() = default;

}  // namespace headlight
