#include "core/export/link_query.h"

#include "core/tensor/error.h"
#include "core/text/utf8.h"

namespace headlight {
namespace {

constexpr std::string_view lesson_prefix = "lesson:", model_prefix = "model:";

int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

bool is_text(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t from = at;
    if (next_character(bytes, at) == U'\uFFFD' && bytes.substr(from, at - from) != "\uFFFD") return false;
  }
  return true;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+') {
      out += ' ';
    } else if (text[at] == '%') {
      const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1,
                low = at + 2 < text.size() ? hex_digit(text[at + 2]) : -1;
      if (high < 0 || low < 0)
        throw InputError("", Message("\"{0}\" in the link has a % without two digits", std::string(text)),
                         "expected %25 for a percent sign");
      out += static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      out += text[at];
    }
  }
  if (!is_text(out)) throw InputError("", "the link holds bytes that are no text", "expected UTF-8");
  return out;
}

/// Takes the part before `mark` off; all of it where there is none.
std::string_view cut(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kept = "-_.~!*(),:;/@";
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || kept.find(c) != std::string_view::npos) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

std::optional<std::string> query_of(const std::vector<std::string>& words) {
  std::string query;
  const auto add = [&](std::string_view part) { query += (query.empty() ? "?" : "&") + std::string(part); };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with(lesson_prefix)) {
      add("lesson=" + percent_encoded(std::string_view(word).substr(lesson_prefix.size())));
    } else if (word.starts_with(model_prefix)) {
      add("model=" + percent_encoded(std::string_view(word).substr(model_prefix.size())));
    } else if (!word.starts_with("--")) {
      return std::nullopt;
    } else if (i + 1 < words.size() && !words[i + 1].starts_with("--")) {
      add(word.substr(2) + "=" + percent_encoded(words[i + 1]));
      ++i;
    } else {
      add(word.substr(2));
    }
  }
  return query;
}

LinkWords words_of_link(std::string_view link) {
  LinkWords read;
  std::string_view query = cut(link, '#');
  if (query.starts_with('?')) query.remove_prefix(1);
  while (!query.empty()) {
    std::string_view part = cut(query, '&');
    const bool has_value = part.find('=') != std::string_view::npos;
    const std::string key = decoded(cut(part, '='));
    if (key.empty() || key == "embed") continue;
    if (key == "file")
      throw InputError("", "a page has no files of its reader's", "expected lesson=…, model=… or settings");
    if (key == "lesson" || key == "model") {
      read.words.insert(read.words.begin(), key + ":" + decoded(part));
      continue;
    }
    read.words.push_back("--" + key);
    if (has_value) read.words.push_back(decoded(part));
  }
  constexpr std::string_view scenario = "scenario=";
  if (link.starts_with(scenario)) read.scenario = decoded(link.substr(scenario.size()));
  return read;
}

}  // namespace headlight
