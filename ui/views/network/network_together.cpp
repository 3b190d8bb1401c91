// Matrices computed from all layers of a network: one large matrix, and the layers' means that it is computed from.
#include <algorithm>
#include <cmath>

#include "core/compute/network/network.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/look/measure.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/parts/scene/pen.h"
#include "ui/parts/widgets/card.h"
#include "ui/views/network/network_scene.h"
#include "ui/views/sentence/patch_picture.h"

namespace headlight {
namespace {

constexpr float together_gap_from = 8, least_average = 10, least_beside = 40;  // points
constexpr float largest_beside = 150, largest_above = 96;                      // pictures of the means

std::vector<std::string> words_along(const WordLines& lines, Index batch, Index count) {
  if (lines.empty()) return {};
  const std::vector<std::string>& words = item(lines, std::min<Index>(batch, std::ssize(lines) - 1));
  return std::ssize(words) == count ? words : std::vector<std::string>{};
}

/// The mean of each layer in the selected layer's stack, and the matrix of all layers up to it.
struct Together : NetworkPart {
  Rect room;
  const std::vector<Index> stack = layers_with_averages();

  /// The layers of the stack whose means are stored.
  std::vector<Index> layers_with_averages() const {
    const OverviewLayer& last = layer_at(looked.layer);
    std::vector<Index> layers;
    for (Index l = 0; l < std::ssize(overview.layers); ++l) {
      const OverviewLayer& each = layer_at(l);
      if (each.stack == last.stack && each.cross == last.cross && each.summary.mean.defined()) layers.push_back(l);
    }
    return layers;
  }

  /// The numbers of the cells, if there is room for two digits.
  void put_numbers(const Rect& at, float side) const {
    const float number = pen.type.number * 0.9f;
    if (side < pen.measure(Face::mono, number, "0.00").x + Space::near * u) return;
    const MatrixNumbers figures(2, true);
    const MatrixView shares = facts.together.matrix();
    for (Index q = 0; q < facts.rows_together; ++q) {
      for (Index k = 0; k < shares.cols; ++k) {
        if (shares(q, k) < 0.005f) continue;
        pen.number(number, {middle_of(at.min.x, side, k), middle_of(at.min.y, side, q)}, Align::middle,
                   shares(q, k) > 0.55f ? look.card : look.ink, figures(shares(q, k)));
      }
    }
  }

  /// Over the picture if the network reads one, otherwise with words along it if there is room.
  void put_matrix() const {
    if (!facts.together.defined()) {
      const bool comes = facts.together_missing.empty();
      pen.sentence(TextRole::story, say(comes ? "network.coming" : facts.together_missing), {}, room, pen.type.story,
                   comes ? look.muted : look.warning);
      return;
    }
    const Index rows = facts.together.size(0), cols = facts.together.size(1);
    const auto run = network_of(trace.inputs);
    const std::optional<PatchPicture> picture = run ? patch_picture(*run, view.batch) : std::nullopt;
    if (picture && rows == cols) {
      const Index query = std::clamp<Index>(view.levels.query.value_or(0), 0, rows - 1);
      if (query < facts.rows_together)
        sentence_parts::put_patch_row(pen, *picture, facts.together.matrix(), query, room);
      return;
    }
    const OverviewLayer& layer = layer_at(looked.layer);
    const std::vector<std::string> queries = words_along(*layer.queries, view.batch, rows),
                                   keys = words_along(*layer.keys, view.batch, cols);
    float left = 0, longest = 0;
    for (const std::string& word : queries) left = std::max(left, width_of(word));
    for (const std::string& word : keys) longest = std::max(longest, width_of(word));
    left = std::min(left, room.width() * 0.2f);
    const float below = keys.empty() ? 0 : std::min(longest, room.height() * 0.2f) * 0.72f + caption;
    const float side = std::min((room.width() - left - Space::apart * u) / static_cast<float>(cols),
                                (room.height() - below - Space::pad * u) / static_cast<float>(rows));
    const float x = room.min.x + left + Space::gap * u;
    const Rect at{{x, room.min.y}, {x + side * static_cast<float>(cols), room.min.y + side * static_cast<float>(rows)}};
    MatrixQuad quad = matrix_quad(context, Stage::weights, facts.together.view({1, 1, rows, cols}), {0, 1});
    quad.row_ranges = has_row_ranges(cols);
    quad.cell_gap = side >= together_gap_from * u ? u : 0;
    quad.revealed = facts.rows_together < rows ? facts.rows_together * cols : -1;
    pen.matrix(std::move(quad), card_on_pixels(at));
    pen.add_content(at);
    const float least = caption * 1.15f;
    const Index step = std::max<Index>(1, static_cast<Index>(std::ceil(least / side)));
    for (Index q = 0; q < std::ssize(queries); q += step)
      pen.text(TextRole::word, Face::ui, caption, {at.min.x - Space::near * u, middle_of(at.min.y, side, q)},
               Align::right, look.ink, item(queries, q), left);
    for (Index k = 0; k < std::ssize(keys); k += step)
      pen.turned(Face::ui, caption, {middle_of(at.min.x, side, k) + caption * 0.3f, at.max.y + caption * 0.6f}, -45,
                 look.ink,
                 elide(context.fonts, Face::ui, caption, item(keys, k), (below - caption) / 0.72f + caption * 0.2f));
    put_numbers(at, side);
  }

