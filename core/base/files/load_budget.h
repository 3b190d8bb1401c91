// Limits for one load, which every reader counts before it allocates, so that a small file cannot request all memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/files/error_place.h"
#include "core/base/tensor/message.h"

namespace headlight {

/// All counts add up over the life of the budget, or of the WholeLoad that it was created within. Throws FileError
/// about its place when a limit is exceeded.
class LoadBudget {
 public:
  static constexpr std::uint64_t most_strings = 4'000'000, most_arrays = 200'000, most_tokens = 1 << 20;
  static constexpr std::chrono::seconds most_time{30};

  explicit LoadBudget(ErrorPlace place);

  /// For text and tables that are kept: at most an eighth of memory_budget(), within 128 to 256 MB.
  void bytes(std::uint64_t count);
  void strings(std::uint64_t count);
  void arrays(std::uint64_t count);
  /// Tokens of a line of text, or around it; each budget has its own count.
  void tokens(std::uint64_t count);

  /// Reads a text file of at most a quarter of the bytes.
  std::string text_of(const std::filesystem::path& path);
  /// The same as JSON, nested at most `deepest` deep; discarded if it is not JSON.
  nlohmann::json json_of(const std::filesystem::path& path, int deepest);

 private:
  friend class WholeLoad;
  struct Counts {
    std::uint64_t bytes = 0, strings = 0, arrays = 0;
    unsigned calls = 0;
    std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now() + most_time;
  };

  /// Counts if there is room. Throws if the time limit is over.
  bool fits(std::uint64_t& used, std::uint64_t count, std::uint64_t most);

  ErrorPlace place_;
  std::uint64_t most_bytes_, tokens_ = 0;
  std::shared_ptr<Counts> counts_;
};

/// While an instance exists, all budgets created on its thread share one count: a thousand shards of a model must not
/// use a thousand times the limit of one file. A nested instance is part of the outer one.
class WholeLoad {
 public:
  WholeLoad();
  ~WholeLoad();
  WholeLoad(const WholeLoad&) = delete;
  WholeLoad& operator=(const WholeLoad&) = delete;

 private:
  std::shared_ptr<LoadBudget::Counts> before_;
};

inline constexpr int deepest_json = 128;

/// Whether lists and objects are nested deeper than `most`. Also defined for invalid JSON.
inline bool nested_deeper_than(std::string_view json, int most) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') quoted = !quoted;
    if (quoted) {
      at += c == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

// A small file read as a whole: its text or its JSON object, such as a config.json. Size and depth are limited before
// parsing, because recursion through a tree needs stack.

/// Throws FileError about `place` if the file does not exist, is not a regular file, is larger than `most` bytes, or
/// cannot be read.
std::string whole_text(const std::filesystem::path& path, std::uint64_t most, const ErrorPlace& place);
/// The same for a path as the user wrote it.
std::string whole_text(const std::string& path, std::uint64_t most);

/// Throws FileError if the file cannot be opened, is larger than `most` bytes, is nested deeper than deepest_json, or
/// is not an object; `expected` says what it should have been.
nlohmann::json read_json_object(const std::filesystem::path& path, const Message& expected,
                                std::uintmax_t most = 16 << 20);

}  // namespace headlight
