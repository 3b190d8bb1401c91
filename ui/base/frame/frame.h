// Frame: everything a panel or view may read while it draws, and the list that its actions go into.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <imgui.h>

#include "core/base/text/texts.h"
#include "core/compute/engine/engine.h"
#include "core/compute/engine/long_task.h"
#include "core/compute/engine/tile_store.h"
#include "ui/base/document/action.h"
#include "ui/base/document/document.h"
#include "ui/base/frame/pictures.h"
#include "ui/base/geometry/rect.h"
#include "ui/base/look/fonts.h"
#include "ui/base/look/look.h"
#include "ui/base/look/words.h"
#include "ui/base/timeline/timeline.h"

namespace headlight {

/// Which control has the keyboard. Tab moves to the next control in drawing order, Shift+Tab to the previous one; a
/// ring marks it. Enter or Space press it, arrows move sliders, Esc or the mouse release it.
class KeyboardFocus {
 public:
  /// Call before drawing. `tab_taken`: the active text field uses Tab itself (not Shift+Tab).
  void begin_frame(bool tab_taken);
  /// Between begin_scope() and end_scope() is a dialog: controls drawn before or after it cannot be reached.
  void begin_scope();
  void end_scope() { closed_ = true; }

  /// Registers a control; returns whether it has the keyboard.
  bool visit(ImGuiID control);
  bool at(ImGuiID control) const { return at_ == control; }
  /// Whether Tab moved to this control in this frame.
  bool moved() const { return moved_; }
  /// Whether Enter, Space, Esc and the arrows go to a control.
  bool shown() const { return shown_; }
  /// Releases the keyboard (Esc).
  void let_go() { shown_ = false; }
  /// The mouse pressed this control: Tab continues from here.
  void follow(ImGuiID control) { at_ = control; }
  /// A field that took Tab did not use it: the next frame moves the focus.
  void pass_tab() { passed_ = true; }
  /// Moves the focus to a control from the next frame on.
  void give(ImGuiID control) { given_ = control; }

  /// The ring around the focused control in this frame; none if the control shows focus itself.
  struct Ring {
    Rect rect, clip;
  };
  const std::optional<Ring>& ring() const { return ring_; }
  void draw_ring(const Rect& rect, const Rect& clip) { ring_ = {rect, clip}; }

 private:
  std::vector<ImGuiID> order_, before_;  ///< of this frame; of the previous one
  std::optional<Ring> ring_;
  ImGuiID at_ = 0, given_ = 0;
  std::size_t place_ = 0;  ///< position in the previous frame's order, from where Tab continues if the control is gone
  bool shown_ = false, moved_ = false, closed_ = false, passed_ = false;
};

/// The text of a field, for the journal.
struct TypedLine {
  unsigned int field = 0;  ///< ImGui id
  std::string text;
  bool operator==(const TypedLine&) const = default;
};

struct Typing {
  unsigned int field = 0;  ///< ImGui id
  int frame = -1;          ///< the last frame in which it had the keyboard
  std::string text;
  bool edited = false;     ///< since it got the keyboard
  bool takes_tab = false;  ///< it uses Tab for completion
  std::string buffer;      ///< buffer shared by all fields, to avoid allocations

  std::optional<TypedLine> recovered;  ///< recovered text, put back when its field is drawn
  int tries = 0;                       ///< frames in which that was tried
};

class MatrixPainter;
class RecentFiles;

/// The document's name: the lesson's title, the file's name, or the sentence; "" for random input.
std::string_view document_name(const Document& document, const Words& words);

struct Frame {
  const Document& document;
  const Look& look;
  const Fonts& fonts;
  const Words& words;
  MatrixPainter& painter;
  Pictures& pictures;  ///< cache of what was computed to be drawn
  const Progress& progress;
  Actions& actions;
  float u = 1;  ///< pixels per point

  const Timeline& timeline;
  const RecentFiles& recent;
  Typing& typing;
  KeyboardFocus& focus;
  TileStore& tiles;      ///< tiles of the map's matrix
  LayersJoiner& joiner;  ///< rollout and flow
  LongTask& task;        ///< the long computation that the user can stop

  const View& view() const { return document.view; }
  /// The cell under the pointer, else the pinned one; none if the step player has not computed it yet.
  std::optional<Cell> looked_at() const;
  /// How much of the stage is computed at the current moment of the step player.
  Shown shown(Stage stage) const;
  /// Whether the run has this cell, and the step player has computed it.
  bool shows(const Cell& cell) const;
  /// The number of computed rows.
  Index rows_shown(Stage stage) const;
  const Trace* trace() const { return document.trace.get(); }

