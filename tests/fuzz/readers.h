// Every reader of outside data as a function of bytes, for libFuzzer (fuzz.cpp) and for the tests that replay the
// corpus (tests/core/files/fuzz_corpus_test.cpp, tests/ui/fuzz_corpus_test.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headlight::fuzz {

struct Reader {
  std::string_view name;  ///< of its folder under corpus/
  /// Reads the bytes and uses the result. Any invalid bytes cause an InputError, which it catches.
  void (*read)(std::string_view bytes);
};

std::span<const Reader> all_readers();
/// Those of ui (window_readers.cpp).
std::span<const Reader> window_readers();

}  // namespace headlight::fuzz
