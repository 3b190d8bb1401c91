#include "core/base/files/load_budget.h"

#include <algorithm>

#include "core/base/files/byte_reader.h"
#include "core/base/tensor/memory.h"
#include "core/base/tensor/message.h"
#include "core/base/text/utf8_path.h"

namespace headlight {
namespace {

/// The LoadBudget::Counts of the WholeLoad that this thread is in.
std::shared_ptr<void>& counts_of_load() {
  static thread_local std::shared_ptr<void> counts;
  return counts;
}

}  // namespace

LoadBudget::LoadBudget(ErrorPlace place)
    : place_(std::move(place)),
      most_bytes_(static_cast<std::uint64_t>(std::clamp(memory_budget() / 8, 128e6, 256e6))),
      counts_(std::static_pointer_cast<Counts>(counts_of_load())) {
  if (!counts_) counts_ = std::make_shared<Counts>();
}

WholeLoad::WholeLoad() : before_(std::static_pointer_cast<LoadBudget::Counts>(counts_of_load())) {
  if (!before_) counts_of_load() = std::make_shared<LoadBudget::Counts>();
}

WholeLoad::~WholeLoad() { counts_of_load() = before_; }

bool LoadBudget::fits(std::uint64_t& used, std::uint64_t count, std::uint64_t most) {
  constexpr unsigned calls_between_checks = 4096;
  if (++counts_->calls % calls_between_checks == 0 && std::chrono::steady_clock::now() > counts_->end)
    place_.fail(Message("takes more than {0} seconds to read", most_time.count()), "a smaller file");
  if (count > most - used) return false;
  used += count;
  return true;
}

void LoadBudget::bytes(std::uint64_t count) {
  if (!fits(counts_->bytes, count, most_bytes_))
    place_.fail(Message("makes more than {0} of text and tables", byte_count(most_bytes_)), "a smaller file");
}

void LoadBudget::strings(std::uint64_t count) {
  if (!fits(counts_->strings, count, most_strings))
    place_.fail(Message("holds more than {0} strings", most_strings), "fewer");
}

void LoadBudget::arrays(std::uint64_t count) {
  if (!fits(counts_->arrays, count, most_arrays))
    place_.fail(Message("holds more than {0} arrays", most_arrays), "fewer");
}

void LoadBudget::tokens(std::uint64_t count) {
  if (!fits(tokens_, count, most_tokens))
    place_.fail(Message("makes more than {0} tokens of a line", most_tokens), "fewer");
}

std::string LoadBudget::text_of(const std::filesystem::path& path) {
  std::string text = whole_text(path, most_bytes_ / 4, place_);
  bytes(text.size());
  return text;
}

nlohmann::json LoadBudget::json_of(const std::filesystem::path& path, int deepest) {
  const std::string text = text_of(path);
  if (nested_deeper_than(text, deepest)) place_.fail(Message("is nested more than {0} deep", deepest));
  // The memory of nlohmann's values: for each value, for each list or object, and for each key.
  constexpr std::uint64_t value = 24, container = 80, key = 64;
  std::uint64_t total = 0;
  for (const char c : text) { total += c == ',' ? value : c == '[' || c == '{' ? container : c == ':' ? key : 0; }
  bytes(total);
  return nlohmann::json::parse(text, nullptr, false);
}

std::string whole_text(const std::filesystem::path& path, std::uint64_t most, const ErrorPlace& place) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) place.fail("no such file", "the path of a file");
  if (!std::filesystem::is_regular_file(path, error)) place.fail("not a regular file", "one that holds text");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) place.fail(Message("cannot be opened: {0}", error.message().c_str()), "a file that can be read");
  if (size > most) place.fail(Message("has {0}", byte_count(size)), Message("at most {0} of text", byte_count(most)));
  std::string text(static_cast<std::size_t>(size), '\0');
  FileReader(std::make_shared<const OpenFile>(path, place), 0, place).read(std::as_writable_bytes(std::span(text)));
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
