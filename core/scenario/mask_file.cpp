#include "core/scenario/mask_file.h"

#include "core/files/mask_arrays.h"
#include "core/mask/expression.h"
#include "core/scenario/lesson_markdown.h"
#include "core/scenario/state_dict.h"
#include "core/scenario/tensor_file.h"
#include "core/tensor/error.h"

namespace headlight {

bool is_mask_file(const std::string& path, bool wanted) {
  const std::filesystem::path file = path_from(path);
  if (is_mask_name(file)) return true;
  if (!wanted || path.starts_with("lesson:") || file.extension() == ".json" || is_markdown(path)) return false;
  try {
    return find_attentions(*open_mask_arrays(file)).empty();
  } catch (const InputError&) { return false; }
}

Scenario with_mask_file(Scenario scenario, const std::string& path) {
  scenario.mask_file = path;
  const bool names_it = !scenario.mask.empty() && MaskExpression::parse(scenario.mask).calls("file");
  if (!names_it) scenario.mask = "file()";
  return scenario;
}

}  // namespace headlight
