// What one load may take, counted by every reader before it makes anything of it: a small file cannot ask for all the
// memory there is.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "core/files/error_place.h"

namespace headlight {

/// Each count adds up over the life of the budget. Throws FileError about its place, with what was too much.
class LoadBudget {
 public:
  static constexpr std::uint64_t most_strings = 4'000'000, most_arrays = 200'000, most_tokens = 1 << 20;
  static constexpr std::chrono::seconds most_time{30};

  explicit LoadBudget(ErrorPlace place);

  /// Of text and tables that are kept: at most an eighth of what memory_budget() gives, 128 to 256 MB.
  void bytes(std::uint64_t count);
  void strings(std::uint64_t count);
  void arrays(std::uint64_t count);
  /// Of a line of text, or around one.
  void tokens(std::uint64_t count);

  /// A text file of at most a quarter of the bytes.
  std::string text_of(const std::filesystem::path& path);
  /// The same as JSON, nested at most `deepest` deep; discarded where it is none.
  nlohmann::json json_of(const std::filesystem::path& path, int deepest);

 private:
  /// Counts where there is room. Throws where the time is up.
  bool fits(std::uint64_t& used, std::uint64_t count, std::uint64_t most);

  ErrorPlace place_;
  std::uint64_t most_bytes_, bytes_ = 0, strings_ = 0, arrays_ = 0, tokens_ = 0;
  unsigned calls_ = 0;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace headlight
