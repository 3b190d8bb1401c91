#include "core/models/tokenizer/normalizer.h"

#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/base/text/unicode.h"
#include "core/models/tokenizer/pre_tokenizer.h"

namespace headlight {
namespace {

/// The text with each character replaced by what `change` appends for it.
template <typename Change>
std::string each_character(const std::string& text, Change change) {
  std::string changed;
  for (std::size_t at = 0; at < text.size();) change(changed, next_character(text, at));
  return changed;
}

std::string cleaned(const std::string& text) {
  return each_character(text, [](std::string& to, char32_t c) {
    const bool line = c == U'\t' || c == U'\n' || c == U'\r';
    if (c == 0 || c == 0xFFFD || (!line && is_control(c))) return;
    append_utf8(to, is_blank(c) ? U' ' : c);
  });
}

std::string lowered(const std::string& text) {
  return each_character(text, [](std::string& to, char32_t c) {
    if (c == 0x130) to += "i\u0307";  // İ, the one letter whose lower case is two characters
    else append_utf8(to, to_lower(c));
  });
}

}  // namespace

Normalizer bert_cleaning(BertCleaning what) {
  return [what](const std::string& text) {
    std::string made = what.clean ? cleaned(text) : text;
    if (what.ideographs) {
      made = each_character(made, [](std::string& to, char32_t c) {
        const bool alone = is_ideograph(c);
        if (alone) to += ' ';
        append_utf8(to, c);
        if (alone) to += ' ';
      });
    }
    if (what.plain) {
      made = each_character(in_form(made, UnicodeForm::nfd), [](std::string& to, char32_t c) {
        if (!is_mark(c)) append_utf8(to, c);
      });
    }
    return what.lower ? lowered(made) : made;
  };
}

void check_grown(std::size_t bytes) {
  constexpr std::size_t most = std::size_t{4} << 20;
  if (bytes <= most) return;
  throw FileError("tokenizer.json", "its steps make more than 4 MB of the text",
                  "expected steps that do not let it grow without end");
}

Normalizer prepending(std::string prefix) {
  return [prefix = std::move(prefix)](const std::string& text) {
    check_grown(prefix.size() + text.size());
    return text.empty() ? text : prefix + text;
  };
}

Normalizer replacing(std::string from, std::string to) {
  return [from = std::move(from), to = std::move(to)](const std::string& text) {
    std::string changed;
    std::size_t at = 0;
    for (std::size_t next; (next = text.find(from, at)) != std::string::npos; at = next + from.size()) {
      changed.append(text, at, next - at).append(to);
      check_grown(changed.size());
    }
    return changed.append(text, at);
  };
}

Normalizer replacing(TextPattern pattern, std::string to) {
  return [pattern = std::move(pattern), to = std::move(to)](const std::string& text) {
    std::string changed;
    std::size_t at = 0;
    for (const auto& [start, end] : pattern.matches(text)) {
      changed.append(text, at, start - at).append(to);
      check_grown(changed.size());
      at = end;
    }
    return changed.append(text, at);
  };
}

Normalizer lower_case() { return lowered; }

Normalizer without_ends(bool left, bool right) {
  return [left, right](const std::string& text) {
    std::size_t start = text.size(), end = 0;  // of the text without the blanks at its ends
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t first = at;
      if (is_blank(next_character(text, at))) continue;
      start = std::min(start, first);
      end = at;
    }
    if (end == 0) return left || right ? std::string() : text;
    return text.substr(left ? start : 0, (right ? end : text.size()) - (left ? start : 0));
  };
}

Normalizer without_marks() {
  return [](const std::string& text) {
    return each_character(text, [](std::string& to, char32_t c) {
      if (!is_any_mark(c)) append_utf8(to, c);
    });
  };
}

Normalizer nmt_cleaning() {
  return [](const std::string& text) {
    return each_character(text, [](std::string& to, char32_t c) {
      const bool control =
          (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
      const bool blank = c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
                         c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
      if (!control) append_utf8(to, blank ? U' ' : c);
    });
  };
}

Normalizer byte_spelling() { return spelled_bytes; }

CharsMap::CharsMap(std::string bytes, const ErrorPlace& place) {
  if (bytes.empty()) return;
  const auto unit = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
  };
  const std::size_t size = bytes.size() < 4 ? 0 : unit(0);
  if (size == 0 || size % 4 != 0 || size > bytes.size() - 4)
    place.fail("its precompiled_charsmap is damaged", "one as SentencePiece writes it");
  for (std::size_t at = 4; at < 4 + size; at += 4) units_.push_back(unit(at));
  texts_ = bytes.substr(4 + size);
}

