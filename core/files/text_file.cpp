#include "core/files/text_file.h"

#include "core/files/byte_reader.h"
#include "core/files/load_budget.h"
#include "core/text/utf8_path.h"

namespace headlight {

std::string whole_text(const std::filesystem::path& path, std::uint64_t most, const ErrorPlace& place) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) place.fail("no such file", "the path of one");
  if (!std::filesystem::is_regular_file(path, error)) place.fail("not a regular file", "one that holds text");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) place.fail(Message("cannot be opened: {0}", error.message().c_str()), "a file that can be read");
  if (size > most) place.fail(Message("has {0}", byte_count(size)), Message("at most {0} of text", byte_count(most)));
  std::string text(static_cast<std::size_t>(size), '\0');
  FileReader(path, 0, place).read(std::as_writable_bytes(std::span(text)));
  return text;
}

std::string whole_text(const std::string& path, std::uint64_t most) {
  return whole_text(path_from(path), most, ErrorPlace{path});
}

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
