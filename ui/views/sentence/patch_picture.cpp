#include "ui/views/sentence/patch_picture.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/image/picture_input.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/scene/focus.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/views/sentence/sizes.h"
#include "ui/views/sentence/word_line.h"

namespace headlight {

std::optional<PatchPicture> patch_picture(const NetworkRun& run, Index batch) {
  const NetworkSpec& spec = run.network->spec();
  if (!spec.picture || run.text.pictures.empty()) return {};
  constexpr int longest = 64;  // side of a thumbnail
  const auto at = std::min(static_cast<std::size_t>(batch), run.text.pictures.size() - 1);
  const Image& whole = run.text.pictures[at]->image;
  const double scale = std::min(1.0, static_cast<double>(longest) / std::max(whole.width, whole.height));
  const auto side = [&](int pixels) { return std::max(1, static_cast<int>(std::lround(pixels * scale))); };
  return PatchPicture{
      std::shared_ptr<const Image>(run.text.pictures[at], &whole),
      std::make_shared<const Image>(resized(whole, side(whole.width), side(whole.height), Resampling::bilinear)),
      spec.picture->rows, spec.picture->columns, std::ssize(spec.stacks.front().embedding.extra)};
}

namespace sentence_parts {
namespace {

/// One number per patch, and the colour range: from 0 to the largest.
struct PatchNumbers {
  Tensor cells;  ///< [rows, columns]
  float most = 0;
};

template <typename At>
PatchNumbers patch_numbers(const PatchPicture& picture, At&& at) {
  Buffer cells;
  PatchNumbers numbers;
  for (Index i = 0; i < picture.rows * picture.columns; ++i) {
    cells.push_back(at(picture.extra + i));
    if (cells.back() > numbers.most) numbers.most = cells.back();
  }
  numbers.cells = Tensor({picture.rows, picture.columns}, std::move(cells));
  return numbers;
}

/// The selected measure of `query` and `key`.
float measured_at(const SceneContext& context, Index query, Index key) {
  const Stage stage =
      measure_shown(context.trace, context.view) == HeadMeasure::weight ? Stage::weights : Stage::contribution_norms;
  const MatrixView numbers = numbers_of(context.trace, context.view, stage);
  if (measure_shown(context.trace, context.view) != HeadMeasure::share) return numbers(query, key);
  float sum = 0;
  for (Index k = 0; k < numbers.cols; ++k) sum += numbers(query, k);
  return sum > 0 ? numbers(query, key) / sum : 0;
}

/// With at least two significant digits: among many patches, shares are small.
std::string number_text(const SceneContext& context, float number) {
  if (measure_shown(context.trace, context.view) == HeadMeasure::arrives) return length_text(number);
  if (!(number > 0) || number >= 0.1F) return share_text(number);
  const int digits = std::min(6, 1 - static_cast<int>(std::floor(std::log10(number))));
  return MatrixNumbers(digits, true)(number);
}

void put_colours(Pen& pen, const PatchNumbers& numbers, float opacity, const Rect& rect) {
  MatrixQuad quad = matrix_quad(pen.context(), Stage::weights, numbers.cells, {0, numbers.most > 0 ? numbers.most : 1});
  quad.opacity = opacity;
  pen.matrix(std::move(quad), rect);
}

/// The picture with colours over its patches, its grid, and the selected patch.
struct Overlay : ScenePart {
  const PatchPicture& picture;
  Index query;

  Rect patch(const Rect& whole, Index at) const {
    const float wide = whole.width() / static_cast<float>(picture.columns),
                high = whole.height() / static_cast<float>(picture.rows);
    const ImVec2 min{whole.min.x + static_cast<float>(at % picture.columns) * wide,
                     whole.min.y + static_cast<float>(at / picture.columns) * high};
    return {min, {min.x + wide, min.y + high}};
  }

  void put_grid(const Rect& whole) const {
    const Rect first = patch(whole, 0);
    if (first.width() < LeastCell::gap * u) return;
    const ImU32 colour = fade(look.muted, 0.35f);
    for (Index c = 1; c < picture.columns; ++c) {
      const float x = std::round(whole.min.x + static_cast<float>(c) * first.width());
      pen.fill({{x, whole.min.y}, {x + 1, whole.max.y}}, colour);
    }
    pen.box(whole, colour, 1);
    for (Index r = 1; r < picture.rows; ++r) {
      const float y = std::round(whole.min.y + static_cast<float>(r) * first.height());
      pen.fill({{whole.min.x, y}, {whole.max.x, y + 1}}, colour);
    }
  }