CharsMap::Found CharsMap::find(std::string_view text, Which which) const {
  const auto has_leaf = [](std::uint32_t unit) { return (unit >> 8 & 1) != 0; };
  const auto offset = [](std::uint32_t unit) { return std::size_t{unit >> 10} << ((unit & (1u << 9)) >> 6); };
  Found found;
  if (units_.empty()) return found;
  std::size_t node = offset(units_.front());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    node ^= byte;
    if (byte == 0 || node >= units_.size()) break;
    const std::uint32_t unit = units_[node];
    if ((unit & ((1u << 31) | 0xFF)) != byte) break;
    node ^= offset(unit);
    if (!has_leaf(unit) || node >= units_.size()) continue;
    const std::size_t start = units_[node] & 0x7FFFFFFF;
    if (start >= texts_.size()) continue;
    found = {std::string_view(texts_).substr(start, texts_.find('\0', start) - start), i + 1};
    if (which == Which::shortest) break;
  }
  return found;
}

Normalizer precompiled(CharsMap map) {
  constexpr std::size_t longest = 5;  // bytes; longer graphemes are replaced character by character
  return [map = std::move(map)](const std::string& text) {
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
      const std::string_view grapheme = next_grapheme(text, at);
      const CharsMap::Found whole =
          grapheme.size() <= longest ? map.find(grapheme, CharsMap::Which::shortest) : CharsMap::Found();
      if (whole.length > 0) made += whole.by;
      for (std::size_t i = 0; whole.length == 0 && i < grapheme.size();) {
        const std::size_t first = i;
        next_character(grapheme, i);
        const std::string_view character = grapheme.substr(first, i - first);
        const CharsMap::Found found = map.find(character, CharsMap::Which::shortest);
        made += found.length > 0 ? found.by : character;
      }
      check_grown(made.size());
    }
    return made;
  };
}

Normalizer sentence_pieces(CharsMap map, PieceCleaning how) {
  return [map = std::move(map), how = std::move(how)](const std::string& text) {
    const std::string blank = how.mark_blanks ? "▁" : " ";
    /// The replacement for the beginning of `rest`, and the length of that beginning.
    const auto next = [&](std::string_view rest) -> CharsMap::Found {
      for (const std::string& kept : how.kept) {
        if (rest.starts_with(kept)) return {rest.substr(0, kept.size()), kept.size()};
      }
      if (const CharsMap::Found found = map.find(rest, CharsMap::Which::longest); found.length > 0) return found;
      std::size_t end = 0;
      const char32_t c = next_character(rest, end);
      return {c == U'\uFFFD' ? "\uFFFD" : rest.substr(0, end), end};
    };
    std::string made;
    bool after_blank = how.join_blanks;
    for (std::string_view rest = text; !rest.empty();) {
      auto [by, length] = next(rest);
      rest.remove_prefix(length);
      while (after_blank && by.starts_with(' ')) by.remove_prefix(1);
      if (by.empty()) continue;
      if (made.empty() && how.blank_first && !how.blank_last) made = blank;
      for (const char c : by) c == ' ' ? made += blank : made += c;
      after_blank = how.join_blanks && by.ends_with(' ');
      check_grown(made.size());
    }
    while (how.join_blanks && made.ends_with(blank)) made.resize(made.size() - blank.size());
    return how.blank_last && how.blank_first && !made.empty() ? made + blank : made;
  };
}

Normalizer unicode_form(UnicodeForm form) {
  return [form](const std::string& text) { return in_form(text, form); };
}

Normalizer one_after_another(std::vector<Normalizer> steps) {
  return [steps = std::move(steps)](const std::string& text) {
    std::string made = text;
    for (const Normalizer& step : steps) {
      made = step(made);
      check_grown(made.size());
    }
    return made;
  };
}

}  // namespace headlight
