#include <algorithm>

#include "core/teaching/explain/explain.h"
#include "ui/base/document/view.h"
#include "ui/dialogs/export/export_file.h"
#include "ui/dialogs/open/open_dialog.h"
#include "ui/imgui_compat.h"
#include "ui/parts/matrix/matrix_menu.h"
#include "ui/parts/player/stages.h"
#include "ui/views/lessons/lesson_panel.h"
#include "ui/views/map/map_picture.h"
#include "ui/views/masklab/painting.h"
#include "ui/views/operation/operation.h"
#include "ui/views/registry.h"
#include "ui/window/session/session_state.h"

namespace headlight {
namespace {

using compat::Key;
using compat::pressed;
using compat::pressed_once;

/// The first moment of the next or previous stage, relative to the moment `now`.
int next_stage(const Timeline& timeline, int now) {
  for (const Timeline::Chapter& chapter : timeline.chapters()) {
    if (chapter.first > now) return chapter.first;
  }
  return timeline.count() - 1;
}
int previous_stage(const Timeline& timeline, int now) {
  int before = 0;
  for (const Timeline::Chapter& chapter : timeline.chapters()) {
    if (chapter.first < now) before = chapter.first;
  }
  return before;
}

/// The third button of a presenter remote.
bool types_point() {
  const ImVector<ImWchar>& typed = ImGui::GetIO().InputQueueCharacters;
  return std::find(typed.begin(), typed.end(), ImWchar('.')) != typed.end();
}

/// Whether the stage that is played on the pipeline has a next or previous moment.
bool goes_within_stage(const Frame& frame, bool forward) {
  const View& view = frame.view();
  if (!view.step || level_shown(view) != Level::pipeline) return false;
  for (const Timeline::Chapter& chapter : frame.timeline.chapters()) {
    if (*view.step < chapter.first || *view.step >= chapter.first + chapter.count) continue;
    return forward ? *view.step + 1 < chapter.first + chapter.count : *view.step > chapter.first;
  }
  return false;
}

/// Keys of a presenter remote go through a lesson's steps; in a played stage, first through its moments. Returns
/// whether they were handled.
bool press_lesson_keys(const Frame& frame, bool forward, bool back) {
  if (!forward && !back) return false;
  const Course* course = open_course(frame.document, frame.pictures);
  if (!course || frame.view().kind == ViewKind::lesson) return false;
  const std::size_t step = frame.view().lesson.step;
  if (goes_within_stage(frame, forward)) return false;
  if (forward && step + 1 < course->steps.size()) frame.actions.push_back(GoToStep{step + 1});
  if (back && step > 0) frame.actions.push_back(GoToStep{step - 1});
  return true;
}

/// The view's own keys; returns whether one was pressed.
bool press_view_keys(const Frame& frame) {
  auto* const press = view_entry(frame.view().kind).press;
  return press && press(frame);
}

/// Keys of the step player and of the presentation.
void player_keys(const Frame& frame) {
  const View& view = frame.view();
  const int last = frame.timeline.count() - 1;
  const int now = view.step.value_or(last);
  const bool shift = ImGui::GetIO().KeyShift, free = !frame.focus.shown();  // false: the keys go to the focused control
  const bool forward = (free && pressed(Key::right)) || pressed(Key::page_down) || types_point(),
             back = (free && pressed(Key::left)) || pressed(Key::page_up);
  if (!shift && press_lesson_keys(frame, forward, back)) return;
  const bool first = free && pressed(Key::home), end = free && pressed(Key::end);
  const bool own_arrows = view_entry(view.kind).own_arrows;
  const bool near = level_shown(view) != Level::pipeline;         // there a step is a whole stage, with Shift a row
  const bool gradients = frame.trace()->gradients_of != nullptr;  // nothing of them is played
  if (own_arrows || gradients) {
  } else if (near && !shift) {
    const Timeline& timeline = frame.timeline;
    if (forward)
      frame.show(
          [trace = frame.document.trace, &timeline](View& v) { v = with_next_stage(std::move(v), *trace, timeline); });
    if (back) frame.show([&timeline](View& v) { v = with_last_stage(std::move(v), timeline); });
    if (first) frame.show([&timeline](View& v) { v = with_stage(std::move(v), timeline, 0); });
    if (end)
      frame.show([&timeline](View& v) { v = with_stage(std::move(v), timeline, timeline.chapters().size() - 1); });
  } else {
    const bool stages = shift && !near;
    // Among a presentation's cards the clicker goes from stage to stage, the arrows from moment to moment.
    const bool clicks =
        view.presenting && !near && view.kind == ViewKind::pipeline && !pressed(Key::left) && !pressed(Key::right);
    if (clicks && (forward || back))
      return frame.show([trace = frame.document.trace, &timeline = frame.timeline, forward](View& v) {
        v = with_stage_beside(std::move(v), *trace, timeline, forward);
      });
    if (forward) go_to_moment(frame, !view.step ? 0 : stages ? next_stage(frame.timeline, now) : now + 1);
    if (back) go_to_moment(frame, stages ? previous_stage(frame.timeline, now) : now - 1);
    if (first) go_to_moment(frame, 0);
    if (end) go_to_moment(frame, last);
  }
  const bool own_enter =
      level_shown(view) == Level::sentence;  // handled as its button (ui/views/sentence/sentence_view.cpp)
  if (free && !own_enter && pressed_once(Key::enter) && view.kind == ViewKind::pipeline) {
    frame.show([trace = frame.document.trace, &timeline = frame.timeline](View& v) {
      v = one_level_in(std::move(v), *trace, timeline);
    });
  }
  const bool letters = frame.takes_letters();
  if (letters && pressed_once('a')) frame.actions.push_back(Pin{});
  const bool plays = free && pressed_once(Key::space),
             presents = (letters && pressed_once('p')) || pressed_once(Key::f5),
             blanks = view.presenting && pressed_once('b'), freezes = view.presenting && pressed_once('f');
  const bool notes = !frame.document.origin.lesson.course.empty() && pressed_once('n');
  const bool reaches = letters && !own_arrows && pressed_once('r');
  if (plays && !gradients && !write_next_word(frame)) {
    frame.show([trace = frame.document.trace, &timeline = frame.timeline](View& v) {
      v = with_play_toggled(std::move(v), *trace, timeline);
    });
  }
  if (presents) frame.show([](View& v) { v.presenting = !v.presenting; });
  if (freezes) frame.show([](View& v) { v.frozen = !v.frozen; });
  if (notes) frame.show([](View& v) { v.lesson.notes = !v.lesson.notes; });
  if (blanks) frame.show([](View& v) { v.blank = !v.blank; });
  if (reaches) frame.show([](View& v) { v.reaches = !v.reaches; });
}

/// Full screen starts a presentation. If the window is already full screen, the presentation uses it, and both end
/// together.
void toggle_fullscreen(const Frame& frame) {
  frame.show([](View& v) {
    v.fullscreen = !v.fullscreen;
    v.presenting = v.fullscreen;
  });
}

void toggle(const Frame& frame, Dialog dialog) {
  frame.show([dialog](View& v) { v.dialog = v.dialog == dialog ? Dialog::none : dialog; });
}

void toggle_export(const Frame& frame) {
  if (frame.view().dialog == Dialog::exporting) return toggle(frame, Dialog::exporting);
  frame.show([trace = frame.document.trace, own = frame.document.own](View& v) { open_export_dialog(v, *trace, own); });
}

bool is_list_open() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel); }

