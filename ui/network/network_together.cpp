// What the layers of a network give together: one large matrix, and the layers' averages that it is made of.
#include <algorithm>
#include <cmath>

#include "core/network/network.h"
#include "core/scenario/inputs.h"
#include "ui/frame/colormaps.h"
#include "ui/level/matrix_numbers.h"
#include "ui/network/network_scene.h"
#include "ui/sentence/patch_picture.h"

namespace headlight {
namespace {

std::vector<std::string> words_along(const WordLines& lines, Index batch, Index count) {
  if (lines.empty()) return {};
  std::vector<std::string> words = lines[static_cast<std::size_t>(std::min<Index>(batch, std::ssize(lines) - 1))];
  return static_cast<Index>(words.size()) == count ? words : std::vector<std::string>{};
}

/// The numbers of the cells, where these have room for two digits.
void put_numbers(Pen& pen, const NetworkFacts& facts, const Rect& at, float side) {
  const float number = pen.type.number * 0.9f;
  if (side < pen.measure(Face::mono, number, "0.00").x + 6 * pen.u()) return;
  const MatrixNumbers figures(2, true);
  const MatrixView shares = facts.together.matrix();
  for (Index q = 0; q < facts.rows_together; ++q) {
    for (Index k = 0; k < shares.cols; ++k) {
      if (shares(q, k) < 0.005f) continue;
      pen.text(TextRole::number, Face::mono, number,
               {at.min.x + (static_cast<float>(k) + 0.5f) * side, at.min.y + (static_cast<float>(q) + 0.5f) * side},
               Align::middle, shares(q, k) > 0.55f ? pen.look().card : pen.look().ink, figures(shares(q, k)));
    }
  }
}

using sentence_parts::put_patch_row;

/// One matrix of all layers up to the one that is looked at, words along it as far as there is room.
void put_matrix(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room) {
  const SceneContext& context = pen.context();
  const Look& look = pen.look();
  const float u = pen.u();
  if (!facts.together.defined()) {
    const bool comes = facts.together_missing.empty();
    pen.sentence(TextRole::story, context.words(comes ? "network.coming" : facts.together_missing), {}, room,
                 pen.type.story, comes ? look.muted : look.warning);
    return;
  }
  const auto run = network_of(context.trace.inputs);
  const std::optional<PatchPicture> picture = run ? patch_picture(*run, context.view.batch) : std::nullopt;
  if (picture && facts.together.size(0) == facts.together.size(1)) {
    const Index query = std::clamp<Index>(context.view.looking.query.value_or(0), 0, facts.together.size(0) - 1);
    if (query < facts.rows_together) put_patch_row(pen, *picture, facts.together.matrix(), query, room);
    return;
  }
  const OverviewLayer& layer = overview.layers[static_cast<std::size_t>(looked_at_head(overview, context.view).layer)];
  const Index rows = facts.together.size(0), cols = facts.together.size(1);
  const std::vector<std::string> queries = words_along(*layer.queries, context.view.batch, rows),
                                 keys = words_along(*layer.keys, context.view.batch, cols);
  const float points = pen.type.caption;
  float left = 0, longest = 0;
  for (const std::string& word : queries) left = std::max(left, pen.measure(Face::ui, points, word).x);
  for (const std::string& word : keys) longest = std::max(longest, pen.measure(Face::ui, points, word).x);
  left = std::min(left, room.width() * 0.2f);
  const float below = keys.empty() ? 0 : std::min(longest, room.height() * 0.2f) * 0.72f + points;
  const float side = std::min((room.width() - left - 12 * u) / static_cast<float>(cols),
                              (room.height() - below - 10 * u) / static_cast<float>(rows));
  const Rect at{
      {room.min.x + left + 8 * u, room.min.y},
      {room.min.x + left + 8 * u + side * static_cast<float>(cols), room.min.y + side * static_cast<float>(rows)}};
  MatrixQuad quad;
  quad.values = facts.together.view({1, 1, rows, cols});
  quad.colormap = &window_colormap(context.view, Stage::weights);
  quad.range = {0, 1};
  quad.row_ranges = has_row_ranges(cols);
  quad.theme = look.theme;
  quad.scale = u;
  quad.cell_gap = side >= 8 * u ? u : 0;
  quad.revealed = facts.rows_together < rows ? facts.rows_together * cols : -1;
  quad.min = {std::round(at.min.x), std::round(at.min.y)};
  quad.max = {std::round(at.max.x), std::round(at.max.y)};
  pen.scene().items.emplace_back(SceneMatrix{quad, {quad.min, quad.max}});
  pen.add_content(at);
  const float least = points * 1.15f;
  const Index step = std::max<Index>(1, static_cast<Index>(std::ceil(least / side)));
  for (Index q = 0; q < static_cast<Index>(queries.size()); q += step) {
    const std::string& word = queries[static_cast<std::size_t>(q)];
    pen.text(TextRole::word, Face::ui, points, {at.min.x - 6 * u, at.min.y + (static_cast<float>(q) + 0.5f) * side},
             Align::right, look.ink, elide(context.fonts, Face::ui, points, word, left));
  }
  for (Index k = 0; k < static_cast<Index>(keys.size()); k += step) {
    const std::string& word = keys[static_cast<std::size_t>(k)];
    pen.turned(Face::ui, points,
               {at.min.x + (static_cast<float>(k) + 0.5f) * side + points * 0.3f, at.max.y + points * 0.6f}, -45,
               look.ink, elide(context.fonts, Face::ui, points, word, (below - points) / 0.72f + points * 0.2f));
  }
  put_numbers(pen, facts, at, side);
}

/// The layers of the looked-at one's stack whose averages are kept.
std::vector<Index> averages_of(const HeadOverview& overview, HeadPlace at) {
  const OverviewLayer& last = overview.layers[static_cast<std::size_t>(at.layer)];
  std::vector<Index> stack;
  for (Index l = 0; l < std::ssize(overview.layers); ++l) {
    const OverviewLayer& each = overview.layers[static_cast<std::size_t>(l)];
    if (each.stack == last.stack && each.cross == last.cross && each.summary.mean.defined()) stack.push_back(l);
  }
  return stack;
}

/// The average of each layer of the stack, in a row over the large matrix or in a column right of it; those that it is
/// made of are framed. A click: up to that layer. Gives the height or the width that they take.
float put_averages(Pen& pen, const HeadOverview& overview, Rect room, HeadPlace at, bool beside) {
  const SceneContext& context = pen.context();
  const Look& look = pen.look();
  const float u = pen.u(), caption = pen.type.caption;
  const std::vector<Index> stack = averages_of(overview, at);
  if (stack.size() < 2) return 0;
  const auto count = static_cast<float>(stack.size());
  const float named = caption * 1.8f;
  const float along = beside ? room.height() : room.width(),
              gap = (beside ? named : 0) + std::min(10 * u, along / count * 0.12f);
  const float side = std::min(
      {(along + gap) / count - gap, beside ? room.width() * 0.24f : room.height() * 0.2f, (beside ? 150 : 96) * u});
  if (side < 10 * u) return 0;
  float x = beside ? room.max.x - side : room.min.x, y = room.min.y, said_to = room.min.x - 1;
  for (const Index l : stack) {
    const OverviewLayer& layer = overview.layers[static_cast<std::size_t>(l)];
    const Tensor& mean = layer.summary.mean;
    const bool chosen = l == at.layer,
               taken = context.view.network.together == LayersTogether::mean ? chosen : l <= at.layer;
    const Rect place{{std::round(x), std::round(y)}, {std::round(x + side), std::round(y + side)}};
    MatrixQuad quad;
    quad.values = mean.view({mean.size(0), 1, mean.size(1), mean.size(2)});
    quad.batch = std::min(context.view.batch, mean.size(0) - 1);
    quad.colormap = &window_colormap(context.view, Stage::weights);
    quad.range = {0, 1};
    quad.row_ranges = has_row_ranges(mean.size(2));
    quad.theme = look.theme;
    quad.scale = u;
    quad.opacity = taken ? 1 : 0.35f;
    quad.min = place.min;
    quad.max = place.max;
    pen.scene().items.emplace_back(SceneMatrix{quad, place});
    pen.box({{place.min.x - 1, place.min.y - 1}, {place.max.x + 1, place.max.y + 1}},
            chosen  ? look.accent
            : taken ? look.ink
                    : look.line,
            chosen ? std::max(2.0f, 2 * u) : 1);
    const std::string name = context.words.fill("network.layer", {layer.layer}),
                      number = layer.layer.substr(layer.layer.rfind('.') + 1);
    const std::string& said = pen.measure(Face::ui, caption, name).x <= side ? name : number;
    const float half = pen.measure(Face::ui, caption, said).x / 2;
    if (beside || place.centre().x - half > said_to + 2 * u) {
      pen.text(TextRole::caption, Face::ui, caption, {place.centre().x, place.max.y + caption * 0.8f}, Align::middle,
               chosen ? look.ink : look.muted, said);
      said_to = place.centre().x + half;
    }
    pen.target(place, SceneAction::layer, l);
    (beside ? y : x) += side + gap;
  }
  return beside ? side + 24 * u : side + named;
}

}  // namespace

float put_ways(Pen& pen, const NetworkFacts& facts, Rect room) {
  const Look& look = pen.look();
  const float u = pen.u(), pixels = pen.type.caption, height = pixels * 2.1f;
  constexpr std::pair<LayersTogether, const char*> ways[] = {
      {LayersTogether::none, "network.every_head"}, {LayersTogether::mean, "network.mean"},
      {LayersTogether::rollout, "network.rollout"}, {LayersTogether::flow, "network.flow"},
      {LayersTogether::lens, "network.lens"},       {LayersTogether::patch, "network.patch"},
      {LayersTogether::study, "network.study"},     {LayersTogether::experts, "network.experts"},
      {LayersTogether::writing, "network.writing"}};
  const auto run = network_of(pen.context().trace.inputs);
  float x = room.min.x, y = room.min.y;
  for (const auto& [way, key] : ways) {
    const bool says = run && run->logits.defined(), reads = run && !run->network->spec().takes_tensors;
    const bool reads_sentences = reads && !run->network->spec().picture;
    const bool there = way == LayersTogether::lens      ? says
                       : way == LayersTogether::patch   ? says && reads && run->network->spec().stacks.size() == 1
                       : way == LayersTogether::experts ? !facts.experts.empty()
                       : way == LayersTogether::writing ? !facts.decode.empty()
                                                        : way != LayersTogether::study || reads_sentences;
    if (!there) continue;
    const std::string words = pen.context().words(said_of(pen.context().trace, key));
    const bool lit = pen.context().view.network.together == way;
    const Face face = lit ? Face::bold : Face::ui;
    const float width = pen.measure(face, pixels, words).x + 20 * u;
    if (x + width > room.max.x && x > room.min.x) x = room.min.x, y += height + 6 * u;
    const Rect chip{{x, y}, {x + width, y + height}};
    pen.fill(chip, lit ? look.field : look.card, height / 2);
    pen.box(chip, lit ? look.accent : look.line, 1, height / 2);
    pen.text(TextRole::caption, face, pixels, chip.centre(), Align::middle, look.ink, words);
    pen.target(chip, SceneAction::together, static_cast<Index>(way));
    x += width + 6 * u;
  }
  return y + height + 12 * u - room.min.y;
}

void put_together(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room, HeadPlace at) {
  // Beside it where that leaves the matrix larger and each average some room.
  const auto layers = static_cast<float>(std::max<std::size_t>(1, averages_of(overview, at).size()));
  const bool beside =
      room.width() > room.height() * 1.15f && room.height() / layers > pen.type.caption * 2 + 40 * pen.u();
  const float taken = put_averages(pen, overview, room, at, beside);
  (beside ? room.max.x : room.min.y) += beside ? -taken : taken;
  put_matrix(pen, overview, facts, room);
}

}  // namespace headlight
