#include "ui/session/keys.h"
#include "ui/document/moment.h"
#include "ui/player/stages.h"

#include "ui/export/export_file.h"
#include "ui/imgui_compat.h"
#include "ui/masklab/painting.h"
#include "ui/matrix/matrix_menu.h"
#include "ui/open/open_dialog.h"

namespace headlight {
namespace {

using compat::Key;
using compat::pressed;

void go_to(const Frame& frame, int moment) { frame.change(at_moment(frame.view(), *frame.trace(), frame.timeline, moment)); }

/// The first moment of the stage after, or before, the one that is computed at `now`.
int next_stage(const Timeline& timeline, int now) {
  for (const Timeline::Chapter& chapter : timeline.chapters()) {
    if (chapter.first > now) return chapter.first;
  }
  return timeline.count() - 1;
}
int last_stage(const Timeline& timeline, int now) {
  int before = 0;
  for (const Timeline::Chapter& chapter : timeline.chapters()) {
    if (chapter.first < now) before = chapter.first;
  }
  return before;
}

/// The step player's and the presentation's.
void player_keys(const Frame& frame) {
  const View& view = frame.view();
  const int last = frame.timeline.count() - 1;
  const int now = view.step.value_or(last);
  const bool shift = ImGui::GetIO().KeyShift, forward = pressed(Key::right) || pressed(Key::page_down), back = pressed(Key::left) || pressed(Key::page_up);
  const bool near = level_shown(view) != Level::pipeline;  // there a step is a whole stage, with Shift a row
  if (near && !shift) {
    if (forward) frame.change(with_next_stage(view, frame.timeline));
    if (back) frame.change(with_last_stage(view, frame.timeline));
    if (pressed(Key::home)) frame.change(with_stage(view, frame.timeline, 0));
    if (pressed(Key::end)) frame.change(with_stage(view, frame.timeline, frame.timeline.chapters().size() - 1));
  } else {
    const bool stages = shift && !near;
    if (forward) go_to(frame, !view.step ? 0 : stages ? next_stage(frame.timeline, now) : now + 1);
    if (back) go_to(frame, stages ? last_stage(frame.timeline, now) : now - 1);
    if (pressed(Key::home)) go_to(frame, 0);
    if (pressed(Key::end)) go_to(frame, last);
  }
  if (pressed(Key::enter) && view.kind == ViewKind::pipeline) frame.change(one_level_in(view, frame));
  if (pressed('a')) frame.actions.push_back(Pin{});
  const bool plays = pressed(Key::space), presents = pressed('p') || pressed(Key::f5) || pressed(Key::f11), blanks = pressed('b');
  const bool reaches = pressed('r');
  if (!plays && !presents && !blanks && !reaches) return;  // a view is copied only to be changed
  View changed = view;
  if (plays) {
    changed.playing = !view.playing;
    if (near) {
      if (changed.playing) changed = with_played_stage(std::move(changed), frame.timeline);
    } else if (changed.playing && now >= last) {
      changed = at_moment(changed, *frame.trace(), frame.timeline, 0);
    }
  }
  if (presents) changed.presenting = !view.presenting;
  if (blanks) changed.blank = !view.blank;
  if (reaches) changed.reaches = !view.reaches;
  frame.change(std::move(changed));
}

void toggle(const Frame& frame, Dialog dialog) {
  View changed = frame.view();
  changed.dialog = changed.dialog == dialog ? Dialog::none : dialog;
  frame.change(std::move(changed));
}

void toggle_export(const Frame& frame) {
  if (frame.view().dialog == Dialog::exporting) return toggle(frame, Dialog::exporting);
  frame.change(open_export_dialog(frame.document));
}

/// Lets go of one thing: the message, the menu, the dialog, the presentation, the moment, at last the pinned cell.
void escape(const Frame& frame) {
  const Document& document = frame.document;
  if (!document.error.empty() || !document.notice.empty()) {
    frame.actions.push_back(DismissMessage{});
    return;
  }
  View changed = document.view;
  if (changed.blank) {
    changed.blank = false;
  } else if (changed.menu) {
    changed.menu.reset();
  } else if (changed.dialog != Dialog::none) {
    changed.dialog = Dialog::none;
  } else if (changed.presenting) {
    changed.presenting = false;
  } else if (changed.kind == ViewKind::mask && changed.mask_painting.tool != PaintTool::look) {
    changed.mask_painting.tool = PaintTool::look;
  } else if (changed.kind == ViewKind::pipeline && changed.looking.level == Level::operation && changed.step) {
    changed = without_moment(std::move(changed));
    changed.looking.level = Level::pipeline;
  } else if (changed.step) {
    changed = without_moment(std::move(changed));
  } else if (changed.kind == ViewKind::pipeline && changed.looking.level == Level::operation) {
    changed.looking.level = Level::pipeline;
  } else if (changed.selected || changed.kind != ViewKind::pipeline) {
    changed.selected.reset();
  } else {
    changed.looking.level = Level::sentence;
  }
  if (!(changed == document.view)) frame.change(std::move(changed));
}

}  // namespace

void press_keys(const Frame& frame) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl && pressed('q')) frame.actions.push_back(Quit{});
  if (io.KeyCtrl && pressed('s')) frame.actions.push_back(AskToSave{Next::stay, io.KeyShift});
  if (io.KeyCtrl && pressed('e') && frame.trace()) toggle_export(frame);
  if (io.WantTextInput) {
    if (frame.view().dialog != Dialog::none && pressed(Key::escape)) escape(frame);
    return;
  }
  if (io.KeyCtrl && pressed('z')) frame.actions.push_back(io.KeyShift ? Action(Redo{}) : Action(Undo{}));
  if (io.KeyCtrl && pressed('y')) frame.actions.push_back(Redo{});
  if (pressed(Key::f11)) frame.actions.push_back(ToggleFullscreen{});
  if ((io.KeyShift && pressed(Key::slash)) || pressed(Key::f1)) toggle(frame, Dialog::help);
  if (io.KeyCtrl && pressed('o')) frame.change(with_open_dialog(frame));
  if (io.KeyCtrl && pressed('v')) frame.actions.push_back(Paste{});
  if (frame.trace()) press_matrix_keys(frame);
  if (frame.trace() && !io.KeyCtrl && !io.KeyAlt && frame.view().dialog == Dialog::none && !press_painting_keys(frame)) player_keys(frame);
  if (pressed(Key::escape)) escape(frame);
}

}  // namespace headlight