/// Cancels one thing, the first of: an open list, keyboard focus of a control, message, menu, dialog, presentation,
/// moment, pinned cell; then goes back to where one came from.
void escape(const Frame& frame) {
  if (is_list_open()) return;  // it closes itself (choice_box)
  if (frame.focus.shown()) return frame.focus.let_go();
  const Document& document = frame.document;
  if (!document.error.empty() || !document.notice.empty()) {
    frame.actions.push_back(DismissMessage{});
    return;
  }
  frame.show([](View& v) {
    if (v.blank) {
      v.blank = false;
    } else if (v.frozen) {
      v.frozen = false;
    } else if (v.menu) {
      v.menu.reset();
    } else if (v.dialog != Dialog::none) {
      v.dialog = Dialog::none;
    } else if (v.levels.guessing.active) {
      v.levels.guessing = {};
    } else if (v.presenting) {
      v.presenting = false;
    } else {
      cancel_in_view(v);
    }
  });
}

/// Keys for the view: V the next view, H the next head (with Shift the previous), Alt and an arrow the next cell.
void look_keys(const Frame& frame) {
  const ImGuiIO& io = ImGui::GetIO();
  const View& view = frame.view();
  if (io.KeyAlt) {
    const Index down = (pressed(Key::down) ? 1 : 0) - (pressed(Key::up) ? 1 : 0),
                right = (pressed(Key::right) ? 1 : 0) - (pressed(Key::left) ? 1 : 0);
    if (down == 0 && right == 0) return;
    frame.show([trace = frame.document.trace, down, right](View& v) {
      Cell cell = v.selected.value_or(Cell{Stage::weights, v.batch, v.head, 0, 0});
      if (!contains(*trace, cell)) return;
      const MatrixView matrix = (*trace)[cell.stage].matrix(0, 0);
      cell.row = std::clamp<Index>(cell.row + (v.selected ? down : 0), 0, matrix.rows - 1);
      cell.col = std::clamp<Index>(cell.col + (v.selected ? right : 0), 0, matrix.cols - 1);
      v = look_at(std::move(v), *trace, cell);
    });
    return;
  }
  const Index step = io.KeyShift ? -1 : 1;
  if (frame.takes_letters() && pressed_once('v')) {
    const auto all = all_views();
    const auto now = std::ranges::find(all, view.kind, &ViewEntry::kind) - all.begin(),
               count = static_cast<std::ptrdiff_t>(all.size());
    frame.show([kind = all[static_cast<std::size_t>((now + step + count) % count)].kind](View& v) { v.kind = kind; });
  }
  const bool own =
      view_entry(view.kind).own_arrows ||
      (view.kind == ViewKind::pipeline && level_shown(view) == Level::sentence);  // these handle the keys themselves
  if (!own && frame.letter('h')) {
    frame.show([heads = frame.trace()->dims().heads, step](View& v) {
      v.head = (v.head + step + heads) % heads;
      if (v.heads.isolated) v.heads.isolated = v.head;
    });
  }
}

}  // namespace

