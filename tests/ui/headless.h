// A window for tests: a Session drawn with ImGui only, with simulated input and a painter that records.
#pragma once

#include <initializer_list>
#include <vector>

#include <imgui.h>

#include "ui/base/frame/matrix_painter.h"
#include "ui/imgui_compat.h"
#include "ui/window/session/session.h"

struct ImRect;

namespace headlight::test {

/// Width of the picture for the export dialog's preview of the view.
inline constexpr int preview_width = 7;

/// Records what was painted in the last frame.
class RecordingPainter : public MatrixPainter {
 public:
  void draw(ImDrawList&, const MatrixQuad& quad) override { quads.push_back(quad); }
  void fill(ImDrawList&, ImVec2, ImVec2, ImU32) override {}
  void image(ImDrawList&, ImVec2, const std::shared_ptr<const Image>& image) override { images.push_back(image); }
  void stretched(ImDrawList&, ImVec2, ImVec2, const std::shared_ptr<const Image>& image) override {
    images.push_back(image);
  }
  std::vector<MatrixQuad> quads;
  std::vector<std::shared_ptr<const Image>> images;
};

class HeadlessWindow {
 public:
  explicit HeadlessWindow(Document start, ImVec2 size = {1600, 900}, RecentFiles recent = RecentFiles());
  HeadlessWindow(const HeadlessWindow&) = delete;
  HeadlessWindow& operator=(const HeadlessWindow&) = delete;

  void frame();
  /// Draws frames until no computation is running and ImGui has settled.
  void settle();
  void move(ImVec2 to);
  void click(ImVec2 at);
  void ctrl_click(ImVec2 at);
  void double_click(ImVec2 at);
  void right_click(ImVec2 at);
  void drag(ImVec2 from, ImVec2 to, int which = 0);
  /// Presses and releases one key; a letter 'a' to 'z', with Ctrl or without.
  void press(compat::Key key) { press_index(compat::index_of(key)); }
  struct Modifiers {
    bool ctrl = false, shift = false, alt = false;
  };
  void press(compat::Key key, Modifiers held);
  /// press_button() presses or releases one button, which the next frame sees. wheel() turns once and draws a frame.
  void press_button(bool down, int which = 0) { button(down, which); }
  void wheel(float turns);
  void press(char letter, Modifiers held);
  void press(char letter, bool ctrl = false) { press(letter, Modifiers{ctrl, false, false}); }
  /// Types into the focused field, then presses Enter.
  void type_and_enter(const char* text);
  void type(const char* text);

  /// The point where the item with this path of ids, in the window of that name, is hovered; (0, 0) if there is none. A
  /// child window is found by the beginning of its name, "canvas/mass".
  ImVec2 find(const char* window, std::initializer_list<const char*> ids);
  /// The middle of a cell of the first painted matrix that shows `stage`; (0, 0) if none does.
  ImVec2 cell(Stage stage, Index row, Index col) const;

  const Document& document() const { return session.document(); }

  /// A hash of everything that ImGui drew in the last frame.
  std::size_t drawn() const;

  RecordingPainter painter;

 private:
  struct Context {
    explicit Context(ImVec2 size);
    ~Context();
    ImGuiContext* imgui;
  };
  void button(bool down, int which = 0);
  /// The point in the rectangle where the item is hovered; (0, 0) if there is none.
  ImVec2 hovered(unsigned int id, const ImRect& within, int columns, float step);
  void hold(Modifiers held);
  void rest();  ///< waits until the next click is not the second of a double-click
  void press_index(compat::KeyIndex key);
  Context context_;

 public:
  Session session;
};

/// A document with "the cat sat on the mat", a causal mask and 4 heads.
Document sentence();
Document random_document(Index queries, Index d_model, Index heads);
Document file_document(const std::string& fixture);

}  // namespace headlight::test
