#include "app/gl/gl_objects.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "core/tensor/error.h"

namespace headlight {
namespace {

struct TransferFormat {
  GLint internal;
  GLenum format, type;
};

TransferFormat transfer(TexelFormat format) {
  switch (format) {
    case TexelFormat::r32ui: return {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT};
    case TexelFormat::rgba8: break;
  }
  return {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
}

/// Sets how texels lie in our memory, and sets it back.
class UnpackLayout {
 public:
  explicit UnpackLayout(int texels_a_row) {
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, texels_a_row);
  }
  UnpackLayout(const UnpackLayout&) = delete;
  UnpackLayout& operator=(const UnpackLayout&) = delete;
  ~UnpackLayout() {
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  }
};

GlShader compile(GLenum type, const char* source) {
  GlShader shader(glCreateShader(type));
  glShaderSource(shader.id(), 1, &source, nullptr);
  glCompileShader(shader.id());
  GLint good = GL_FALSE;
  glGetShaderiv(shader.id(), GL_COMPILE_STATUS, &good);
  if (good == GL_TRUE) return shader;
  char log[1024] = "";
  glGetShaderInfoLog(shader.id(), sizeof log, nullptr, log);
  throw std::runtime_error(std::string("a shader does not compile: ") + log);
}

}  // namespace

std::string opengl_renderer() {
  const auto* text = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return text ? text : "";
}

void delete_texture(GLuint id) { glDeleteTextures(1, &id); }
void delete_program(GLuint id) { glDeleteProgram(id); }
void delete_shader(GLuint id) { glDeleteShader(id); }
void delete_framebuffer(GLuint id) { glDeleteFramebuffers(1, &id); }

namespace {

/// A texture that was not taken is drawn as nothing, or as what was there before.
void check_upload(int width, int height) {
  const GLenum error = glGetError();
  if (error == GL_NO_ERROR) return;
  const std::string size = std::to_string(width) + " x " + std::to_string(height);
  throw InputError(
      "",
      "the graphics driver did not take a picture of " + size + " texels (" +
          (error == GL_OUT_OF_MEMORY ? std::string("it has no memory left") : "error " + std::to_string(error)) + ")",
      "expected fewer matrices on screen, or a smaller window");
}

}  // namespace

GlTexture make_texture(TexelFormat format, int width, int height, const void* texels, int texels_a_row) {
  GLuint id = 0;
  glGenTextures(1, &id);
  GlTexture texture(id);
  glBindTexture(GL_TEXTURE_2D, id);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  const UnpackLayout layout(texels_a_row);
  const TransferFormat as = transfer(format);
  glTexImage2D(GL_TEXTURE_2D, 0, as.internal, width, height, 0, as.format, as.type, texels);
  glBindTexture(GL_TEXTURE_2D, 0);
  if (texels != nullptr) check_upload(width, height);
  return texture;
}

void update_texture(const GlTexture& texture, TexelFormat format, int width, int first_row, int height,
                    const void* texels, int texels_a_row) {
  glBindTexture(GL_TEXTURE_2D, texture.id());
  const UnpackLayout layout(texels_a_row);
  const TransferFormat as = transfer(format);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, first_row, width, height, as.format, as.type, texels);
  glBindTexture(GL_TEXTURE_2D, 0);
  check_upload(width, height);
}

int max_texture_size() {
  GLint size = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &size);
  return size;
}

GlProgram make_program(const char* vertex_source, const char* fragment_source,
                       std::span<const AttributeLocation> attributes) {
  const GlShader vertex = compile(GL_VERTEX_SHADER, vertex_source);
  const GlShader fragment = compile(GL_FRAGMENT_SHADER, fragment_source);
  GlProgram program(glCreateProgram());
  glAttachShader(program.id(), vertex.id());
  glAttachShader(program.id(), fragment.id());
  for (const AttributeLocation& each : attributes) glBindAttribLocation(program.id(), each.location, each.name);
  glLinkProgram(program.id());
  GLint good = GL_FALSE;
  glGetProgramiv(program.id(), GL_LINK_STATUS, &good);
  if (good == GL_TRUE) return program;
  char log[1024] = "";
  glGetProgramInfoLog(program.id(), sizeof log, nullptr, log);
  throw std::runtime_error(std::string("a shader program does not link: ") + log);
}

Framebuffer::Framebuffer(int width, int height)
    : width_(width), height_(height), colour_(make_texture(TexelFormat::rgba8, width, height, nullptr, 0)) {
  GLuint id = 0;
  glGenFramebuffers(1, &id);
  framebuffer_ = GlHandle<delete_framebuffer>(id);
  bind();
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour_.id(), 0);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw InputError(
        "--size", "the graphics driver cannot draw " + std::to_string(width) + "x" + std::to_string(height) + " pixels",
        "expected a smaller picture");
  }
}

void Framebuffer::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id()); }

Image Framebuffer::read() const {
  bind();
  return read_pixels(width_, height_);
}

Image read_pixels(int width, int height) {
  Image image(width, height);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  const auto row = static_cast<std::ptrdiff_t>(width) * 4;
  for (int y = 0; y < height / 2; ++y) {
    const auto top = image.rgba.begin() + y * row;
    std::swap_ranges(top, top + row, image.rgba.begin() + (height - 1 - y) * row);
  }
  for (std::size_t alpha = 3; alpha < image.rgba.size(); alpha += 4) image.rgba[alpha] = 255;
  return image;
}

}  // namespace headlight