  /// Numbers in the cells with the largest values; none if one of them is wider than its cell.
  void put_numbers(const Rect& whole, const PatchNumbers& numbers) const {
    const Rect first = patch(whole, 0);
    const float size = pen.type.number;
    std::vector<std::pair<ImVec2, std::string>> written;
    for (Index i = 0; i < picture.rows * picture.columns; ++i) {
      const float number = numbers.cells.values()[static_cast<std::size_t>(i)];
      if (number > 0 && number >= numbers.most / 3)
        written.emplace_back(patch(whole, i).centre(), number_text(context, number));
    }
    std::vector<Rect> plates;
    for (const auto& [at, text] : written) {
      const ImVec2 wide = pen.measure(Face::mono, size, text);
      if (wide.x + Space::near * u > first.width() || wide.y + Space::fine * u > first.height()) return;
      plates.push_back({{at.x - wide.x / 2 - Space::thin * u, at.y - wide.y / 2},
                        {at.x + wide.x / 2 + Space::thin * u, at.y + wide.y / 2}});
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
      pen.fill(plates[i], fade(look.card, 0.85f), Corner::cell * u);
      pen.number(size, written[i].first, Align::middle, look.ink, written[i].second);
    }
  }

  void put(const Rect& whole, const PatchNumbers& numbers, bool hidden) const {
    pen.scene().items.emplace_back(SceneImage{whole, picture.image});
    if (!hidden) put_colours(pen, numbers, view.levels.opacity, whole);
    put_grid(whole);
    if (!hidden) put_numbers(whole, numbers);
    if (query >= picture.extra) {
      const Rect at = patch(whole, query - picture.extra);
      pen.box(at.grown(Space::fine * u), look.card, Space::fine * u, Corner::cell * u);
      pen.frame(at.grown(u), look.q);
    }
    const bool reads = view.levels.held && !view.levels.guessing.active;
    for (Index i = 0; i < picture.rows * picture.columns; ++i)
      pen.target(patch(whole, i), reads ? SceneAction::key_word : SceneAction::query_word, picture.extra + i);
    pen.add_content(whole);
  }

  /// The colour bar: from 0 to the largest number.
  void put_bar(Rect bar, float most) const {
    Buffer steps;
    for (int i = 0; i < 64; ++i) steps.push_back(static_cast<float>(63 - i) / 63);
    put_colours(pen, {Tensor({64, 1}, std::move(steps)), 1}, 1, bar);
    pen.box(bar, look.line, 1);
    for (const float share : {0.0f, 0.5f, 1.0f}) {
      const float y = mixed(bar.max.y - 0.5f * pen.type.number, bar.min.y + 0.5f * pen.type.number, share);
      pen.number(pen.type.number, {bar.max.x + Space::close * u, y}, Align::left, look.muted,
                 share == 0 ? "0" : number_text(context, share * most));
    }
  }

  /// Tokens that are not patches, in a column: name, colour, number.
  template <typename Number>
  void put_extra(Rect room, const PatchNumbers& of_patches, Number&& number_of, bool dead, bool hidden) const {
    const float most = std::max(of_patches.most, 1e-9f), high = pen.type.number * 2.6f;
    float y = room.min.y;
    for (Index i = 0; i < picture.extra && y + high <= room.max.y; ++i, y += high + Space::near * u) {
      const Rect cell{{room.min.x, y}, {room.max.x, y + high}};
      const float number = number_of(i);
      pen.fill(cell, look.card, Corner::cell * u);
      const Rgba colour = window_colormap(view, Stage::weights).at(std::min(number / most, 1.0f));
      if (!hidden)
        pen.fill({{cell.min.x, cell.max.y - Space::close * u}, cell.max}, IM_COL32(colour.r, colour.g, colour.b, 255));
      pen.box(cell, i == query ? look.q : look.line, i == query ? Stroke::chosen(u) : 1, Corner::cell * u);
      const float third = high / 3;
      pen.text(TextRole::word, Face::bold, pen.type.caption, {cell.centre().x, y + third * 0.85f}, Align::middle,
               look.ink, key_word(context, i));
      if (!hidden)
        pen.number(pen.type.number, {cell.centre().x, y + third * 1.9f}, Align::middle, look.muted,
                   dead ? "NaN" : number_text(context, number));
      const bool reads = view.levels.held && !view.levels.guessing.active;
      pen.target(cell, reads ? SceneAction::key_word : SceneAction::query_word, i);
    }
  }

