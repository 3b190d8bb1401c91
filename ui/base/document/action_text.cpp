#include <tuple>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "ui/base/document/action.h"
#include "ui/base/document/logged_actions.h"
#include "ui/base/document/view.h"
#include "ui/base/document/wanted.h"

namespace headlight {
namespace {

using Json = nlohmann::json;

template <typename T>
Json part_json(const T& part) {
  if constexpr (std::is_enum_v<T>) return static_cast<int>(part);
  else if constexpr (std::is_same_v<T, Cell>) return cell_text(part);
  else return part;
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

}  // namespace headlight
