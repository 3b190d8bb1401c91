// The words that scenario files and the command line use for choices, in the order of their enums.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/scenario/scenario.h"
#include "core/tensor/alternatives.h"

namespace headlight {

template <typename Choice>
struct Words;
template <>
struct Words<Source> {
  static constexpr std::array<std::string_view, 3> list{"text", "random", "file"};
};
template <>
struct Words<Tokenizer> {
  static constexpr std::array<std::string_view, 2> list{"words", "characters"};
};
template <>
struct Words<Positions> {
  static constexpr std::array<std::string_view, 2> list{"none", "sinusoidal"};
};
template <>
struct Words<DeadRow> {
  static constexpr std::array<std::string_view, 4> list{"from_fill", "nan", "uniform", "zero"};
};
template <>
struct Words<MaskMode> {
  static constexpr std::array<std::string_view, 2> list{"fill", "add"};
};
template <>
struct Words<Rope> {
  static constexpr std::array<std::string_view, 3> list{"none", "half", "interleaved"};
};
template <>
struct Words<QkNorm> {
  static constexpr std::array<std::string_view, 4> list{"none", "rms", "l2", "layer"};
};
template <>
struct Words<MaskPolarity> {
  static constexpr std::array<std::string_view, 3> list{"by_name", "attend", "ignore"};
};

template <>
struct Words<WeightOrder> {
  static constexpr std::array<std::string_view, 3> list{"by_name", "out_in", "in_out"};
};

template <typename Choice>
std::string_view word(Choice choice) {
  return Words<Choice>::list[static_cast<std::size_t>(choice)];
}

template <typename Choice>
std::optional<Choice> choice_named(std::string_view wanted) {
  for (std::size_t i = 0; i < Words<Choice>::list.size(); ++i) {
    if (Words<Choice>::list[i] == wanted) return static_cast<Choice>(i);
  }
  return {};
}

/// "none, half or interleaved"
template <typename Choice>
Message all_words() {
  return alternatives(Words<Choice>::list);
}

}  // namespace headlight