  void put_opacity(Rect room) const {
    const float share = view.levels.opacity, y = room.centre().y;
    const std::string name = say.fill("sentence.opacity", {std::lround(100 * share)});
    const Rect text = pen.caption({room.min.x, y}, Align::left, name);
    const float widest = pen.measure(Face::ui, pen.type.caption, say.fill("sentence.opacity", {"100"})).x;
    const Rect track{{text.min.x + widest + Space::part * u, y - Space::fine * u},
                     {room.max.x - Space::gap * u, y + Space::fine * u}};
    if (track.width() < PatchSizes::least_slider * u) return;
    pen.slider(track, y, look.line, {}, mixed(track.min.x, track.max.x, share), SceneAction::opacity);
  }
};

}  // namespace

float put_small_overlay(Pen& pen, const PatchPicture& picture, const MatrixView& weights, Index query, float opacity,
                        Rect room) {
  const PatchNumbers numbers = patch_numbers(picture, [&](Index key) { return weights(query, key); });
  const float side =
      std::min(room.width() / static_cast<float>(picture.columns), room.height() / static_cast<float>(picture.rows));
  const ImVec2 size{side * static_cast<float>(picture.columns), side * static_cast<float>(picture.rows)};
  const ImVec2 min{room.min.x, room.centre().y - size.y / 2};
  const Rect whole{min, {min.x + size.x, min.y + size.y}};
  pen.scene().items.emplace_back(SceneImage{whole, picture.small});
  put_colours(pen, numbers, opacity, whole);
  return numbers.most;
}

namespace {

/// The places of the patches, the other tokens, their captions and colour bars.
struct PatchRooms {
  Pen& pen;
  const PatchPicture& picture;
  const float u = pen.u();
  const float caption = pen.type.caption * 1.7f,
              bar = PatchSizes::colour_bar * u + pen.measure(Face::mono, pen.type.number, "0.0000").x;
  const float shape = static_cast<float>(picture.columns) / static_cast<float>(picture.rows);  ///< width by height

