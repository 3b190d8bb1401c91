#include "core/export/command_words.h"

#include <algorithm>
#include <filesystem>

#include "core/architecture/model_folder.h"
#include "core/network/network_trace.h"
#include "core/scenario/settings_table.h"
#include "core/scenario/tensor_file.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

using Words = std::optional<std::vector<std::string>>;

std::string absolute(const std::string& path) {
  if (path.starts_with(shipped_model_prefix)) return path;
  std::error_code error;
  const std::u8string text = std::filesystem::absolute(path_from(path), error).u8string();
  return error ? path : std::string(text.begin(), text.end());
}

/// Whether the scenario's text is read: not by a network of pictures, unless it compares them with texts.
bool is_text_read(const Scenario& scenario) {
  if (scenario.source == Source::text) return true;
  try {
    const auto network = find_network(scenario);
    return network && (!network->spec().picture || scenario.text_as_input);
  } catch (const InputError&) {
    return true;  // what is wrong with it is said when it is run
  }
}

Words begun_with(const std::string& first, const Scenario& from, const Scenario& to) {
  if (from.source != to.source || (to.source == Source::file && from.file != to.file)) return {};
  Scenario heard = from;  // what another source would read does not matter
  heard.file = to.file;
  const bool reads_text = is_text_read(to);
  if (!reads_text) heard.text = to.text;
  Words words = settings_between(heard, to);
  // A model has a text of its own, which is read where none is said.
  if (words && to.source == Source::file && reads_text && std::ranges::find(*words, "--text") == words->end())
    words->insert(words->begin(), {"--text", to.text});
  if (words && !first.empty()) words->insert(words->begin(), first);
  return words;
}

Words shortest_of(Words a, Words b) {
  if (!a || !b) return a ? a : b;
  return b->size() < a->size() ? b : a;
}

bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || std::string_view("-_./:,=+@%").find(c) != std::string_view::npos;
}

}  // namespace

std::optional<std::vector<std::string>> source_words(const Scenario& scenario, const ScenarioOrigin& origin) {
  const Scenario& began = origin.lesson.scenario;
  Words words;
  if (!origin.file.empty()) words = begun_with(absolute(origin.file), began, scenario);
  const std::string& id = origin.lesson.id;
  if (!words && !id.empty()) words = begun_with("lesson:" + id, began, scenario);
  Scenario plain;
  plain.source = scenario.source;
  plain.file = scenario.file;
  if (scenario.source == Source::file) return shortest_of(words, begun_with(absolute(scenario.file), plain, scenario));
  if (scenario.source == Source::random) return shortest_of(words, begun_with("--random", plain, scenario));
  if (words) return words;
  words = begun_with("", plain, scenario);
  if (words && scenario.text == plain.text) words->insert(words->begin(), {"--text", scenario.text});
  return words;
}

namespace {

/// Bytes that a terminal takes for commands where they are pasted: control characters, and U+0080 to U+009F.
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

/// 'it'\''s'
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
  return text + "'";
}

/// $'a\x15b', as bash, zsh and ksh read it.
std::string escaped(const std::string& word) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text = "$'";
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    if (is_control_at(word, i)) {
      // Three octal digits: a letter or digit after \x15 would be taken for a part of it.
      text += std::string("\\") + digits[byte >> 6] + digits[byte >> 3 & 7] + digits[byte & 7];
    } else {
      text += word[i] == '\'' || word[i] == '\\' ? std::string("\\") + word[i] : std::string(1, word[i]);
    }
  }
  return text + "'";
}

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
      line += word;
      continue;
    }
    line += has_controls(word) ? escaped(word) : quoted(word);
  }
  return line;
}

}  // namespace headlight
