// Two pictures of all layers other than attention: the experts that each word chose, and what each generation step
// reads and adds.
#include <algorithm>
#include <cmath>

#include "core/base/text/in_sentence.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/views/network/network_scene.h"

namespace headlight {
namespace {

// In points: a column and a row of the kept keys, and the panel of a layer's experts.
constexpr float narrowest_kept = 34, widest_kept = 110, highest_kept = 44, kept_gap_from = 5, kept_corner = 4;
constexpr float experts_width = 250;

constexpr Index bytes_a_number = 2;

struct ExpertPanels : NetworkPart {
  const float pitch = caption * 1.8f;

  /// One row per word, one column per expert, and a last row with each expert's share of all words.
  void put(Index layer, Rect room) const {
    const Tensor& shares = item(facts.experts, layer);
    const Index batch = batch_of(shares.size(0)), count = shares.size(2);
    pen.text(TextRole::caption, Face::bold, caption, {room.min.x, room.min.y + pitch / 2}, Align::left,
             layer == looked.layer ? look.accent : look.ink, layer_title(layer));
    pen.target(room, SceneAction::layer, layer);
    const Index words = std::min(static_cast<Index>(std::ssize(facts.text)), shares.size(1));  // fewer in another stack
    const Index fits = std::clamp<Index>(static_cast<Index>(std::floor(room.height() / pitch + 0.01f)) - 3, 1, words);
    const float names = room.width() * 0.24f, cell = (room.width() - names) / static_cast<float>(count);
    const MatrixNumbers text(2, true);
    const bool numbers = pen.measure(Face::mono, pen.type.number, "0.00").x + Space::tight * u < cell;
    const auto line = [&](Index at, const std::string& name, const auto& share_of, float most, ImU32 colour) {
      const float top = room.min.y + static_cast<float>(at + 2) * pitch;
      pen.text(TextRole::word, Face::ui, caption, {room.min.x + names - Space::gap * u, top + pitch / 2}, Align::right,
               look.muted, name, names - Space::gap * u);
      pen.fill({{room.min.x + names, top + u}, {room.max.x, top + pitch - u}}, look.field);
      for (Index expert = 0; expert < count; ++expert) {
        const float share = share_of(expert), x = room.min.x + names + static_cast<float>(expert) * cell;
        if (!(share > 0)) continue;
        const Rect place{{x, top + u},
                         {x + std::max(cell - (cell > LeastCell::gap * u ? u : 0), 2.0f), top + pitch - u}};
        pen.fill(place, fade(colour, 0.12f + 0.4f * share / most));
        if (numbers) pen.number(pen.type.number, place.centre(), Align::middle, look.ink, text(share));
      }
    };
    for (Index expert = 0; expert < count && numbers; ++expert)
      pen.caption({room.min.x + names + (static_cast<float>(expert) + 0.5f) * cell, room.min.y + pitch * 1.5f},
                  Align::middle, std::to_string(expert));
    std::vector<float> means(static_cast<std::size_t>(count), 0);
    float most = 0;
    for (Index word = 0; word < words; ++word) {
      for (Index expert = 0; expert < count; ++expert) {
        const float share = shares.at({batch, word, expert});
        most = std::max(most, share);
        item(means, expert) += share / static_cast<float>(words);
      }
    }
    for (Index word = words - fits; word < words; ++word) {
      const auto share_of = [&](Index expert) { return shares.at({batch, word, expert}); };
      line(word - (words - fits), item(facts.text, word), share_of, most, look.after);
    }
    const auto mean_of = [&](Index expert) { return item(means, expert); };
    line(fits, say("network.all_words"), mean_of, *std::ranges::max_element(means), look.accent);
  }
};

const char* key_of(KeysShared shared) {
  switch (shared) {
    case KeysShared::mha: return "network.shared_mha";
    case KeysShared::gqa: return "network.shared_gqa";
    case KeysShared::mqa: return "network.shared_mqa";
    case KeysShared::mla: return "network.shared_mla";
  }
  return "network.shared_mha";
}

struct WritingTable : NetworkPart {
  Rect room;
  const Index at = written_word(facts, view), count = std::ssize(facts.text);

