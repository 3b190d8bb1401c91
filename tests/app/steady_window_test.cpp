#include "app/gl/gl_matrix_painter.h"
#include "app/window/imgui_host.h"
#include "app/window/offscreen.h"
#include "tests/allocations.h"
#include "tests/catch.h"
#include "ui/views/registry.h"
#include "ui/window/session/session.h"

using namespace headlight;

namespace {

constexpr int width = 1280, height = 720;

/// An off-screen window. The order of the members is the order of their construction.
struct Window {
  OffscreenContext context;
  Framebuffer target{width, height};
  ImguiHost host;
  GlMatrixPainter painter;
  Session session;

  explicit Window(Document start) : session(std::move(start), [] {}) { session.wait(); }

  void frame() {
    session.update();
    const bool fonts_changed = session.prepare_fonts(1);
    host.set_frame(width, height);
    host.begin_frame(fonts_changed);
    painter.begin_frame();
    session.draw(painter);
    target.bind();
    host.render(width, height, session.ground());
  }
};

std::unique_ptr<Window> open(const Document& document) {
  try {
    return std::make_unique<Window>(document);
  } catch (const std::exception& error) {
    WARN("skipped: " << error.what());
    return nullptr;
  }
}

}  // namespace

TEST_CASE("steady frames of the whole window upload nothing and allocate nothing, in every view", "[gl]") {
  for (const ViewEntry& view : all_views()) {
    for (const Index queries : {6, 700}) {
      INFO(view.word << " of " << queries);
      Document document;
      document.scenario.source = Source::random;
      document.scenario.queries = queries;
      document.scenario.mask = "causal()";
      document.view.kind = view.kind;
      const auto window = open(document);
      if (!window) return;
      for (int frame = 0; frame < 8; ++frame) window->frame();
      for (int more = 0; more < 200 && !window->session.idle(); ++more)
        window->frame();  // one picture is made per frame
      for (int frame = 0; frame < 4; ++frame) window->frame();
      const std::uint64_t uploads = window->painter.textures().uploads();
      const std::size_t allocations = allocations_of_this_thread();
      for (int frame = 0; frame < 4; ++frame) window->frame();
      CHECK(allocations_of_this_thread() == allocations);
      CHECK(window->painter.textures().uploads() == uploads);
    }
  }
}
