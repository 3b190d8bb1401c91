#include "ui/views/train/train_groups.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/text/number_text.h"

namespace headlight {
namespace {

using Chosen = TrainingSettings;

constexpr TrainOption masks_options[] = {
    {"train.none", [](const Chosen& r) { return r.mask == "full()"; }, [](Chosen& r) { r.mask = "full()"; }},
    {"causal()", [](const Chosen& r) { return r.mask == "causal()"; }, [](Chosen& r) { r.mask = "causal()"; }}};

constexpr bool places_are(const Chosen& r, TrainedPositions places) {
  return r.positions == places && r.rope == Rope::none && !r.alibi;
}
void set_places(Chosen& r, TrainedPositions places, Rope rope = Rope::none, bool alibi = false) {
  r.positions = places;
  r.rope = rope;
  r.alibi = alibi;
}
constexpr TrainOption positions_options[] = {
    {"train.learned", [](const Chosen& r) { return places_are(r, TrainedPositions::learned); },
     [](Chosen& r) { set_places(r, TrainedPositions::learned); }},
    {"train.none", [](const Chosen& r) { return places_are(r, TrainedPositions::none); },
     [](Chosen& r) { set_places(r, TrainedPositions::none); }},
    {"train.sinusoidal", [](const Chosen& r) { return places_are(r, TrainedPositions::sinusoidal); },
     [](Chosen& r) { set_places(r, TrainedPositions::sinusoidal); }},
    {"RoPE", [](const Chosen& r) { return r.positions == TrainedPositions::none && r.rope != Rope::none; },
     [](Chosen& r) { set_places(r, TrainedPositions::none, Rope::half); }},
    {"ALiBi", [](const Chosen& r) { return r.positions == TrainedPositions::none && r.alibi; },
     [](Chosen& r) { set_places(r, TrainedPositions::none, Rope::none, true); }}};

template <Index n>
constexpr TrainOption layers_option(const char* word) {
  return {word, [](const Chosen& r) { return r.layers == n; }, [](Chosen& r) { r.layers = n; }};
}
constexpr TrainOption layers_options[] = {layers_option<1>("1"), layers_option<2>("2"), layers_option<3>("3")};

template <Index n>
constexpr TrainOption heads_option(const char* word) {
  return {word, [](const Chosen& r) { return r.heads == n; },
          [](Chosen& r) {
            r.heads = n;
            r.kv_heads.reset();
          }};
}
constexpr TrainOption heads_options[] = {heads_option<1>("1"), heads_option<2>("2"), heads_option<4>("4")};

constexpr TrainOption scales_options[] = {
    {"1/√d", [](const Chosen& r) { return !r.scale; }, [](Chosen& r) { r.scale.reset(); }},
    {"1", [](const Chosen& r) { return r.scale == 1.0F; }, [](Chosen& r) { r.scale = 1.0F; }},
    {"8", [](const Chosen& r) { return r.scale == 8.0F; }, [](Chosen& r) { r.scale = 8.0F; }}};

constexpr TrainOption mlps_options[] = {
    {"train.without", [](const Chosen& r) { return !r.mlp; }, [](Chosen& r) { r.mlp = false; }},
    {"train.with", [](const Chosen& r) { return r.mlp; }, [](Chosen& r) { r.mlp = true; }}};

std::string rate_text(float value) { return number_text(value, 3); }

constexpr std::array all_groups{
    TrainGroup{"train.mask", masks_options, [](const Chosen& r) { return r.mask; }},
    TrainGroup{"train.positions", positions_options, [](const Chosen&) { return std::string("+"); }},
    TrainGroup{"train.layers", layers_options, [](const Chosen& r) { return std::to_string(r.layers); }},
    TrainGroup{"train.heads", heads_options, [](const Chosen& r) { return std::to_string(r.heads); }},
    TrainGroup{"train.scale", scales_options, [](const Chosen& r) { return rate_text(r.scale.value_or(0)); }},
    TrainGroup{"train.mlp", mlps_options, [](const Chosen&) { return std::string(); }},
    TrainGroup{"train.rate", {}, [](const Chosen& r) { return rate_text(r.rate); }},
    TrainGroup{"train.width", {}, [](const Chosen& r) { return std::to_string(r.d_model); }},
    TrainGroup{"train.seed", {}, [](const Chosen& r) { return std::to_string(r.seed); }},
};

std::string value_words(const TrainGroup& group, const Chosen& run, const Words& words) {
  const auto chosen = std::ranges::find_if(group.options, [&](const TrainOption& option) { return option.is(run); });
  return chosen != group.options.end() ? option_words(*chosen, words) : group.text(run);
}

}  // namespace

std::span<const TrainGroup> train_groups() { return all_groups; }

std::string option_words(const TrainOption& option, const Words& words) {
  return std::string_view(option.word).starts_with("train.") ? words(option.word) : option.word;
}

std::string choice_words(const TrainGroup& group, const Chosen& run, const Words& words) {
  return words.fill("train.choice", {words(group.word), value_words(group, run, words)});
}

const TrainGroup* differing_group(const Chosen& a, const Chosen& b) {
  for (const TrainGroup& group : all_groups) {
    const bool other =
        std::ranges::any_of(group.options, [&](const TrainOption& option) { return option.is(a) != option.is(b); });
    if (other || group.text(a) != group.text(b)) return &group;
  }
  return nullptr;
}

}  // namespace headlight
