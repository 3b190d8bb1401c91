#include "core/models/tokenizer/pattern.h"

#include <algorithm>
#include <ctime>
#include <optional>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "core/base/tensor/message.h"
#include "core/base/text/unicode.h"

namespace headlight {
namespace {

/// Limits of this thread, in processor time, so that a busy machine refuses nothing: what is left of MatchTime's limit,
/// and when the present matching must end.
thread_local std::optional<std::clock_t> time_left;
thread_local std::clock_t deadline = 0;

bool past_deadline() {
  constexpr unsigned calls_between_checks = 64;
  thread_local unsigned calls = 0;
  return ++calls % calls_between_checks == 0 && std::clock() > deadline;
}

/// PCRE2 calls this before each part of an expression. Its match limit is not enough: a lookahead over a long text
/// counts as one step.
int stop_at_deadline(pcre2_callout_block*, void*) { return past_deadline() ? PCRE2_ERROR_CALLOUT : 0; }

/// Subtracts the time of one text's matches from time_left.
struct MatchTimer {
  MatchTimer() { deadline = std::clock() + *time_left; }
  ~MatchTimer() { time_left = deadline - std::clock(); }
  MatchTimer(const MatchTimer&) = delete;
  MatchTimer& operator=(const MatchTimer&) = delete;
};

pcre2_code* compile(const std::string& expression, PatternSyntax syntax = PatternSyntax::ruby) {
  const std::uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT |
                                (syntax == PatternSyntax::ruby ? PCRE2_MULTILINE : PCRE2_DOLLAR_ENDONLY);
  int error = 0;
  PCRE2_SIZE at = 0;
  return pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(), options, &error, &at,
                       nullptr);
}

/// Translates an expression of Ruby (Oniguruma) or Rust into PCRE2's syntax.
class Translation {
 public:
  Translation(const std::string& from, PatternSyntax syntax, const ErrorPlace& place)
      : from_(from), is_rust_(syntax == PatternSyntax::rust), place_(place) {
    while (at_ < from_.size()) next();
  }
  std::string text;

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < from_.size() ? from_[at_ + ahead] : '\0'; }
  bool begins(std::string_view what) const { return std::string_view(from_).substr(at_).starts_with(what); }
  void copy(std::size_t count) {
    text.append(from_, at_, count);
    at_ += count;
  }
  [[noreturn]] void refuse(const std::string& part) const {
    place_.fail(Message("its expression {0} has {1}, which is not known here", in_quotes(from_), part));
  }

  void next() {
    if (peek() == '\\') return escape();
    if (depth_ > 0 && begins("&&")) refuse("an intersection of sets");
    if (depth_ > 0 && is_rust_ && (begins("[:") || begins("--") || begins("~~"))) refuse(from_.substr(at_, 2));
    if (depth_ > 0 && begins("[:")) return copy(std::max(from_.find(":]", at_), at_) + 2 - at_);
    if (peek() == '[') return open();
    if (peek() == ']' && depth_ > 0 && --depth_ > 0) return void(++at_);
    if (depth_ == 0 && peek() == '{' && !is_rust_) return repeat();
    copy(1);
  }

  /// In Oniguruma \p{Han} holds the characters of this script alone. PCRE2 adds those that several scripts share,
  /// except after "sc:".
  bool copy_script() {
    const std::size_t end = from_.find('}', at_);
    if (!begins("\\p{") || end == std::string::npos || end < at_ + 6) return false;
    const std::string script = "\\p{sc:" + from_.substr(at_ + 3, end - at_ - 3) + "}";
    pcre2_code* code = compile(script);
    if (code) text += script, at_ = end + 1;
    pcre2_code_free(code);
    return code != nullptr;
  }

