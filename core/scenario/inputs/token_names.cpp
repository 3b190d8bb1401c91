#include <utility>

#include "core/models/tokenizer/spelling.h"
#include "core/scenario/inputs/file_source.h"

namespace headlight {

bool draw_spelled(Sequence& sequence) {
  TokenNames all = sequence.query_tokens;
  all.insert(all.end(), sequence.key_tokens.begin(), sequence.key_tokens.end());
  const Spelling spelling = spelling_of(all);
  const auto draw = [&](Sequence::Names& names, Sequence::Names& spelled) {
    Sequence::Names drawn;
    for (const std::vector<std::string>& line : names) drawn.push_back(as_drawn(line, spelling));
    if (drawn == names) return false;
    spelled = std::exchange(names, std::move(drawn));
    return true;
  };
  const bool queries = draw(sequence.query_tokens, sequence.query_spelled);
  return draw(sequence.key_tokens, sequence.key_spelled) || queries;
}

}  // namespace headlight
