#include "ui/base/look/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/base/assets/assets.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"

namespace headlight {
namespace {

void flatten(const nlohmann::json& node, const std::string& path, auto& table) {  // replaces existing entries
  for (const auto& [key, value] : node.items()) {
    const std::string name = path.empty() ? key : path + "." + key;
    if (value.is_object()) {
      flatten(value, name, table);
    } else {
      table.insert_or_assign(name, value.template get<std::string>());
    }
  }
}

void read_words(const std::string& language, auto& table) {
  const std::filesystem::path path = asset("translations/" + language + ".json");
  std::ifstream file(path);
  try {
    flatten(nlohmann::json::parse(file), "", table);
  } catch (const nlohmann::json::exception& error) {
    throw FileError(path.string(), Message("not a table of words ({0})", error.what()),
                    "expected a JSON object of strings");
  }
}

}  // namespace

Words::Words(const std::string& language) : language_(language) {
  const std::vector<std::string> known = list_languages();
  if (std::find(known.begin(), known.end(), language) == known.end()) {
    std::string names;
    for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
    throw SettingError("--language", Message("no language \"{0}\"", language), Message("expected one of {0}", names));
  }
  if (language != "en") read_words("en", table_);  // untranslated texts stay English
  read_words(language, table_);
}

const char* Words::operator()(std::string_view key) const {
  const auto found = table_.find(key);
  if (found != table_.end()) return found->second.c_str();
  const auto missing = missing_.find(key);
  return (missing != missing_.end() ? missing : missing_.emplace(key).first)->c_str();
}

std::string Words::fill(std::string_view key, std::initializer_list<Value> values) const {
  const std::string_view form = (*this)(key);
  std::string text;
  for (std::size_t at = 0; at < form.size(); ++at) {
    const std::size_t number = at + 2 < form.size() ? static_cast<std::size_t>(form[at + 1] - '0') : values.size();
    const bool slot = form[at] == '{' && number < values.size() && form[at + 2] == '}';
    if (slot) text += values.begin()[number].text(), at += 2;
    else text += form[at];
  }
  return text;
}

std::string Words::translate(const Message& message) const {
  return message.translated([this](const std::string& english) {
    const auto found = table_.find("errors." + english);
    return found == table_.end() ? nullptr : &found->second;
  });
}

std::string Words::in_window(std::string_view sentence) const {
  const auto key_of = [](std::string name) -> std::string {
    if (name == "from" || name == "word") return "network.patch_" + name;
    std::ranges::replace(name, '-', '_');
    return "settings." + name;
  };
  const auto is_chinese = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };  // or a byte of one
  std::string text;
  for (std::size_t at; (at = sentence.find("--")) != std::string_view::npos;) {
    const std::size_t end = sentence.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at);
    const std::string option(sentence.substr(at, end == std::string_view::npos ? end : end - at)),
        key = key_of(option.substr(2));
    text += sentence.substr(0, at);
    sentence.remove_prefix(at + option.size());
    if (!has(key)) {
      text += option;
      continue;
    }
    // Chinese has no spaces around a quotation.
    if (text.size() > 1 && text.back() == ' ' && is_chinese(text[text.size() - 2])) text.pop_back();
    text += std::string("“") + (*this)(key) + "”";
    if (sentence.starts_with(" \"")) text += " =";  // --mask "causal()"
    if (sentence.size() > 1 && sentence.front() == ' ' && is_chinese(sentence[1])) sentence.remove_prefix(1);
  }
  return text + std::string(sentence);
}

std::string Words::all_text() const {
  std::string text;
  for (const auto& [key, value] : table_) text += value;
  return text;
}

std::string language_name(const std::string& language) {
  try {
    const Words words(language);
    const std::string name = words("top.this_language");
    return name.empty() || name == Words("en")("top.this_language") ? language == "en" ? name : language : name;
  } catch (const std::exception&) {  // a damaged file causes an error when it is chosen
    return language;
  }
}

std::vector<std::string> list_languages() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(asset("translations"))) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string_view stage_words(const Words& words, Stage stage) {
  static const std::array<std::string, matrix_count> keys = [] {
    std::array<std::string, matrix_count> made;
    for (std::size_t i = 0; i < matrix_count; ++i) made[i] = "stages." + std::string(name(static_cast<Stage>(i)));
    return made;
  }();
  return words(keys[static_cast<std::size_t>(stage)]);
}

std::string with_minus(std::string text) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 1)) {
    const std::string_view rest = std::string_view(text).substr(at + 1);
    const bool number = !rest.empty() && (std::isdigit(static_cast<unsigned char>(rest.front())) != 0 ||
                                          rest.front() == '.' || rest.starts_with("∞"));
    constexpr std::string_view before = " ([,:=/<>+*";
    const bool begins = at == 0 || before.find(text[at - 1]) != std::string_view::npos ||
                        (static_cast<unsigned char>(text[at - 1]) & 0x80U) != 0;  // a sign such as × or ±
    if (number && begins) text.replace(at, 1, "−");
  }
  return text;
}

std::string number_text(float value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  const float size = std::abs(value);
  const bool scientific = size != 0 && (size < 1e-3f || size >= 1e5f);
  std::string result = scientific ? formatted("%.*e", std::max(digits - 1, 0), static_cast<double>(value))
                                  : formatted("%.*f", digits, static_cast<double>(value));
  for (std::size_t at = result.find('-'); at != std::string::npos; at = result.find('-', at + 3))
    result.replace(at, 1, "−");  // also in the exponent
  return result;
}

std::string bound_text(float value) {
  const float size = std::abs(value);
  if (size > 0 && size < 0.00995f) {  // two decimals would call it zero
    const std::string digits = formatted("%.2g", static_cast<double>(size));
    return value < 0 ? "−" + digits : digits;
  }
  return number_text(value, size >= 9.95f || size == 0 ? 0 : size >= 0.995f ? 1 : 2);
}

std::string grouped(long long count) {
  std::string text = std::to_string(count);
  const std::size_t sign = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > sign + 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace headlight