void press_keys(const Frame& frame) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool ctrl = io.KeyCtrl && !io.KeyAlt;  // both together are AltGr, which types characters
  if (ctrl && pressed_once('q')) frame.actions.push_back(Quit{});
  if (ctrl && pressed_once('s')) frame.actions.push_back(AskToSave{Next::stay, io.KeyShift});
  if (ctrl && pressed_once('e') && frame.trace()) toggle_export(frame);
  const bool begins = frame.typing.recovered && frame.typing.tries > 0;  // a field is about to get the keyboard
  if (io.WantTextInput || begins) {
    if (!ctrl && frame.view().dialog == Dialog::none)
      press_lesson_keys(frame, pressed(Key::page_down), pressed(Key::page_up));
    if (frame.view().dialog != Dialog::none && pressed_once(Key::escape)) escape(frame);
    return;
  }
  if (ctrl && pressed('z')) frame.actions.push_back(io.KeyShift ? Action(Redo{}) : Action(Undo{}));
  if (ctrl && pressed('y')) frame.actions.push_back(Redo{});
  if (pressed_once(Key::f11)) toggle_fullscreen(frame);
  if ((io.KeyShift && pressed_once(Key::slash)) || pressed_once(Key::f1)) toggle(frame, Dialog::help);
  if (ctrl && pressed_once('o')) open_dialog(frame);
  if (ctrl && pressed_once('v')) frame.actions.push_back(Paste{});
  if (frame.trace()) press_matrix_keys(frame);
  const bool welcome =
      frame.view().dialog == Dialog::welcome;  // it does not block keys: they apply to what is below it
  if (welcome &&
      (pressed_once(Key::space) || pressed_once(Key::enter) || pressed_once(Key::tab) || pressed(Key::right)))
    frame.show([](View& v) { v.dialog = Dialog::none; });
  if (frame.trace() && !io.KeyCtrl && !io.KeyAlt && (welcome || frame.view().dialog == Dialog::none) &&
      !press_view_keys(frame)) {
    player_keys(frame);
    press_facet_keys(frame);
  }
  if (frame.trace() && ctrl) press_facet_keys(frame);
  if (frame.trace() && !(io.KeyCtrl && io.KeyAlt) && frame.view().dialog == Dialog::none &&
      frame.view().mask_painting.tool == PaintTool::look)
    look_keys(frame);
  if (pressed_once(Key::escape)) escape(frame);
}

}  // namespace headlight
