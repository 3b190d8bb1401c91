// Every reader of what comes from outside, as a function of bytes: what libFuzzer drives (fuzz.cpp), and what the tests
// replay the corpus through (tests/core/files/fuzz_corpus_test.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headlight::fuzz {

struct Reader {
  std::string_view name;  ///< of its folder under corpus/
  /// Reads, and uses what it read; whatever is wrong with the bytes ends in an InputError, which it catches.
  void (*read)(std::string_view bytes);
};

std::span<const Reader> all_readers();

}  // namespace headlight::fuzz
