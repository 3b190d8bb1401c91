// The picture of a logit's parts: the words to choose from, one bar for each part, and beside them the current head's
// part split by source word.
#include "ui/views/operation/why.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text/in_sentence.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/parts.h"

namespace headlight {
using namespace operation;

namespace {

using What = LogitPart::What;

bool is_of_heads(const LogitPart& part) { return part.what == What::head || part.what == What::attention_bias; }

/// The index of a token among the words; it is added if it is not among them.
std::size_t index_of(std::vector<WhyWord>& words, const Network& network, const MatrixView& logits, Index row,
                     Index token) {
  const auto found = std::ranges::find(words, token, &WhyWord::token);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  words.push_back({network.word(token), token, logits(row, token)});
  return words.size() - 1;
}

std::string signed_text(double value) {
  const std::string text = MatrixNumbers(2, false)(static_cast<float>(value));
  return value > 0 && text.front() >= '0' && text.front() <= '9' ? "+" + text : text;
}

/// In points.
struct WhySizes {
  static constexpr float sources_from = 780, before_sources = 36, least_sources = 200;
  static constexpr float highest_part = 34, highest_source = 30, thickest_part = 18, least_bars_width = 30;
};

struct WhyPicture : ScenePart {
  const WhyParts& why;
  Rect area;
  const float caption = pen.type.caption;
  const WhyWord& word = why.words[why.chosen];
  Rect bars{}, beside{};  ///< of the parts; of the head by its words, if they fit

  const WhyWord* other() const { return why.than ? &why.words[*why.than] : nullptr; }
  const char* here(std::string_view key) const { return say(key_here(context, key)); }
  double together() const {
    return static_cast<double>(word.logit) - (other() ? static_cast<double>(other()->logit) : 0);
  }

  void put_titles() {
    const std::vector<Named> names{{in_sentence(word.word), look.after},
                                   {in_sentence(other() ? other()->word : std::string()), look.v},
                                   {in_sentence(why.here), look.q},
                                   {printed(together()).text, look.ink}};
    Rect room = area;
    if (!presenting) room.max.x -= put_facets(pen, area);
    const Align align = presenting ? Align::middle : Align::left;
    area.min.y += pen.sentence(TextRole::prose, say(other() ? "why.title_than" : "why.title"), names, room,
                               pen.type.title, look.ink, align);
    room = area;  // below the tabs
    area.min.y += pen.sentence(TextRole::story, here(why.missing ? why.missing : "why.story"), names, room,
                               pen.type.story, why.missing ? look.warning : look.muted, align) +
                  Space::gap * u;
  }

  /// A line of words, one of them chosen; returns the y below it.
  float put_choice(float y, float names, const char* title, bool than) const {
    const float height = caption * 2.1f;
    pen.caption({area.min.x, y + height / 2}, Align::left, here(title));
    std::vector<Chip> chips;
    float end = area.min.x + names;
    const auto offer = [&](const Chip& chip) {
      const float width = pen.measure(chip.lit ? Face::bold : Face::ui, caption, chip.words).x + ControlPad::small * u;
      if (end + width > area.max.x) return;
      chips.push_back(chip);
      end += width + Space::near * u;
    };
    if (than) offer({say("why.none"), SceneAction::than, -1, !why.than});
    for (std::size_t i = 0; i < why.words.size(); ++i) {
      if (than && i == why.chosen) continue;
      offer({why.words[i].word, than ? SceneAction::than : SceneAction::explained, why.words[i].token,
             than ? why.than == i : why.chosen == i});
    }
    pen.chips({{area.min.x + names, y}, area.max}, chips, height, 20);
    return y + height + Space::close * u;
  }

  void put_choices() {
    if (presenting) return;
    const float names = std::max(pen.measure(Face::ui, caption, here("why.word")).x,
                                 pen.measure(Face::ui, caption, say("why.than")).x) +
                        Space::card * u;
    area.min.y = put_choice(area.min.y, names, "why.word", false);
    area.min.y = put_choice(area.min.y, names, "why.than", true) + Space::gap * u;
  }

  std::string name_of(const WhyBar& bar) const {
    const LogitPart& first = why.parts[bar.parts.front()];
    const std::string layer = first.layer ? why.layers[static_cast<std::size_t>(*first.layer)] : std::string();
    const bool same = std::ranges::all_of(
        bar.parts, [&](std::size_t i) { return is_of_heads(why.parts[i]) && why.parts[i].layer == first.layer; });
    if (bar.parts.size() > 1) return same ? say.fill("why.heads", {layer}) : say.fill("why.rest", {bar.parts.size()});
    switch (first.what) {
      case What::token: return say.fill(key_here(context, "why.token"), {in_sentence(why.here)});
      case What::position: return std::string(say("why.position"));
      case What::head: return say.fill("why.head", {layer, *first.head});
      case What::attention_bias: return say.fill("why.attention_bias", {layer});
      case What::mlp: return say.fill("why.mlp", {layer});
      case What::final_bias: return std::string(say("why.final_bias"));
    }
    return {};
  }

