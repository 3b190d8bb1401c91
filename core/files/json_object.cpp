#include "core/files/json_object.h"

#include "core/files/load_budget.h"
#include "core/tensor/message.h"
#include "core/text/json_depth.h"
#include "core/text/utf8_path.h"

namespace headlight {

nlohmann::json read_json_object(const std::filesystem::path& path, const Message& expected, std::uintmax_t most) {
  const ErrorPlace place{utf8_from(path)};
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) place.fail(Message("cannot be opened: {0}", error.message().c_str()), expected);
  if (size > most)
    place.fail(Message("has {0}", byte_count(size)), Message("{0} of {1} at most", expected, byte_count(most)));
  nlohmann::json json = LoadBudget(place).json_of(path, deepest_json);
  if (!json.is_object()) place.fail("is no JSON object", expected);
  return json;
}

}  // namespace headlight
