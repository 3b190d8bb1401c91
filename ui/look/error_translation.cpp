#include "ui/look/error_translation.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/assets/assets.h"

namespace headlight {
namespace {

using std::string_view;

/// "{3}" at `at`.
bool is_slot(string_view text, std::size_t at) {
  return at + 2 < text.size() && text[at] == '{' && std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0 &&
         text[at + 2] == '}';
}

/// The text around the slots, and their numbers.
std::pair<std::vector<std::string>, std::vector<std::size_t>> at_slots(string_view text) {
  std::pair<std::vector<std::string>, std::vector<std::size_t>> parts{{""}, {}};
  for (std::size_t at = 0; at < text.size();) {
    if (is_slot(text, at)) {
      parts.second.push_back(static_cast<std::size_t>(text[at + 1] - '0'));
      parts.first.emplace_back();
      at += 3;
    } else {
      parts.first.back() += text[at++];
    }
  }
  return parts;
}

int letters_of(string_view text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return c != ' '; }));
}

string_view first_word(string_view text) { return text.substr(0, text.find(' ')); }

/// Chinese and the like, their punctuation, and the quotation marks and dots that they share with others: no space
/// stands between two of them.
bool is_wide(string_view character) {
  return character >= "\xE2\xBA\x80" || character == "“" || character == "”" || character == "…";
}

string_view last_character(string_view text) {
  std::size_t at = text.size();
  while (at > 0 && (static_cast<unsigned char>(text[at - 1]) & 0xC0) == 0x80) --at;
  return text.substr(at > 0 ? at - 1 : 0);
}
bool begins_wide(string_view text) {
  return !text.empty() && is_wide(text.substr(0, std::min<std::size_t>(text.size(), 3)));
}
bool ends_wide(string_view text) { return !text.empty() && is_wide(last_character(text)); }

/// `text` and `more`, with the space that separates them from Latin letters alone.
void append(std::string& text, string_view more) {
  if (begins_wide(more) && text.ends_with(' ') && ends_wide(string_view(text).substr(0, text.size() - 1)))
    text.pop_back();
  if (more.starts_with(' ') && begins_wide(more.substr(1)) && ends_wide(text)) more.remove_prefix(1);
  text += more;
}

/// Two English words side by side outside of quotation marks: more than names and numbers.
bool is_prose(string_view text) {
  int words = 0;
  bool quoted = false;
  while (!text.empty()) {
    const string_view word = first_word(text);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const bool ends = quoted;
    quoted = quoted != (std::ranges::count(word, '"') % 2 != 0);
    const bool lower = word.size() > 1 && std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
    words = lower && !ends && !quoted ? words + 1 : 0;
    if (words == 2) return true;
  }
  return false;
}

bool quotes_close(string_view text) { return std::ranges::count(text, '"') % 2 == 0; }

/// Every quotation mark and bracket has its other one, after it.
bool closes(string_view text) {
  int round = 0, square = 0;
  for (const char c : text) {
    round += c == '(' ? 1 : c == ')' ? -1 : 0;
    square += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (round < 0 || square < 0) return false;
  }
  return round == 0 && square == 0 && quotes_close(text);
}

/// Where `mark` stands outside of quotation marks: the first few.
std::vector<std::size_t> places_of(string_view mark, string_view text) {
  const std::size_t most = text.size() > 1000 ? 1 : 4;  // lists of hundreds are none of a sentence's joints
  std::vector<std::size_t> places;
  const bool all_close = quotes_close(text);
  for (std::size_t at = text.find(mark); at != string_view::npos && places.size() < most;
       at = text.find(mark, at + 1)) {
    if (!all_close || quotes_close(text.substr(0, at))) places.push_back(at);
  }
  return places;
}

}  // namespace

/// A sentence and the readings of its parts, each found once.
class ErrorTranslation::Reading {
 public:
  Reading(const ErrorTranslation& said, string_view sentence) : said_(said), pairs_(closes(sentence)) {}

  struct Part {
    std::string text;
    int score = 0;         ///< 0: no template fits
    bool subject = false;  ///< it begins with one that may be a part of a longer one
  };