  struct Line {
    std::string name;
    double value = 0;
    std::optional<Cell> head;  ///< layer and head that a click shows
    bool lit = false;
    ImU32 colour = 0;
  };

  /// Signed bars with a common zero, each with its name and number.
  void put_lines(const std::vector<Line>& lines, Rect room, float pitch) const {
    float names = 0, low = 0, high = 0;
    const float numbers = pen.measure(Face::mono, pen.type.number, "−00.00").x + Space::gap * u;
    for (const Line& line : lines) {
      names = std::max(names, pen.measure(Face::ui, caption, line.name).x);
      low = std::min(low, static_cast<float>(line.value));
      high = std::max(high, static_cast<float>(line.value));
    }
    names = std::min(names + Space::apart * u, room.width() * 0.42f);
    const float left = room.min.x + names, width = room.max.x - numbers - left;
    const float zero = left + (high > low ? -low / (high - low) : 0) * width;
    if (width < WhySizes::least_bars_width * u) return;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Line& line = lines[i];
      const float y = room.min.y + (static_cast<float>(i) + 0.5f) * pitch;
      const Rect row{{room.min.x, y - pitch / 2}, {room.max.x, y + pitch / 2}};
      if (line.lit) pen.fill(row.grown(u), look.field, Corner::cell * u);
      pen.caption({left - Space::pad * u, y}, Align::right, line.name, look.ink, names - Space::pad * u);
      const auto value = static_cast<float>(line.value);
      const ImU32 colour = line.colour != 0 ? line.colour : sign_colour(pen, value);
      pen.bar({zero, y}, {zero + value / std::max(high - low, 1e-9f) * width, y},
              std::min(pitch * 0.62f, WhySizes::thickest_part * u), colour, value);
      pen.number(pen.type.number, {room.max.x, y}, Align::right, look.ink, signed_text(line.value));
      if (line.head) pen.target(row, SceneAction::head, line.head->head, *line.head);
    }
    const float bottom = room.min.y + static_cast<float>(lines.size()) * pitch;
    pen.line({zero, room.min.y}, {zero, bottom}, look.muted, 1);
    pen.add_content({room.min, {room.max.x, bottom}});
  }

  void lay_out() {
    area.max.y -= caption * 2.2f;
    bars = beside = area;
    const bool has_room = area.width() >= WhySizes::sources_from * u && looked_at() != nullptr;
    if (has_room) bars.max.x = area.min.x + area.width() * 0.58f;
    beside.min.x = has_room ? bars.max.x + WhySizes::before_sources * u : area.max.x;
  }

  /// The current head's part, if its sources are known; else null.
  const LogitPart* looked_at() const {
    const auto part = std::ranges::find_if(why.parts, [&](const LogitPart& each) {
      return each.what == What::head && each.layer == why.layer && each.head == view.head;
    });
    return part == why.parts.end() || part->sources.empty() ? nullptr : &*part;
  }

  void put_parts() const {
    const float least = std::max(caption * 1.35f, pen.type.number * 1.35f);
    const auto most = static_cast<std::size_t>(std::max(bars.height() / least, 2.0f));
    const std::vector<WhyBar> shown = why_bars(why, most);
    std::vector<Line> lines;
    for (const WhyBar& bar : shown) {
      const LogitPart& part = why.parts[bar.parts.front()];
      Line line{name_of(bar), bar.value, {}, false, 0};
      if (bar.parts.size() == 1 && part.head) {
        line.head = Cell{Stage::weights, *part.layer, *part.head, why.place, 0};
        line.lit = part.layer == why.layer && *part.head == view.head;
      }
      lines.push_back(std::move(line));
    }
    const float pitch = std::min(bars.height() / static_cast<float>(lines.size()), WhySizes::highest_part * u);
    put_lines(lines, bars, pitch);
    const float y = bars.min.y + pitch * static_cast<float>(lines.size()) + caption * 1.2f;
    double sum = 0;
    for (const LogitPart& part : why.parts) sum += part.value;
    const std::string difference = other() ? printed(static_cast<double>(word.logit)).text + " − " +
                                                 printed(static_cast<double>(other()->logit)).text
                                           : std::string();
    const std::string text = say.fill(
        other() ? "why.together_than" : "why.together",
        {printed(sum).text, difference, printed(std::abs(sum - together()) < 1e-4 ? 0 : sum - together()).text});
    pen.caption({bars.min.x, y}, Align::left, text, {}, area.width());
  }

