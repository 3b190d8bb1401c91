#include "core/tokenizer/normalizer.h"

#include "core/tensor/error.h"
#include "core/text/utf8.h"

namespace headlight {
namespace {

/// The text with each character as `change` appends it.
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
    if (c == 0x130) {  // İ, the one letter whose lower case is two characters
      to += "i\u0307";
    } else {
      append_utf8(to, to_lower(c));
    }
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

Normalizer lower_case() { return lowered; }

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
