// A computation to hand out: its sentence and who looks at whom, its stages as one picture, and each with its shape,
// formula, a sentence about it and its picture, on numbered pages.
#pragma once

#include <map>
#include <string>

#include "core/run/trace.h"

namespace headlight {

enum class Paper : std::uint8_t { a4, letter };

/// What the pages say, in the reader's language.
struct HandoutText {
  std::string title;
  std::string introduction;                              ///< under the title; may be empty
  std::string caution;                                   ///< under that: what is random; may be empty
  std::string sentence = "Who looks at whom: head {0}";  ///< over the words and their weights
  std::string stages = "The stages";                     ///< over all of them as one picture
  std::string page = "page {0} of {1}";
  std::map<Stage, std::string> about;  ///< a sentence on each stage; those without have none
};

/// A PDF; the same computation is the same bytes. Batch entry 0; the stages of all heads (their first eight where there
/// are more), the first page of `head`.
std::string make_handout(const Trace& trace, const HandoutText& text, Paper paper = Paper::a4, Index head = 0);

}  // namespace headlight
