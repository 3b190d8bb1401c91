#include "ui/views/masklab/mask_picture.h"

#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/compute/run/statistics.h"
#include "core/rules/mask/evaluate.h"
#include "core/rules/mask/painting.h"
#include "core/rules/mask/statistics.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/views/masklab/sheet.h"

namespace headlight {
namespace {

// In points: the large mask, and the strip of the heads' masks or of the entries' names below it.
constexpr float largest_mask_cell = 96;
constexpr float heads_strip = 76, entries_strip = 36, small_mask = 46, worded_from = 44, entry_pad = 25;

constexpr Index tile_tokens = 16;

constexpr float legend_points = 20;

/// The rectangle between the labels: those of the axes above, those of the keys below, and below these the legend.
Rect room_for_cells(Rect card, float t, float label_room) {
  return {{card.min.x + Space::card * t + label_room, card.min.y + (30 + axis_names_height) * t},
          {card.max.x - Space::card * t, card.max.y - (28 + legend_points) * t}};
}

/// Square cells in that rectangle; `turned`: length of the key labels in pixels, if they are at 45°.
Rect fit(Rect card, Index rows, Index cols, float t, float label_room, float turned) {
  Rect box = room_for_cells(card, t, label_room);
  box.max.y -= std::max(0.71f * turned - Space::fine * t, 0.0f);
  const float cell = std::min(
      {box.width() / static_cast<float>(cols), box.height() / static_cast<float>(rows), largest_mask_cell * t});
  const ImVec2 size{cell * static_cast<float>(cols), cell * static_cast<float>(rows)};
  const float left = box.centre().x - size.x / 2;
  return {{left, box.min.y}, {left + size.x, box.min.y + size.y}};
}

/// "21 of 36 allowed, 58 %; 1 row has no key left"
std::string statistics_of(const Frame& frame, const MatrixView& mask) {
  const auto in_all = [&](Index allowed, Index all) {
    return frame.words.fill("mask.allowed", {grouped(allowed), grouped(all), (100 * allowed + all / 2) / all});
  };
  const Trace& trace = *frame.trace();
  const Index all = mask.rows * mask.cols;
  if (trace[Stage::weights].source()) {  // counted in blocks when the trace was summarised
    if (!trace.summary) return "";
    const KindCounts& kinds = trace.summary->kinds(Stage::masked_scores, frame.view().batch, frame.view().head);
    if (kinds == KindCounts{}) return "";  // not counted yet
    return in_all(kinds[static_cast<std::size_t>(CellKind::value)], all);
  }
  Index allowed = 0;
  for (Index r = 0; r < mask.rows; ++r) {
    for (Index c = 0; c < mask.cols; ++c) allowed += mask(r, c) != 0 ? 1 : 0;
  }
  std::string words = in_all(allowed, all);
  const std::size_t dead = dead_rows(mask).size();
  if (dead > 0) words += "; " + frame.words.fill("mask.dead", {grouped(static_cast<long long>(dead))});
  return words;
}

/// Its full name, what it allows, and who uses it, one line each.
std::string hint_of(const Pattern& pattern) {
  std::string hint = signature(pattern) + "\n" + std::string(pattern.predicate);
  if (!pattern.known_from.empty()) hint += "\n" + std::string(pattern.known_from);
  return hint;
}

/// Whether the mask differs between heads or batch entries.
struct MaskVaries {
  bool by_head = false, by_entry = false;
};
MaskVaries varies_by(const Trace& trace) {
  const Tensor& mask = trace[Stage::mask];
  if (!mask.defined()) return {};
  return {trace.dims().heads > 1 && mask.strides()[1] != 0, trace.dims().batch > 1 && mask.strides()[0] != 0};
}

/// The row below the cards: thumbnails of the heads' masks, after the names of the batch entries.
void put_choices(const Frame& frame, Pen& pen, Rect row, MaskPicture& picture) {
  const Dims& dims = frame.trace()->dims();
  const auto [by_head, by_entry] = varies_by(*frame.trace());
  const float u = frame.u, top = row.min.y + Space::pad * u;
  float x = row.min.x + Space::thin * u;
  if (by_entry) {
    picture.entries_at = {x, top};
    for (Index b = 0; b < dims.batch; ++b) {
      picture.entries.push_back(frame.words.fill("mask.entry", {b}));
      x += pen.measure(Face::bold, TypeSize::note * u, picture.entries.back()).x + entry_pad * u;
    }
    x += Space::apart * u;
  }
  if (!by_head) return;
  const float wanted =
      small_mask * u * std::clamp(static_cast<float>(dims.n_k) / static_cast<float>(dims.n_q), 0.5f, 2.0f);
  const float room = (row.max.x - x) / static_cast<float>(dims.heads);
  const float width = std::min(wanted, std::max(room - Space::pad * u, Space::tight * u));
  const float step = std::min(width + Space::card * u, room);
  for (Index h = 0; h < dims.heads; ++h) {
    const bool chosen = h == frame.view().head;
    const Rect rect{{x, top}, {x + width, top + small_mask * u}}, edge = rect.grown(Space::fine * u);
    SceneMatrix small{picture.mask.quad, rect};
    small.quad.min = rect.min;
    small.quad.max = rect.max;
    small.quad.head = h;
    pen.scene().items.emplace_back(std::move(small));
    if (chosen) pen.box(edge, frame.look.head(h), Space::fine * u, Corner::cell * u, frame.look.head_lap(h));
    pen.words(chosen ? Face::bold : Face::ui, TypeSize::body * u, {x, rect.max.y + NameGap::column * u},
              chosen ? frame.look.ink : frame.look.muted,
              step >= worded_from * u ? frame.words.fill("mask.head", {h}) : std::to_string(h));
    SceneTarget& target = pen.control(rect, "head " + std::to_string(h), SceneAction::head, h);
    if (!chosen) target.framed = edge;
    x += step;
  }
}

/// Right-aligned on the line of a card's title; if it is too long, the part after "; " goes to a second line.
void put_remark(Pen& pen, const Rect& card, std::string_view title, std::string_view text) {
  const float u = pen.u(), body = TypeSize::body * u;
  const auto line = [&](std::string_view part, float y, float room) {
    pen.words(Face::ui, body, {card.max.x - Space::card * u, card.min.y + y * u}, pen.look().muted, part, room,
              Align::right);
  };
  const float room = card.width() - 3 * Space::card * u - pen.measure(Face::bold, body, title).x;
  const std::size_t part = text.find("; ");
  if (part == std::string_view::npos || pen.measure(Face::ui, body, text).x <= room) return line(text, 8, room);
  line(text.substr(0, part), 8, room);
  line(text.substr(part + 2), 29, card.width() - 2 * Space::card * u);
}

/// A card with its title and the legend at its bottom; its cells are drawn according to the zoom.
void put_empty_card(Pen& pen, const Rect& card, const Rect& cells, ImU32 colour, std::string_view title,
                    const std::vector<Swatch>& legend) {
  const float u = pen.u();
  pen.card(card);
  put_card_title(pen, card, colour, title);
  put_axis_names(pen, cells);
  put_swatches(pen, legend, {card.min.x + Space::card * u, card.max.y - Space::section * u},
               card.width() - 2 * Space::card * u);
}

/// The weights in `weights_card`, and the mask in `mask_card` at the same size.
void put_matrices(const Frame& frame, const Rect& mask_card, const Rect& weights_card, MaskPicture& picture) {
  const Trace& trace = *frame.trace();
  const Dims& dims = trace.dims();
  const float t = frame.u;
  float label_room = 0;
  for (const std::string& name : axis_labels(frame, Axis::query, std::min<Index>(dims.n_q, 64)))
    label_room = std::max(label_room, frame.width(Face::bold, TypeSize::note, name));
  label_room = std::max(std::min(label_room + Space::near * t, weights_card.width() * 0.3f), axis_names_width(frame));
  const Rect room = room_for_cells(weights_card, t, label_room);
  const float side = std::min(room.width() / static_cast<float>(dims.n_k),
                              room.height() / static_cast<float>(dims.n_q));  // square cells
  const float turned =
      turned_room(frame, Axis::key, dims.n_q, dims.n_k,
                  {side * static_cast<float>(dims.n_k), side * static_cast<float>(dims.n_q)}, TypeSize::note * t);
  picture.weights =
      make_heat(frame, Stage::weights, frame.view().head, fit(weights_card, dims.n_q, dims.n_k, t, label_room, turned));
  picture.weights.row_labels = axis_labels(frame, Axis::query, dims.n_q);
  picture.weights.col_labels = axis_labels(frame, Axis::key, dims.n_k);
  picture.weights.label_room = label_room / (TypeSize::note * t);
  picture.weights.turned_room = turned / (TypeSize::note * t);
  picture.weights.widest_column = widest_label(frame, Axis::key, dims.n_k, TypeSize::note * t) / (TypeSize::note * t);
  picture.mask = picture.weights;
  picture.mask.stage = Stage::mask;
  picture.mask.rect = fit(mask_card, dims.n_q, dims.n_k, t, label_room, turned);
  MatrixQuad& quad = picture.mask.quad;
  const Tensor& mask = trace[Stage::mask];
  quad.values = mask.defined() ? mask : Tensor::full({1}, 1).expand({dims.batch, dims.heads, dims.n_q, dims.n_k});
  quad.mask = quad.values;
  quad.kept = Tensor();
  picture.mask.shades = Tensor();
  quad.row_ranges = false;
  quad.show_leaks = false;
  quad.colormap = picture.mask.colormap = &window_colormap(frame.view(), Stage::mask);
  quad.range = {0, 1};
}

/// `area` in screen pixels.
MaskPicture make_mask_picture(const Frame& frame, Rect area) {
  const Trace& trace = *frame.trace();
  MaskPicture picture;
  const float t = frame.u;
  const auto [by_head, by_entry] = varies_by(trace);
  picture.strip = by_head ? heads_strip * t : by_entry ? entries_strip * t : 0;
  const float bottom = area.max.y;
  area.max.y -= picture.strip;
  const float half = (area.width() - Space::card * t) / 2;
  const Rect mask_card{area.min, {area.min.x + half, area.max.y}},
      weights_card{{area.max.x - half, area.min.y}, area.max};
  put_matrices(frame, mask_card, weights_card, picture);
  Pen pen(frame, picture.scene);
  const char* title = frame.words("mask.mask");
  put_empty_card(pen, mask_card, picture.mask.rect, frame.look.ink, title, mask_swatches(frame));
  put_remark(pen, mask_card, title,
             statistics_of(frame, picture.mask.quad.values.matrix(picture.mask.batch, picture.mask.head)));
  put_empty_card(pen, weights_card, picture.weights.rect, frame.look.after, frame.words("mask.weights"),
                 {{CellKind::value, to_imgui(picture.weights.colormap->at(0.6f)), frame.words("legend.weight")},
                  {CellKind::masked, 0, frame.words("legend.may_not")}});
  put_choices(frame, pen, {{area.min.x, area.max.y}, {area.max.x, bottom}}, picture);
  return picture;
}

/// Breaks the expression at spaces into as few lines as fit a tile, with lines as equal in length as possible.
std::vector<std::string> in_lines(const std::string& expression) {
  const auto broken = [&](std::size_t longest) {
    std::vector<std::string> lines(1);
    for (const std::string_view word : Split(expression, ' ')) {
      if (!lines.back().empty() && lines.back().size() + 1 + word.size() > longest) lines.emplace_back();
      lines.back().append(lines.back().empty() ? "" : " ").append(word);
    }
    return lines;
  };
  const std::size_t fewest = broken(letters_of_a_tile).size();
  std::size_t longest = letters_of_a_tile;
  while (longest > 1 && broken(longest - 1).size() == fewest) --longest;
  return broken(longest);
}

}  // namespace

MaskTextPicture make_mask_text_picture(const std::string& text, std::size_t columns) {
  MaskTextPicture picture;
  picture.text = text;
  if (text.empty()) return picture;
  try {
    picture.expression = MaskExpression::parse(text);
  } catch (const ExpressionError& error) {
    picture.trouble = point_at(text, error.position(), columns);
    picture.sentence = error.sentence();
    return picture;
  }
  const std::vector<PatternCall> calls = picture.expression->pattern_calls();
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const Pattern& pattern = *calls[c].pattern;
    for (std::size_t a = 0; a < calls[c].arguments.size(); ++a) {
      const std::optional<double> value = calls[c].arguments[a].value;
      if (!value) continue;
      picture.arguments.push_back({c, a, &parameter(pattern, a), *value,
                                   "argument " + std::to_string(c) + " " + std::to_string(a),
                                   std::string(pattern.name) + ": " + argument_name(pattern, a)});
    }
  }
  return picture;
}

