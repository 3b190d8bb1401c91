#include "core/figures/export/command_words.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/network_trace.h"
#include "core/models/architecture/model_folder.h"
#include "core/scenario/inputs/tensor_file.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

using Words = std::optional<std::vector<std::string>>;

std::string absolute(const std::string& path) {
  if (is_model_name(path)) return path;
  std::error_code error;
  const std::string whole = utf8_from(std::filesystem::absolute(path_from(path), error));
  return error ? path : whole;
}

/// Whether the scenario reads its text. A network of pictures does so only to compare them with texts.
bool is_text_read(const Scenario& scenario) {
  if (scenario.source == Source::text) return true;
  try {
    const auto network = find_network(scenario);
    return network && (!network->spec().picture || scenario.text_as_input);
  } catch (const InputError&) {
    return true;  // running it shows the error message
  }
}

Words words_from(const std::string& first, const Scenario& from, const Scenario& to) {
  if (from.source != to.source || (to.source == Source::file && from.file != to.file)) return {};
  Scenario start = from;  // settings that this source does not read do not matter
  start.file = to.file;
  const bool reads_text = is_text_read(to);
  if (!reads_text) start.text = to.text;
  Words words = settings_between(start, to);
  // A model has a default text of its own, so the text must be given.
  if (words && to.source == Source::file && reads_text && std::ranges::find(*words, "--text") == words->end())
    words->insert(words->begin(), {"--text", to.text});
  if (words && !first.empty()) words->insert(words->begin(), first);
  return words;
}

Words shortest_of(Words a, Words b) {
  if (!a || !b) return a ? a : b;
  return b->size() < a->size() ? b : a;
}

/// Whether it is a letter or digit of ASCII or one of `signs`.
bool is_plain(char c, std::string_view signs) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || signs.find(c) != std::string_view::npos;
}

}  // namespace

std::optional<std::vector<std::string>> source_words(const Scenario& scenario, const ScenarioOrigin& origin) {
  const Scenario& began = origin.lesson.scenario;
  Words words;
  if (!origin.file.empty()) words = words_from(absolute(origin.file), began, scenario);
  const std::string& id = origin.lesson.id;
  if (!words && !id.empty()) words = words_from("lesson:" + id, began, scenario);
  Scenario plain;
  plain.source = scenario.source;
  plain.file = scenario.file;
  if (scenario.source == Source::file) return shortest_of(words, words_from(absolute(scenario.file), plain, scenario));
  if (scenario.source == Source::random) return shortest_of(words, words_from("--random", plain, scenario));
  if (words) return words;
  words = words_from("", plain, scenario);
  if (words && scenario.text == plain.text) words->insert(words->begin(), {"--text", scenario.text});
  return words;
}

namespace {

/// Bytes that a terminal takes for commands when they are pasted: control characters, and U+0080 to U+009F.
bool is_control_at(const std::string& word, std::size_t i) {
  const auto byte = static_cast<unsigned char>(word[i]);
  const bool second = i > 0 && static_cast<unsigned char>(word[i - 1]) == 0xC2 && byte < 0xA0;
  const bool first = byte == 0xC2 && i + 1 < word.size() && static_cast<unsigned char>(word[i + 1]) < 0xA0;
  return byte < 0x20 || byte == 0x7F || first || (second && byte >= 0x80);
}

bool has_controls(const std::string& word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (is_control_at(word, i)) return true;
  }
  return false;
}

/// The word in quotation marks: 'it'\''s'.
std::string quoted(const std::string& word) { return "'" + replaced(word, "'", "'\\''") + "'"; }

/// The word as $'a\025b', which bash, zsh and ksh read.
std::string escaped(const std::string& word) {
  std::string text = "$'";
  for (std::size_t i = 0; i < word.size(); ++i) {
    // Always three octal digits: with fewer, or with \x, a following digit or letter would be a part of the number.
    if (is_control_at(word, i)) text += formatted("\\%03o", static_cast<unsigned char>(word[i]));
    else (text += word[i] == '\'' || word[i] == '\\' ? "\\" : "") += word[i];
  }
  return text + "'";
}

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    const bool plain = std::ranges::all_of(word, [](char c) { return is_plain(c, "-_./:,=+@%"); });
    line += plain && !word.empty() ? word : has_controls(word) ? escaped(word) : quoted(word);
  }
  return line;
}

namespace {

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+') {
      out += ' ';
    } else if (text[at] == '%') {
      const std::string_view digits = text.substr(at + 1, 2);
      unsigned byte = 0;
      const char* const end = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16).ptr;
      if (end != digits.data() + 2)
        throw InputError("", Message("\"{0}\" in the link has a % without two digits", std::string(text)),
                         "expected %25 for a percent sign");
      out += static_cast<char>(byte);
      at += 2;
    } else {
      out += text[at];
    }
  }
  if (!is_utf8(out)) throw InputError("", "the link holds bytes that are no text", "expected UTF-8");
  return out;
}

/// Removes the part before `mark` from the text and returns it; the whole text if there is no `mark`.
std::string_view cut(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ' ') out += '+';
    else if (is_plain(c, "-_.~!*(),:;/@")) out += c;
    else out += formatted("%%%02X", static_cast<unsigned char>(c));
  }
  return out;
}

std::optional<std::string> query_of(const std::vector<std::string>& words) {
  std::string query;
  const auto add = [&](std::string_view part) { query += (query.empty() ? "?" : "&") + std::string(part); };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("lesson:") || word.starts_with("model:")) {
      const std::size_t colon = word.find(':');
      add(word.substr(0, colon) + "=" + percent_encoded(std::string_view(word).substr(colon + 1)));
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
