#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/tensor/error.h"
#include "ui/document/action.h"
#include "ui/document/view_fields.h"
#include "ui/document/wanted.h"

namespace headlight {
namespace {

using Json = nlohmann::json;

/// An action's word and its parts, in order.
template <typename T>
constexpr auto logged = nullptr;
#define HEADLIGHT_LOGGED(Type, ...) \
  template <>                       \
  constexpr auto logged<Type> = std::make_tuple(__VA_ARGS__);

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
Json part_json(const T& part) {
  if constexpr (std::is_enum_v<T>) return static_cast<int>(part);
  else if constexpr (std::is_same_v<T, Cell>) return cell_text(part);
  else return part;
}

template <typename T>
void read_part(T& part, const Json& json) {
  if constexpr (std::is_enum_v<T>) part = static_cast<T>(json.get<int>());
  else if constexpr (std::is_same_v<T, Cell>) part = parse_cell("a logged action", json.get<std::string>());
  else part = json.get<T>();
}

template <typename T>
std::string line_of(const T& action) {
  return std::apply(
      [&](const char* word, auto... parts) {
        Json list = Json::array();
        (list.push_back(part_json(action.*parts)), ...);
        const std::string text = list.dump(-1, ' ', false, Json::error_handler_t::replace);
        return word + (list.empty() ? std::string() : " " + text);
      },
      logged<T>);
}

template <typename T>
constexpr bool is_logged = !std::is_null_pointer_v<std::remove_cvref_t<decltype(logged<T>)>>;

/// The action of type T where the word is its.
template <typename T>
std::optional<Action> read_as(const std::string& word, const Json& list) {
  if constexpr (!is_logged<T>) {
    return {};
  } else {
    if (word != std::get<0>(logged<T>)) return {};
    T action{};
    std::apply(
        [&](const char*, auto... parts) {
          std::size_t i = 0;
          (read_part(action.*parts, list.at(i++)), ...);
        },
        logged<T>);
    return action;
  }
}

template <std::size_t... I>
std::optional<Action> read_any(const std::string& word, const Json& list, std::index_sequence<I...>) {
  std::optional<Action> found;
  ((found = found ? found : read_as<std::variant_alternative_t<I, Action>>(word, list)), ...);
  return found;
}

}  // namespace

std::string action_text(const Action& action, const Scenario& scenario, const View& view, const Document& after) {
  if (const auto* edit = std::get_if<EditScenario>(&action)) {
    if (after.scenario == scenario) return {};
    return line_of(PatchScenario{scenario_patch(scenario, after.scenario), edit->gesture});
  }
  if (std::holds_alternative<EditView>(action)) {
    const std::string fields = view_fields(after.view, view);
    return fields.empty() ? fields : line_of(SetView{fields});
  }
  return std::visit(
      []<typename T>(const T& each) {
        if constexpr (is_logged<T>) return line_of(each);
        else return std::string();
      },
      action);
}

Action read_action(const std::string& line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const Json list = blank < line.size() ? Json::parse(line.substr(blank + 1), nullptr, false) : Json::array();
  try {
    if (auto action = read_any(line.substr(0, blank), list, std::make_index_sequence<std::variant_size_v<Action>>()))
      return std::move(*action);
  } catch (const nlohmann::json::exception&) {  // not its parts
  }
  throw InputError(Message("\"{0}\"", line), "is no logged action");
}

}  // namespace headlight