  /// The current head's part, split by source word.
  void put_sources() const {
    const LogitPart* const part = looked_at();
    if (!part || beside.width() < WhySizes::least_sources * u) return;
    Rect room = beside;
    const std::string title =
        say.fill(key_here(context, "why.by_word"), {why.layers[static_cast<std::size_t>(why.layer)], *part->head});
    pen.label(TextRole::caption, true, caption, {room.min.x, room.min.y + caption * 0.7f}, Align::left,
              look.head_ink(view.head), title, room.width());
    room.min.y += caption * 2;
    const float least = std::max(caption * 1.35f, pen.type.number * 1.35f);
    const auto most = static_cast<std::size_t>(std::max(room.height() / least - 1, 1.0f));
    std::vector<std::size_t> shown;
    for (std::size_t k = 0; k < part->sources.size(); ++k) {
      if (part->sources[k] != 0) shown.push_back(k);
    }
    std::vector<std::size_t> order = shown;
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t k) { return std::abs(part->sources[k]); });
    order.resize(std::min(order.size(), shown.size() > most ? most - 1 : most));
    std::vector<Line> lines;
    double rest = part->value;
    for (const std::size_t k : shown) {
      if (std::ranges::find(order, k) == order.end()) continue;
      rest -= part->sources[k];
      lines.push_back({k < why.sources.size() ? why.sources[k] : std::to_string(k),
                       part->sources[k],
                       {},
                       false,
                       look.head(view.head)});
    }
    if (lines.size() < shown.size())
      lines.push_back({say.fill(key_here(context, "why.rest_words"), {shown.size() - lines.size()}),
                       rest,
                       {},
                       false,
                       look.head(view.head)});
    if (!lines.empty())
      put_lines(lines, room, std::min(room.height() / static_cast<float>(lines.size()), WhySizes::highest_source * u));
  }
};

}  // namespace

WhyParts why_parts(const Trace& trace, const View& view, const OtherPass& other, Index place,
                   std::optional<Index> token, std::optional<Index> than) {
  constexpr Index offered = 6;
  const auto own = network_of(trace.inputs);
  const NetworkRun& run = other.without_head ? *other.run : *own;
  const Network& network = *run.network;
  const Index batch = std::min(view.batch, run.logits.size(0) - 1);
  WhyParts why;
  const bool one_row = run.logits.size(1) == 1;
  why.place = one_row || place < 0 ? position_of_prediction(run, batch) : place;
  const Index row = one_row ? 0 : why.place;
  const MatrixView logits = run.logits.matrix(batch);
  for (const LikelyToken& likely : most_likely(run, batch, row, offered))
    why.words.push_back({likely.text, likely.id, logits(row, likely.id)});
  if (token && *token < logits.cols) why.chosen = index_of(why.words, network, logits, row, *token);
  if (than && *than < logits.cols) {
    const std::size_t index = index_of(why.words, network, logits, row, *than);
    if (index != why.chosen) why.than = index;
  }
  for (const NetworkLayer& layer : network.layers()) why.layers.push_back(layer.layer);
  why.layer = network.layer_or_first(trace.scenario.layer);
  const bool decodes = run.text.decoder.count() > 0;
  const auto& read = (decodes ? run.text.decoder : run.text.tokens).entries[static_cast<std::size_t>(batch)];
  if (why.place < std::ssize(read)) why.here = read[static_cast<std::size_t>(why.place)].text;
  for (const Token& each : run.keys_of(why.layer).entries[static_cast<std::size_t>(batch)])
    why.sources.push_back(each.text);
  if (!network.has_parts()) why.missing = "why.not_linear";
  else if (!run.layers.back().heads.defined()) why.missing = "why.too_long";
  if (why.missing) return why;
  const std::optional<Index> less = why.than ? std::optional(why.words[*why.than].token) : std::nullopt;
  why.parts = network.parts_of(run, batch, why.words[why.chosen].token, less, why.place).parts;
  std::erase_if(why.parts, [](const LogitPart& part) { return part.value == 0 && part.what != What::head; });
  return why;
}

std::vector<WhyBar> why_bars(const WhyParts& why, std::size_t most) {
  std::vector<WhyBar> bars;
  const bool folds = why.parts.size() > most;
  for (std::size_t i = 0; i < why.parts.size(); ++i) {
    const LogitPart& part = why.parts[i];
    const LogitPart* const before = bars.empty() ? nullptr : &why.parts[bars.back().parts.front()];
    const bool joins = folds && before && is_of_heads(part) && is_of_heads(*before) && part.layer == before->layer &&
                       part.layer != why.layer;
    if (!joins) bars.emplace_back();
    bars.back().parts.push_back(i);
    bars.back().value += part.value;
  }
  if (bars.size() <= most || most < 2) return bars;
  std::vector<std::size_t> order(bars.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return std::abs(bars[i].value); });
  std::vector<bool> kept(bars.size());
  for (std::size_t i = 0; i + 1 < most; ++i) kept[order[i]] = true;
  std::vector<WhyBar> shown;
  WhyBar rest;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (kept[i]) {
      shown.push_back(std::move(bars[i]));
      continue;
    }
    rest.value += bars[i].value;
    rest.parts.insert(rest.parts.end(), bars[i].parts.begin(), bars[i].parts.end());
  }
  shown.push_back(std::move(rest));
  return shown;
}

Scene make_why(const SceneContext& context, const WhyParts& why, Rect place) {
  Scene scene;
  Pen pen(context, scene);
  WhyPicture picture{pen, why, scene_area(context, place)};
  picture.put_titles();
  picture.put_choices();
  if (why.missing) return scene;
  picture.lay_out();
  picture.put_parts();
  picture.put_sources();
  return scene;
}

}  // namespace headlight