  const Part& of(string_view text, int depth = 0) {
    const auto key = std::pair(text.data(), text.size());
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    Part best{std::string(text), 0, false};
    if (depth > deepest || known_.size() > most_parts) return known_.emplace(key, std::move(best)).first->second;
    const auto take = [&best](Part other) {
      if (other.score > best.score) best = std::move(other);
    };
    if (const auto found = said_.whole_.find(best.text); found != said_.whole_.end()) {
      take({found->second, letter * letters_of(text), false});
    } else {
      after_subject(text, depth, take);
      clauses(text, depth, take);
      const auto word = said_.by_word_.find(std::string(first_word(text)));
      if (word != said_.by_word_.end()) {
        for (const std::size_t form : word->second) fit(said_.forms_[form], text, depth, take);
      }
      for (const std::size_t form : said_.others_) fit(said_.forms_[form], text, depth, take);
    }
    return known_.emplace(key, std::move(best)).first->second;
  }

 private:
  static constexpr int letter = 4;  ///< what a letter counts, so that of two readings the one with fewer slots wins
  /// Of letters, "expected {0}" and "{0} is {1}": such would fit what is no template at all, the latter across clauses
  /// too.
  static constexpr int few = 8, fewest = 4;
  static constexpr int deepest = 9;
  static constexpr std::size_t most_parts = 400;  // a sentence of lists is read in milliseconds

  void after_subject(string_view text, int depth, auto take) {
    const std::vector<std::size_t> places = places_of(": ", text);
    for (auto place = places.rbegin(); place != places.rend(); ++place) {  // a subject may hold colons: the longest
      const std::size_t at = *place;
      const Part& rest = of(text.substr(at + 2), depth + 1);
      if (rest.score == 0) continue;
      const std::string subject(text.substr(0, at));
      const auto named = said_.whole_.find(subject);
      const bool translated =
          named != said_.whole_.end() && subject.find(' ') != std::string::npos;             // not a setting's name
      const bool closed = translated || subject.starts_with('$') || subject.ends_with('"');  // a place within a file
      Part part{translated ? named->second : subject,
                rest.score + (rest.subject ? 0 : letter) + (translated ? letter * letters_of(subject) : 0), !closed};
      append(part.text, said_.subject_ends_);
      append(part.text, rest.text);
      take(std::move(part));
    }
  }

  void clauses(string_view text, int depth, auto take) {
    for (const std::size_t at : places_of("; ", text)) {
      const Part& first = of(text.substr(0, at), depth + 1);
      const Part& second = of(text.substr(at + 2), depth + 1);
      if (first.score + second.score == 0) continue;
      Part part{first.text, first.score + second.score + (first.score > 0 ? 2 * letter : 0), false};
      if (!part.text.ends_with("？")) append(part.text, said_.clause_ends_);  // a question has its own end
      append(part.text, second.text);
      take(std::move(part));
    }
  }

  void fit(const Form& form, string_view text, int depth, auto take) {
    if (!text.starts_with(form.fixed.front()) || !text.ends_with(form.fixed.back())) return;
    if (text.find(form.fixed[form.longest]) == string_view::npos) return;
    std::vector<string_view> values;
    int tries = 16;
    align(form, text.substr(form.fixed.front().size()), values, depth, tries, take);
  }

  /// The values of the slots from the `values.size()`th on, in every way that fits.
  void align(const Form& form, string_view rest, std::vector<string_view>& values, int depth, int& tries, auto take) {
    const std::size_t slot = values.size();
    const string_view next = form.fixed[slot + 1];
    const bool last = slot + 1 == form.slots.size();
    if (rest.size() < next.size()) return;
    for (std::size_t at = last ? rest.size() - next.size() : rest.find(next); at != string_view::npos;
         at = rest.find(next, at + 1)) {
      if (!rest.substr(at).starts_with(next)) return;
      const string_view value = rest.substr(0, at);
      if (may_be(form, slot, value, last)) {
        values.push_back(value);
        if (last) {
          fill(form, values, depth, take);
          --tries;
        } else {
          align(form, rest.substr(at + next.size()), values, depth, tries, take);
        }
        values.pop_back();
      }
      if (last || tries <= 0) return;
    }
  }

