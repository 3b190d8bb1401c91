#include "core/base/text/unicode.h"

#include <cstdlib>
#include <memory>

#include <utf8proc.h>

namespace headlight {
namespace {

bool is_any(char32_t c, std::initializer_list<utf8proc_category_t> categories) {
  const utf8proc_category_t own = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  for (const utf8proc_category_t category : categories) {
    if (own == category) return true;
  }
  return false;
}

}  // namespace

bool is_letter(char32_t c) {
  return is_any(c, {UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LL, UTF8PROC_CATEGORY_LT, UTF8PROC_CATEGORY_LM,
                    UTF8PROC_CATEGORY_LO});
}

bool is_digit(char32_t c) { return is_any(c, {UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NO}); }

bool is_mark(char32_t c) { return is_any(c, {UTF8PROC_CATEGORY_MN}); }

bool is_any_mark(char32_t c) { return is_any(c, {UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME}); }

bool is_punctuation(char32_t c) {
  return is_any(c, {UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PD, UTF8PROC_CATEGORY_PS, UTF8PROC_CATEGORY_PE,
                    UTF8PROC_CATEGORY_PI, UTF8PROC_CATEGORY_PF, UTF8PROC_CATEGORY_PO});
}

bool is_control(char32_t c) {
  return is_any(c, {UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CF, UTF8PROC_CATEGORY_CS, UTF8PROC_CATEGORY_CO});
}

bool is_blank(char32_t c) {
  return (c >= U'\t' && c <= U'\r') || c == 0x85 ||
         is_any(c, {UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP});
}

bool is_word_character(char32_t c) {
  const bool joins = c == 0x200C || c == 0x200D;
  const bool in_circle = (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
                         (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);  // letters in Unicode
  return joins || in_circle || is_letter(c) ||
         is_any(c, {UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME, UTF8PROC_CATEGORY_ND,
                    UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_PC});
}

bool is_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

char32_t to_lower(char32_t c) { return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))); }

std::string in_form(const std::string& text, UnicodeForm form) {
  const bool composed = form == UnicodeForm::nfc || form == UnicodeForm::nfkc;
  const bool compatible = form == UnicodeForm::nfkc || form == UnicodeForm::nfkd;
  const int options =
      UTF8PROC_STABLE | (composed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) | (compatible ? UTF8PROC_COMPAT : 0);
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &made, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  return length < 0 ? text : std::string(reinterpret_cast<const char*>(made), static_cast<std::size_t>(length));
}

void append_utf8(std::string& text, char32_t c) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t count = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
}

std::string_view next_grapheme(std::string_view text, std::size_t& at) {
  const std::size_t first = at;
  char32_t last = next_character(text, at);
  utf8proc_int32_t state = 0;
  while (at < text.size()) {
    std::size_t next = at;
    const char32_t c = next_character(text, next);
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(last), static_cast<utf8proc_int32_t>(c), &state))
      break;
    at = next;
    last = c;
  }
  return text.substr(first, at - first);
}

std::size_t terminal_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();)
    width += static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(next_character(text, at))));
  return width;
}

std::string for_markup(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = next_character(text, at);
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if ((c < 0x20 && c != '\t') || c == 0xFFFD || c == 0xFFFE || c == 0xFFFF) out += "\xEF\xBF\xBD";
    else out += text.substr(from, at - from);
  }
  return out;
}

}  // namespace headlight
