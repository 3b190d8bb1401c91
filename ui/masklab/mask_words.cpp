#include "ui/masklab/mask_words.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace headlight {
namespace {

/// What stands in the places of a template's {0}, {1}, …, in their order; nothing where the text is another sentence.
std::optional<std::vector<std::string>> taken_apart(std::string_view form, std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t slot = form.find('{');
    const std::string_view before = form.substr(0, slot);
    if (!text.starts_with(before)) return std::nullopt;
    text.remove_prefix(before.size());
    if (slot == std::string_view::npos) return text.empty() ? std::optional(parts) : std::nullopt;
    form.remove_prefix(slot + 3);  // "{0}"
    const std::string_view next = form.substr(0, form.find('{'));
    const std::size_t end = next.empty() ? text.size() : form.size() == next.size() ? (text.ends_with(next) ? text.size() - next.size() : std::string_view::npos) : text.find(next);
    if (end == std::string_view::npos) return std::nullopt;
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::string part_in_words(const Words& words, const std::string& text, int depth) {
  static const Words english("en");
  for (int i = 0; depth < 3; ++i) {
    const std::string key = "mask_errors." + std::to_string(i);
    const std::string_view form = english(key);
    if (form == key) break;
    std::optional<std::vector<std::string>> parts = taken_apart(form, text);
    if (!parts) continue;
    for (std::string& part : *parts) part = part_in_words(words, part, depth + 1);
    parts->resize(3);
    return words.fill(key, {(*parts)[0], (*parts)[1], (*parts)[2]});
  }
  return text;
}

}  // namespace

std::string in_words(const Words& words, const std::string& sentence) {
  if (words.language() == "en") return sentence;
  std::string said;
  for (std::size_t from = 0; from <= sentence.size();) {
    const std::size_t end = std::min(sentence.find("; ", from), sentence.size());
    if (!said.empty()) said += words("mask_lab.then");
    said += part_in_words(words, sentence.substr(from, end - from), 0);
    from = end + 2;
  }
  return said;
}

}  // namespace headlight