  /// Whether a key is a shortcut: nothing is typed into, no dialog is open, and neither Ctrl nor Alt is held.
  bool takes_shortcuts() const;
  /// Whether the sentence is shown with its field: there, letters are typed.
  bool types_words() const;
  /// Whether single letters are shortcuts. Outside a presentation, they are not in the sentence and in lessons.
  bool takes_letters() const;
  /// Whether a letter's shortcut is pressed: the letter alone where it is one, with Ctrl everywhere.
  bool letter(char letter) const;

  /// The width in pixels of one line of text, in type of so many points.
  float width(Face face, float points, std::string_view text) const;
  /// Writes it into ImGui's current window, its upper left corner at `at`.
  void write(Face face, float points, ImVec2 at, ImU32 colour, std::string_view text) const;
  /// The same, cut to `most` pixels.
  void write_elided(Face face, float points, ImVec2 at, ImU32 colour, std::string_view text, float most) const;

  /// The cached T of the current trace and view; `make` runs again when one of the inputs changes.
  template <typename T, typename Make, typename... Keys>
  T& picture(Make&& make, const Keys&... also) const {
    return keyed([&](const auto&... parts) -> T& { return pictures.get<T>(make, parts...); }, also...);
  }

  /// The same, kept under the type of `make` (Pictures::kept).
  template <typename Make, typename... Keys>
  auto& kept(const Make& make, const Keys&... also) const {
    return keyed(
        [&](const auto&... parts) -> auto& { return pictures.kept(make, parts...); }, also...);
  }

  /// The same for pictures that follow the pointer (Pictures::get_at): `at` is what is under it.
  template <typename T, typename At, typename Make, typename... Keys>
  T& picture_at(const At& at, Make&& make, const Keys&... also) const {
    return keyed([&](const auto&... parts) -> T& { return pictures.get_at<T>(at, make, parts...); }, also...);
  }
  template <typename At, typename Make, typename... Keys>
  auto& kept_at(const At& at, const Make& make, const Keys&... also) const {
    return keyed(
        [&](const auto&... parts) -> auto& { return pictures.kept_at(at, make, parts...); }, also...);
  }

  /// Pushes a change of the scenario or the view. It is applied after drawing, in order, on the then current value, so
  /// that changes of one frame do not overwrite each other. It must capture values, not references. `gesture` as in
  /// EditScenario.
  void edit(std::string gesture, std::function<void(Scenario&)> change) const {
    actions.push_back(EditScenario{std::move(change), std::move(gesture)});
  }
  void show(std::function<void(View&)> change) const { actions.push_back(EditView{std::move(change)}); }
  /// Says what is under the pointer now.
  template <typename T>
  void point(std::optional<T> Pointed::*part, const std::type_identity_t<std::optional<T>>& now) const {
    if (view().pointed.*part != now) actions.push_back(Hover{PointedPart<T>{part, now}});
  }

 private:
  /// use(what every picture of the trace and view depends on…, also…)
  template <typename Use, typename... Keys>
  auto& keyed(const Use& use, const Keys&... also) const {
    const View& v = view();
    return use(document.trace, v.batch, v.head, v.theme, v.colormap, v.range, v.norm, v.language, v.presenting, u,
               also...);
  }
};

/// Moves the step player to a moment of the timeline.
void go_to_moment(const Frame& frame, int moment);

/// The view's measure if the trace has contribution norms, else the weights.
HeadMeasure measure_shown(const Trace& trace, const View& view);
/// For weights, the stage that the measure reads; any other stage unchanged.
Stage measured_stage(const Trace& trace, const View& view, Stage stage);
/// The stage's numbers; for contribution_norms their shares if the view shows those.
Tensor numbers_shown(const Frame& frame, Stage stage);
/// Keys of the measures' names in the translations.
inline constexpr const char* measure_keys[] = {"measure.weight", "measure.arrives", "measure.share"};

/// The lines with " / " between them, cached.
const std::string& in_one_line(const Frame& frame, const std::string& lines);
/// The reverse. A " / " at the end stays, since nothing is typed after it yet.
std::string as_lines(std::string text);

/// Whether the current press, or the one released in this frame, moved too far for a click.
inline bool was_dragged(const Frame& frame) {
  const float slack = 6 * frame.u;  // pixels that the pointer may move during a click
  return ImGui::GetIO().MouseDragMaxDistanceSqr[0] > slack * slack;
}
/// Whether the left button is held and the pointer has moved.
inline bool is_dragging(const Frame& frame) { return ImGui::IsMouseDown(ImGuiMouseButton_Left) && was_dragged(frame); }

}  // namespace headlight