  /// The bytes of all layers together.
  std::string bytes(auto of_layer) const {
    Index sum = 0;
    for (const DecodeLayer& layer : facts.decode) sum += of_layer(layer) * bytes_a_number;
    return grouped(sum);
  }

  float put_totals() const {
    const std::vector<Named> values{
        {in_sentence(item(facts.text, at)), look.k},
        {std::to_string(at), look.ink},
        {bytes([&](const DecodeLayer& l) { return (at - l.first(at)) * l.numbers; }), look.ink},
        {bytes([](const DecodeLayer& l) { return l.numbers; }), look.ink},
        {bytes([&](const DecodeLayer& l) { return at * l.as_mha; }), look.ink}};
    return pen.sentence(TextRole::prose, say("network.writing_step"), values, room, pen.type.story, look.ink);
  }

  /// The legend; returns its height.
  float put_legend(float y) const {
    float x = room.min.x;
    for (const auto& [key, colour] :
         {std::pair{"network.kept_read", read()}, {"network.kept_new", look.k}, {"network.kept_hidden", look.field}}) {
      if (colour == look.field && !forgets()) continue;
      const std::string text(say(key));
      pen.fill({{x, y + caption * 0.3f}, {x + caption, y + caption * 1.3f}}, colour, Corner::cell * u);
      x = pen.caption({x + caption * 1.5f, y + caption * 0.8f}, Align::left, text).max.x + Space::row * u;
    }
    return caption * 2;
  }

  /// Whether there is a layer that does not read all words.
  bool forgets() const {
    return std::ranges::any_of(facts.decode, [](const DecodeLayer& l) { return l.window > 0 || l.chunk > 0; });
  }

  ImU32 read() const { return fade(look.k, 0.35f); }

  void put_row(const DecodeLayer& layer, Rect row, float names, float numbers, Index first, Index shown) const {
    const float cell = (row.width() - names - numbers) / static_cast<float>(shown);
    pen.caption({row.min.x, row.centre().y}, Align::left, label(layer), look.ink, names - Space::gap * u);
    for (Index i = first; i < std::min(first + shown, at + 1); ++i) {
      const float x = row.min.x + names + static_cast<float>(i - first) * cell;
      pen.fill({{x, row.min.y + u},
                {x + std::max(cell - (cell > kept_gap_from * u ? Space::fine * u : 0), 1.0f), row.max.y - u}},
               i == at               ? look.k
               : i < layer.first(at) ? look.field
                                     : read(),
               Corner::cell * u);
    }
    pen.number(pen.type.number, {row.max.x, row.centre().y}, Align::right, look.muted, text_of(layer));
  }

  std::string label(const DecodeLayer& layer) const {
    const Index seen = std::max(layer.window, layer.chunk);
    return layer.layer + "  " + name_of(layer) + (seen > 0 ? "  ≤ " + std::to_string(seen) : "");
  }
  std::string text_of(const DecodeLayer& layer) const {
    return grouped((at - layer.first(at)) * layer.numbers * bytes_a_number) + " + " +
           grouped(layer.numbers * bytes_a_number);
  }

