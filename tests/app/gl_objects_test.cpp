#include "app/gl/gl_objects.h"

#include <array>
#include <cstdint>

#include "app/window/offscreen.h"
#include "core/base/tensor/error.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

/// False, with a warning, where this machine has no OpenGL off screen.
bool has_opengl() {
  try {
    const OffscreenContext context;
    return true;
  } catch (const std::exception& error) {
    WARN("skipped: " << error.what());
    return false;
  }
}

/// Replaces one of glad's functions while this object exists.
template <typename Function>
class Instead {
 public:
  Instead(Function& place, Function with) : place_(place), before_(place) { place_ = with; }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;
  ~Instead() { place_ = before_; }

 private:
  Function& place_;
  Function before_;
};

GLenum GLAD_API_PTR no_memory() { return GL_OUT_OF_MEMORY; }
GLenum GLAD_API_PTR reset() { return GL_UNKNOWN_CONTEXT_RESET_ARB; }

}  // namespace

TEST_CASE(
    "a picture that the graphics driver does not take is an error that says its size, and textures it takes are none") {
  if (!has_opengl()) return;
  const OffscreenContext context;
  const std::array<std::uint32_t, 6> texels{1, 2, 3, 4, 5, 6};
  const GlTexture texture = make_texture(TexelFormat::r32ui, 3, 2, texels.data(), 3);
  update_texture(texture, TexelFormat::r32ui, 3, 1, 1, texels.data(), 3);
  CHECK_THROWS_AS(update_texture(texture, TexelFormat::r32ui, 3, 1, 2, texels.data(), 3),
                  InputError);  // the update is beyond the last row
  CHECK(glGetError() == GL_NO_ERROR);
  const Instead full(glad_glGetError, &no_memory);
  try {
    make_texture(TexelFormat::r32ui, 3, 2, texels.data(), 3);
    FAIL("the texture was created");
  } catch (const InputError& error) {
    const std::string sentence = error.what();
    CHECK(sentence.find("3 x 2") != std::string::npos);
    CHECK(sentence.find("no memory left") != std::string::npos);
  }
}

TEST_CASE("a context that the driver has reset is known as lost") {
  if (!has_opengl()) return;
  const OffscreenContext context;
  CHECK_FALSE(context_is_lost());
  if (GLAD_GL_ARB_robustness == 0) return;
  const Instead lost(glad_glGetGraphicsResetStatusARB, &reset);
  CHECK(context_is_lost());
}
