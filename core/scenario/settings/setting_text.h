// The names of enum values, in the order of their enums.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/base/tensor/message.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

template <typename Choice>
inline constexpr std::array<std::string_view, 0> choice_words{};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<Source>{"text", "random", "file"};
template <>
inline constexpr std::array<std::string_view, 2> choice_words<Tokenizer>{"words", "characters"};
template <>
inline constexpr std::array<std::string_view, 2> choice_words<Positions>{"none", "sinusoidal"};
template <>
inline constexpr std::array<std::string_view, 4> choice_words<DeadRow>{"from_fill", "nan", "uniform", "zero"};
template <>
inline constexpr std::array<std::string_view, 2> choice_words<MaskMode>{"fill", "add"};
template <>
inline constexpr std::array<std::string_view, 2> choice_words<Merge>{"none", "words"};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<Rope>{"none", "half", "interleaved"};
template <>
inline constexpr std::array<std::string_view, 4> choice_words<QkNorm>{"none", "rms", "l2", "layer"};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<MaskPolarity>{"by_name", "attend", "ignore"};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<WeightOrder>{"by_name", "out_in", "in_out"};

template <typename Choice>
std::string_view word(Choice choice) {
  static_assert(!choice_words<Choice>.empty(), "the choice needs its words above");
  return choice_words<Choice>[static_cast<std::size_t>(choice)];
}

template <typename Choice>
std::optional<Choice> choice_named(std::string_view wanted) {
  for (std::size_t i = 0; i < choice_words<Choice>.size(); ++i) {
    if (choice_words<Choice>[i] == wanted) return static_cast<Choice>(i);
  }
  return {};
}

/// "none, half or interleaved"
template <typename Choice>
Message all_words() {
  return alternatives(choice_words<Choice>);
}

}  // namespace headlight