  void put() {
    room.min.y += put_totals();
    room.min.y += put_legend(room.min.y);
    float names = 0, numbers = width_of(say("network.kept_bytes"));
    for (const DecodeLayer& layer : facts.decode) {
      names = std::max(names, width_of(label(layer)) + Space::card * u);
      numbers = std::max(numbers, pen.measure(Face::mono, pen.type.number, text_of(layer)).x);
    }
    names = std::min(names, room.width() * 0.3f);
    numbers += Space::card * u;
    const auto [first, shown] = part_around(at, count, room.width() - names - numbers, narrowest_kept * u);
    const float cell = std::min((room.width() - names - numbers) / static_cast<float>(shown), widest_kept * u);
    room.max.x = room.min.x + names + numbers + cell * static_cast<float>(shown);
    const float head = caption * 2.2f;
    for (Index i = first; i < first + shown; ++i) {
      const float x = room.min.x + names + static_cast<float>(i - first) * cell;
      const Rect word{{x, room.min.y}, {x + cell, room.min.y + head}};
      const Face face = i == at ? Face::bold : Face::ui;
      pen.text(TextRole::word, face, caption, {x + cell / 2, word.centre().y}, Align::middle,
               i == at  ? look.k
               : i > at ? look.muted
                        : look.ink,
               item(facts.text, i), cell - Space::tight * u);
      pen.target(word, SceneAction::query_word, i);
    }
    pen.caption({room.max.x, room.min.y + head / 2}, Align::right, say("network.kept_bytes"));
    room.min.y += head;
    const float foot = caption * 3.2f;
    const auto lit = std::ranges::find(facts.decode, layer_at(looked.layer).layer, &DecodeLayer::layer);
    const Index row = lit == facts.decode.end() ? 0 : lit - facts.decode.begin();
    const auto [top, rows] = part_around(row, std::ssize(facts.decode), room.height() - foot, caption * 1.7f);
    const float pitch = std::min((room.height() - foot) / static_cast<float>(rows), highest_kept * u);
    for (Index i = top; i < top + rows; ++i) {
      const DecodeLayer& each = item(facts.decode, i);
      const float y = room.min.y + static_cast<float>(i - top) * pitch;
      const Rect line{{room.min.x, y}, {room.max.x, y + pitch}};
      if (i == row)
        pen.box({{line.min.x - Space::near * u, y}, {line.max.x + Space::near * u, line.max.y}}, look.accent, 1,
                kept_corner * u);
      put_row(each, line, names, numbers, first, shown);
      const auto in_view = std::ranges::find(overview.layers, each.layer, &OverviewLayer::layer);
      pen.target(line, SceneAction::layer, in_view - overview.layers.begin());
    }
    const DecodeLayer& each = item(facts.decode, row);
    room.min.y += static_cast<float>(rows) * pitch + Space::near * u;
    pen.sentence(TextRole::caption,
                 say.fill(key_of(each.shared), {each.heads, each.kv_heads}) + " " +
                     say.fill("network.kept_says",
                              {grouped(each.numbers * bytes_a_number), grouped(each.as_mha * bytes_a_number)}),
                 {}, room, caption, look.muted);
  }
};

}  // namespace

Index written_word(const NetworkFacts& facts, const View& view) {
  const Index last = std::ssize(facts.text) - 1;
  return std::clamp<Index>(view.pointed.word.value_or(view.levels.query.value_or(last)), 0, last);
}

void put_experts(const NetworkPart& part, Rect room) {
  const NetworkFacts& facts = part.facts;
  std::vector<Index> layers;
  Index at = 0;
  for (Index l = 0; l < std::ssize(facts.experts); ++l) {
    if (!item(facts.experts, l).defined()) continue;
    if (l <= part.looked.layer) at = std::ssize(layers);
    layers.push_back(l);
  }
  if (layers.empty() || facts.text.empty()) return;
  const ExpertPanels panels{part};
  const Index columns =
      std::clamp<Index>(static_cast<Index>(room.width() / (experts_width * part.u)), 1, std::ssize(layers));
  const float gap = Space::row * part.u, width = room.width() / static_cast<float>(columns);
  const Index all_rows = (std::ssize(layers) + columns - 1) / columns;
  const auto [top, rows] = part_around(at / columns, all_rows, room.height(), panels.pitch * 6);
  const float height = std::min(room.height() / static_cast<float>(rows),
                                panels.pitch * static_cast<float>(std::ssize(facts.text) + 3) + gap);
  const Index last = std::min((top + rows) * columns, static_cast<Index>(std::ssize(layers)));
  for (Index i = top * columns; i < last; ++i) {
    const ImVec2 corner{room.min.x + static_cast<float>(i % columns) * width,
                        room.min.y + static_cast<float>(i / columns - top) * height};
    panels.put(item(layers, i), {corner, {corner.x + width - gap, corner.y + height - gap}});
  }
}

void put_writing(const NetworkPart& part, Rect room) {
  if (!part.facts.decode.empty() && !part.facts.text.empty()) WritingTable{part, room}.put();
}

}  // namespace headlight