  bool may_be(const Form& form, std::size_t slot, string_view value, bool last) const {
    const char quote = form.slots[slot].quote;
    if (quote != '\0') return value.find(quote) == string_view::npos;
    if (value.empty()) return last && form.fixed.back().empty();
    return (!pairs_ || closes(value)) && (form.letters > fewest || places_of("; ", value).empty());
  }

  void fill(const Form& form, const std::vector<string_view>& values, int depth, auto take) {
    constexpr std::size_t long_list = 600;
    Part part{"", letter * form.letters, false};
    std::vector<std::string> filled(10);
    for (std::size_t slot = 0; slot < values.size(); ++slot) {
      std::string& value = filled[form.slots[slot].number];
      value = values[slot];
      if (form.slots[slot].quote != '\0' || value.empty()) continue;
      if (value.size() < long_list) {
        const Part& inner = of(values[slot], depth + 1);
        if (form.letters > fewest) part.score += std::max(inner.score - 1, 0);  // "{0} or {1}" explains nothing
        value = inner.text;
        if (inner.score > 0) continue;
      }
      if (form.letters <= few && is_prose(values[slot])) return;
    }
    part.text = form.here.front();
    for (std::size_t place = 0; place < form.places.size(); ++place) {
      append(part.text, filled[form.places[place]]);
      append(part.text, form.here[place + 1]);
    }
    take(std::move(part));
  }

  const ErrorTranslation& said_;
  const bool pairs_;  ///< the whole closes, so that its parts are to
  std::map<std::pair<const char*, std::size_t>, Part> known_;
};

ErrorTranslation::ErrorTranslation(const Templates& templates) {
  for (const auto& [english, translated] : templates) add(english, translated);
}

ErrorTranslation::ErrorTranslation(const std::string& language) {
  std::ifstream file(asset("translations/" + language + ".json"));
  const nlohmann::json all = nlohmann::json::parse(file, nullptr, false);
  if (!all.is_object() || !all.contains("errors")) return;
  for (const auto& [english, translated] : all["errors"].items()) add(english, translated.get<std::string>());
}

void ErrorTranslation::add(const std::string& english, const std::string& translated) {
  const auto between = [&] { return translated.substr(3, translated.size() - 6); };
  const bool joins = translated.starts_with("{0}") && translated.ends_with("{1}");
  if (english == "{0}: {1}" && joins) {
    subject_ends_ = between();
    return;
  }
  if (english == "{0}; {1}" && joins) {
    clause_ends_ = between();
    return;
  }
  auto [fixed, numbers] = at_slots(english);
  if (numbers.empty()) {
    whole_.insert_or_assign(english, translated);
    return;
  }
  Form form;
  for (std::size_t slot = 0; slot < numbers.size(); ++slot) {
    if (slot > 0 && fixed[slot].empty()) return;  // nothing would say where one ends and the next begins
    const char before = fixed[slot].empty() ? '\0' : fixed[slot].back(),
               after = fixed[slot + 1].empty() ? '\0' : fixed[slot + 1].front();
    form.slots.push_back({numbers[slot], before == after && (before == '"' || before == '\'') ? before : '\0'});
  }
  form.fixed = std::move(fixed);
  for (std::size_t i = 0; i < form.fixed.size(); ++i) {
    form.letters += letters_of(form.fixed[i]);
    if (form.fixed[i].size() > form.fixed[form.longest].size()) form.longest = i;
  }
  std::tie(form.here, form.places) = at_slots(translated);
  const std::string& begins = form.fixed.front();
  const std::size_t place = forms_.size();
  if (begins.find(' ') != std::string::npos) {
    by_word_[std::string(first_word(begins))].push_back(place);
  } else {
    others_.push_back(place);
  }
  forms_.push_back(std::move(form));
}

std::string ErrorTranslation::operator()(std::string_view sentence) const {
  if (whole_.empty() && forms_.empty()) return std::string(sentence);
  return Reading(*this, sentence).of(sentence).text;
}

std::string translated_error(const Words& words, const std::string& sentence) {
  return words.language() == "en" ? sentence : ErrorTranslation(words.language())(sentence);
}

}  // namespace headlight