std::vector<PatternTile> make_palette() {
  std::vector<PatternTile> tiles;
  for (const Pattern& pattern : all_patterns()) {
    try {
      const MaskExpression example = MaskExpression::parse(pattern.example);
      MaskContext context{.n_q = tile_tokens, .n_k = tile_tokens, .grid = {4, tile_tokens / 4}};
      const Tensor lens = Tensor::full({1}, tile_tokens * 0.6f);
      context.valid_lens = lens;
      tiles.push_back(
          {signature(pattern), hint_of(pattern), example.text(), in_lines(example.text()), evaluate(example, context)});
    } catch (const ExpressionError&) {
      // its example is for a mask file or a painted mask: nothing to show without one
    }
  }
  return tiles;
}

const MaskPicture& mask_picture(const Frame& frame, Rect area) {
  return frame.picture<MaskPicture>([&] { return make_mask_picture(frame, area); }, area);
}

const MaskTextPicture& mask_text_picture(const Frame& frame, std::size_t columns) {
  const std::optional<std::string>& draft = frame.view().mask_draft;
  const std::string& text = draft ? *draft : frame.document.scenario.mask;
  return frame.pictures.get<MaskTextPicture>([&] { return make_mask_text_picture(text, columns); }, text, columns);
}

const std::vector<PatternTile>& palette_picture(const Frame& frame) {
  return frame.pictures.kept([] { return make_palette(); });
}

const std::string& mask_in_force(const Frame& frame) {
  static const std::string none = "full()";
  const std::optional<MaskRule>& rule = frame.trace()->mask_rule;
  return rule ? rule->expression.text() : none;
}

const std::string& painted_words(const Frame& frame) {
  const std::vector<PaintedCells>& painted = frame.document.scenario.painted;
  const auto make = [&] {
    const View& view = frame.view();
    const Dims& dims = frame.trace()->dims();
    const PaintedCount count =
        painted_count(painted, view.batch, view.head, {dims.batch, dims.heads, dims.n_q, dims.n_k});
    return frame.words.fill("mask_paint.painted", {grouped(count.allowed), grouped(count.forbidden)});
  };
  return frame.kept(make, painted);
}

}  // namespace headlight
