// The actions as the log has them: a word, and the parts that follow it.
#pragma once

#include <tuple>
#include <type_traits>

#include "ui/base/document/action.h"

namespace headlight {

/// An action's word and its parts, in order; null for actions that leave no line.
template <typename T>
inline constexpr auto logged = nullptr;
#define HEADLIGHT_LOGGED(Type, ...) \
  template <>                       \
  inline constexpr auto logged<Type> = std::make_tuple(__VA_ARGS__);

HEADLIGHT_LOGGED(ChangeSource, "source", &ChangeSource::source)
HEADLIGHT_LOGGED(PatchScenario, "scenario", &PatchScenario::patch, &PatchScenario::gesture)
HEADLIGHT_LOGGED(SetView, "view", &SetView::fields)
HEADLIGHT_LOGGED(OpenFile, "open", &OpenFile::path, &OpenFile::surely)
HEADLIGHT_LOGGED(OpenMask, "open_mask", &OpenMask::path)
HEADLIGHT_LOGGED(Pin, "pin")
HEADLIGHT_LOGGED(Unpin, "unpin")
HEADLIGHT_LOGGED(TakeLayer, "take_layer")
HEADLIGHT_LOGGED(Paste, "paste")
HEADLIGHT_LOGGED(UsePasted, "use_pasted", &UsePasted::use)
HEADLIGHT_LOGGED(Undo, "undo")
HEADLIGHT_LOGGED(Redo, "redo")
HEADLIGHT_LOGGED(CopyText, "copy", &CopyText::text)
HEADLIGHT_LOGGED(TakeMatrix, "take_matrix", &TakeMatrix::cell, &TakeMatrix::what)
HEADLIGHT_LOGGED(ShowError, "error", &ShowError::sentence)
HEADLIGHT_LOGGED(TakeMask, "take_mask", &TakeMask::format)
HEADLIGHT_LOGGED(Export, "export", &Export::path, &Export::replace)
HEADLIGHT_LOGGED(CopyCommand, "copy_command")
HEADLIGHT_LOGGED(CopyLink, "copy_link")
HEADLIGHT_LOGGED(AskToSave, "ask_to_save", &AskToSave::next, &AskToSave::elsewhere)
HEADLIGHT_LOGGED(Save, "save", &Save::path)
HEADLIGHT_LOGGED(DismissMessage, "dismiss")
HEADLIGHT_LOGGED(CompareOwn, "lay_over", &CompareOwn::path)
HEADLIGHT_LOGGED(StopComparing, "take_off")
HEADLIGHT_LOGGED(StopSearch, "stop_search")
HEADLIGHT_LOGGED(GoToStep, "go_to_step", &GoToStep::step)
HEADLIGHT_LOGGED(ResetLessons, "reset_lessons", &ResetLessons::all)
HEADLIGHT_LOGGED(SaveStep, "save_step", &SaveStep::path)
HEADLIGHT_LOGGED(SaveAnswers, "save_answers", &SaveAnswers::path)
HEADLIGHT_LOGGED(Quit, "quit", &Quit::surely)
#undef HEADLIGHT_LOGGED

template <typename T>
inline constexpr bool is_logged = !std::is_null_pointer_v<std::remove_cvref_t<decltype(logged<T>)>>;

}  // namespace headlight