  /// \s and \w hold Unicode's white space and word characters. PCRE2's own \s and \w hold a few others.
  void escape() {
    constexpr std::string_view blanks = R"(\p{Z}\t-\r\x{85})",
                               letters =
                                   R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE}\x{24B6}-\x{24E9})";
    if (copy_script()) return;
    const char what = peek(1);
    const bool negated = what == 'S' || what == 'W';
    if (what == 'h' || what == 'H' || what == 'R' || what == 'K' || what == 'X' || what == 'y' || what == 'Y' ||
        what == 'O' || what == 'N' || (is_rust_ && (what == 'w' || what == 'W' || what == 'b' || what == 'B')))
      refuse("\\" + std::string(1, what));
    if ((what != 's' && what != 'w' && !negated) || (negated && depth_ > 0))
      return copy(std::min<std::size_t>(2, from_.size() - at_));
    const std::string_view members = what == 's' || what == 'S' ? blanks : letters;
    text.append(depth_ > 0 ? "" : negated ? "[^" : "[").append(members).append(depth_ > 0 ? "" : "]");
    at_ += 2;
  }

  /// The members of a set within a set become members of the outer set.
  void open() {
    const bool negated = peek(1) == '^';
    if (depth_++ > 0) {
      if (negated) refuse("a negated set within a set");
      ++at_;
      return;
    }
    copy(negated ? 2 : 1);
    if (peek() == ']') copy(1);
  }

  /// In Ruby {1,3}+ is not possessive: the + repeats the repetition.
  void repeat() {
    const std::size_t end = from_.find('}', at_);
    const bool repeated = end != std::string::npos && end + 1 < from_.size() && from_[end + 1] == '+' &&
                          from_.find_first_not_of("0123456789,", at_ + 1) == end;
    if (!repeated) return copy(1);
    const bool from_one = begins("{1,") || begins("{1}"), from_none = begins("{0,") || begins("{,");
    if (!from_one && !from_none) refuse("a repeated repetition");
    text += from_one ? "+" : "*";
    at_ = end + 2;
  }

  const std::string& from_;
  const bool is_rust_;
  const ErrorPlace& place_;
  std::size_t at_ = 0;
  int depth_ = 0;  ///< depth of nested sets
};

}  // namespace

struct TextPattern::Compiled {
  pcre2_code* code = nullptr;
  pcre2_match_context* limits = nullptr;
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    pcre2_code_free(code);
    pcre2_match_context_free(limits);
  }
};

TextPattern::TextPattern(const std::string& expression, ErrorPlace place, PatternSyntax syntax)
    : expression_(expression), place_(std::move(place)) {
  constexpr std::size_t longest = 8'000;
  if (expression.size() > longest) place_.fail(Message("its expression has {0}", byte_count(expression.size())));
  const std::string translated = Translation(expression, syntax, place_).text;
  auto compiled = std::make_shared<Compiled>();
  compiled->code = compile(translated, syntax);
  if (!compiled->code)
    place_.fail(Message("its expression {0} cannot be read", in_quotes(expression)), "a regular expression");
  compiled->limits = pcre2_match_context_create(nullptr);
  pcre2_set_match_limit(compiled->limits, 100'000);
  pcre2_set_callout(compiled->limits, stop_at_deadline, nullptr);
  pcre2_set_heap_limit(compiled->limits, 65'536);  // KiB
  compiled_ = std::move(compiled);
}

namespace {

/// The text with each byte that is not UTF-8 replaced by another character of one byte.
std::string as_utf8(std::string_view text) {
  std::string made(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (next_character(text, at) == U'\uFFFD' && at == start + 1) made[start] = '\x1A';
  }
  return made;
}

}  // namespace

MatchTime::MatchTime(std::size_t bytes) : first_(!time_left) {
  if (first_) time_left = static_cast<std::clock_t>((1 + 1e-6 * static_cast<double>(bytes)) * CLOCKS_PER_SEC);
}

MatchTime::~MatchTime() {
  if (first_) time_left.reset();
}

// Tries each position in a call of its own, so that the deadline is checked between the calls.
Stretches TextPattern::matches(std::string_view given) const {
  const MatchTime time(given.size());
  const MatchTimer timer;
  const std::string mended = is_utf8(given) ? std::string() : as_utf8(given);
  const std::string_view text = mended.empty() ? given : mended;
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create_from_pattern(compiled_->code, nullptr), &pcre2_match_data_free);
  Stretches found;
  for (std::size_t at = 0; at <= text.size();) {
    const int count = pcre2_match(compiled_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at,
                                  PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK, data.get(), compiled_->limits);
    if ((count < 0 && count != PCRE2_ERROR_NOMATCH) || past_deadline())
      place_.fail(Message("its expression {0} takes too many steps on this text", in_quotes(expression_)),
                  "a simpler one");
    const std::size_t last = count < 0 ? at : std::max<std::size_t>(at, pcre2_get_ovector_pointer(data.get())[1]);
    const bool empty = last == at, again = empty && !found.empty() && found.back().second == at;
    if (count >= 0 && !again) found.emplace_back(at, last);
    at = last;
    if (!empty) continue;
    if (at >= text.size()) break;
    next_character(text, at);
  }
  return found;
}

}  // namespace headlight