  /// As wide as the longest name or number of a token that is not a patch.
  float extra(const std::vector<std::string>& texts) const {
    float widest = pen.measure(Face::mono, pen.type.number, "0.0000").x;
    for (const std::string& text : texts) widest = std::max(widest, pen.measure(Face::mono, pen.type.number, text).x);
    return picture.extra > 0 ? widest + Space::section * u : 0;
  }
  Rect at(ImVec2 corner, float width) const {
    return {{std::round(corner.x), std::round(corner.y + caption)},
            {std::round(corner.x + width), std::round(corner.y + caption + width / shape)}};
  }
  Rect bar_of(const Rect& whole) const {
    return {{whole.max.x + Space::gap * u, whole.min.y}, {whole.max.x + Space::wide * u, whole.max.y}};
  }
  void title(const Rect& whole, const char* key, const std::string& asks) const {
    const Named name{asks, pen.look().ink};
    pen.sentence(TextRole::caption, pen.context().words(key), std::span(&name, 1),
                 {{whole.min.x, whole.min.y - caption}, {whole.max.x + bar, whole.min.y}}, pen.type.caption,
                 pen.look().muted);
  }
};

}  // namespace

void put_patches(Pen& pen, const PatchPicture& picture, const Row& row, Index query, bool hidden, Rect body,
                 Rect beside) {
  const SceneContext& context = pen.context();
  const float u = pen.u();
  const Overlay overlay{pen, picture, query};
  const PatchRooms rooms{pen, picture};
  const PatchNumbers to = patch_numbers(picture, [&](Index key) {
    return row.lengths ? row.brought->lengths[static_cast<std::size_t>(key)]
                       : row.shares[static_cast<std::size_t>(key)];
  });
  const PatchNumbers from = patch_numbers(picture, [&](Index other) { return measured_at(context, other, query); });
  std::vector<std::string> besides;
  for (Index i = 0; i < picture.extra; ++i)
    besides.insert(besides.end(), {key_word(context, i), number_text(context, measured_at(context, query, i))});
  const float extra_room = rooms.extra(besides);
  const float high_room = body.height() - rooms.caption - (context.view.presenting ? 0 : PatchSizes::opacity * u);
  // The second picture is at most as large as the first.
  const float fits_beside = std::min(beside.width() - rooms.bar, (beside.height() - rooms.caption) * rooms.shape);
  const bool apart = !hidden && fits_beside >= PatchSizes::least_second * u;
  const float free = body.width() - extra_room - (apart ? 1 : 2) * rooms.bar - (apart ? 0 : PatchSizes::between * u);
  const bool both = !hidden && !apart && free > PatchSizes::both_from * u;
  const float wide = std::min(both ? free * 0.6f : apart ? free : free + rooms.bar, high_room * rooms.shape);
  const Rect first = rooms.at({body.min.x + extra_room, body.min.y}, wide);
  const std::string asks = query_word(context, query);
  if (!hidden) rooms.title(first, "sentence.patch_looks", asks);
  const auto measured = [&](Index key) { return measured_at(context, query, key); };
  overlay.put_extra({{body.min.x, first.min.y}, {first.min.x - Space::pad * u, first.max.y}}, to, measured, row.dead,
                    hidden);
  overlay.put(first, to, hidden);
  if (!hidden) overlay.put_bar(rooms.bar_of(first), to.most);
  if (!context.view.presenting && !hidden)
    overlay.put_opacity(
        {{first.min.x, first.max.y + Space::tight * u}, {first.max.x, first.max.y + PatchSizes::opacity * u}});
  if (!both && !apart) return;
  const float second = apart ? std::min(fits_beside, wide)
                             : std::min(body.max.x - first.max.x - 2 * rooms.bar - Space::section * u, wide * 0.75f);
  if (second < PatchSizes::least_second * u) return;
  const Rect other =
      rooms.at(apart ? beside.min : ImVec2{first.max.x + rooms.bar + Space::section * u, body.min.y}, second);
  rooms.title(other, "sentence.patch_looked_at", asks);
  overlay.put(other, from, false);
  overlay.put_bar(rooms.bar_of(other), from.most);
}

void put_patch_row(Pen& pen, const PatchPicture& picture, const MatrixView& matrix, Index query, Rect room) {
  const PatchRooms rooms{pen, picture};
  const Overlay overlay{pen, picture, query};
  const auto number = [&](Index key) { return matrix(query, key); };
  const PatchNumbers numbers = patch_numbers(picture, number);
  const float u = pen.u(), extra_room = rooms.extra({});
  const float wide =
      std::min(room.width() - extra_room - rooms.bar, (room.height() - rooms.caption - Space::gap * u) * rooms.shape);
  if (wide < PatchSizes::least * u) return;
  const Rect whole = rooms.at({room.min.x + extra_room, room.min.y}, wide);
  rooms.title(whole, "sentence.patch_looks", query_word(pen.context(), query));
  overlay.put_extra({{room.min.x, whole.min.y}, {whole.min.x - Space::pad * u, whole.max.y}}, numbers, number, false,
                    false);
  overlay.put(whole, numbers, false);
  overlay.put_bar(rooms.bar_of(whole), numbers.most);
}

void draw_patch_number(const SceneContext& context, const PatchPicture& picture, Index query, Index key) {
  if (key < 0 || key >= picture.extra + picture.rows * picture.columns) return;
  const auto number = [&](Index from, Index to) { return number_text(context, measured_at(context, from, to)); };
  const std::string name = key_word(context, key);
  const std::string text =
      key == query ? context.words.fill("sentence.patch_itself", {name, number(query, query)})
                   : context.words.fill("sentence.patch_number",
                                        {name, number(query, key), query_word(context, query), number(key, query)});
  const float u = context.u, size = context.fonts.crisp(Face::ui, TypeSize::body * u), pad = PatchSizes::hint_pad * u;
  const ImVec2 extent = text_size(context.fonts, Face::ui, size, text), mouse = ImGui::GetIO().MousePos;
  ImVec2 at{mouse.x + Space::part * u, mouse.y + Space::row * u};
  at.x = std::clamp(at.x, Space::tight * u, std::max(Space::tight * u, context.window.x - extent.x - 3 * pad));
  if (at.y + extent.y + 2 * pad > context.window.y) at.y = mouse.y - extent.y - 3 * pad;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImVec2 end{at.x + extent.x + 2 * pad, at.y + extent.y + 2 * pad};
  list.AddRectFilled(at, end, context.look.card, Corner::control * u);
  compat::add_rect(list, at, end, context.look.line, Corner::control * u, 1);
  draw_text(list, context.fonts, Face::ui, size, {at.x + pad, at.y + pad}, context.look.ink, text);
}

}  // namespace sentence_parts
}  // namespace headlight