  /// The means, in a row above the large matrix or in a column right of it; those that it is computed from have a
  /// frame. A click selects the last layer. Returns their height or width.
  float put_averages(bool beside) const {
    if (stack.size() < 2) return 0;
    const auto count = static_cast<float>(stack.size());
    const float named = caption * 1.8f;  // the last one has a name too
    const float along = beside ? room.height() - named : room.width(),
                gap = (beside ? named : 0) + std::min(Space::pad * u, along / count * 0.12f);
    const float side = std::min({(along + gap) / count - gap, beside ? room.width() * 0.24f : room.height() * 0.2f,
                                 (beside ? largest_beside : largest_above) * u});
    if (side < least_average * u) return 0;
    float x = beside ? room.max.x - side : room.min.x, y = room.min.y, named_to = room.min.x - 1;
    for (const Index l : stack) {
      const std::string& layer = layer_at(l).layer;
      const Tensor& mean = layer_at(l).summary.mean;
      const bool chosen = l == looked.layer,
                 taken = view.network.together == LayersTogether::mean ? chosen : l <= looked.layer;
      const Rect place = card_on_pixels({{x, y}, {x + side, y + side}});
      MatrixQuad quad =
          matrix_quad(context, Stage::weights, mean.view({mean.size(0), 1, mean.size(1), mean.size(2)}), {0, 1});
      quad.batch = batch_of(mean.size(0));
      quad.row_ranges = has_row_ranges(mean.size(2));
      quad.opacity = taken ? 1 : 0.35f;
      pen.matrix(std::move(quad), place);
      pen.box(place.grown(1), chosen ? look.accent : taken ? look.ink : look.line, chosen ? Stroke::chosen(u) : 1);
      std::string name = layer_title(l);
      if (width_of(name) > side) name = layer.substr(layer.rfind('.') + 1);
      const float half = width_of(name) / 2;
      if (beside || place.centre().x - half > named_to + Space::fine * u) {
        pen.caption({place.centre().x, place.max.y + caption * 0.8f}, Align::middle, name,
                    chosen ? look.ink : look.muted);
        named_to = place.centre().x + half;
      }
      pen.target(place, SceneAction::layer, l);
      (beside ? y : x) += side + gap;
    }
    return beside ? side + Space::section * u : side + named;
  }
};

}  // namespace

float put_ways(const NetworkPart& part, Rect room) {
  const NetworkFacts& facts = part.facts;
  const auto run = network_of(part.trace.inputs);
  const bool predicts = run && run->logits.defined(), reads = run && !run->network->spec().takes_tensors;
  const auto has = [&](LayersTogether way) {
    switch (way) {
      case LayersTogether::lens: return predicts;
      case LayersTogether::patch: return predicts && reads && run->network->spec().stacks.size() == 1;
      case LayersTogether::study: return reads && !run->network->spec().picture;
      case LayersTogether::experts: return !facts.experts.empty();
      case LayersTogether::writing: return !facts.decode.empty();
      default: return true;
    }
  };
  std::vector<Chip> ways;
  for (std::size_t i = 0; i < std::size(layer_words); ++i) {
    const auto way = static_cast<LayersTogether>(i);
    const std::string key =
        way == LayersTogether::none ? "network.every_head" : std::string("network.") + layer_words[i];
    if (has(way))
      ways.push_back({part.say(key_for(part.trace, key)), SceneAction::together, static_cast<Index>(i),
                      part.view.network.together == way});
  }
  return part.pen.chips(room, ways, part.caption * 2.1f, 20) + Space::apart * part.u - room.min.y;
}

void put_together(const NetworkPart& part, Rect room) {
  Together together{part, room};
  // Next to the matrix if that makes it larger and leaves enough room for each mean.
  const auto layers = static_cast<float>(std::max<std::size_t>(1, together.stack.size()));
  const bool beside =
      room.width() > room.height() * 1.15f && room.height() / layers > part.caption * 2 + least_beside * part.u;
  const float taken = together.put_averages(beside);
  (beside ? together.room.max.x : together.room.min.y) += beside ? -taken : taken;
  together.put_matrix();
}

}  // namespace headlight
