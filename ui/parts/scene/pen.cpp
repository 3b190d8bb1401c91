#include "ui/parts/scene/pen.h"

#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/widgets/math_text.h"
#include "ui/parts/widgets/paragraph.h"

namespace headlight {
namespace {

// Points.
constexpr float colour_bar = 48, colour_bar_bottom = 11;  // its width, its lower edge below the top of its ends
constexpr float slider_mark = 7, slider_knob = 8;         // half of their heights

/// In prose, the middle of longer words is omitted.
constexpr std::size_t longest_in_prose = 32;

/// The word, or its first and last letters around "…" if it has more than `most`.
std::string shortened(std::string_view word, std::size_t most) {
  std::vector<std::string_view> letters;
  for (std::string_view rest = word; !rest.empty() && letters.size() <= word.size();) {
    letters.push_back(first_character(rest));
    rest.remove_prefix(letters.back().size());
  }
  if (letters.size() <= most) return std::string(word);
  const auto tail = static_cast<std::size_t>(letters[letters.size() - (most - 1) / 2].data() - word.data());
  const auto head = static_cast<std::size_t>(letters[most / 2].data() - word.data());
  return std::string(word.substr(0, head)) + "…" + std::string(word.substr(tail));
}

/// A run of text in one style without a line break.
struct Piece {
  std::string_view text;
  const Named* named = nullptr;
  float width = 0;
  bool breaks_before = false;
};

std::vector<Piece> pieces_of(std::string_view pattern, std::span<const Named> values) {
  std::vector<Piece> pieces;
  std::string_view before;
  const auto add = [&](std::string_view text, const Named* named) {
    while (!text.empty()) {
      std::size_t length = 0;
      std::string_view last = before;
      const bool breaks = !before.empty() && may_break_between(before, first_character(text));
      do {
        last = first_character(text.substr(length));
        length += last.size();
      } while (length < text.size() && !may_break_between(last, first_character(text.substr(length))));
      pieces.push_back({text.substr(0, length), named, 0, breaks});
      text.remove_prefix(length);
      before = last;
    }
  };
  while (!pattern.empty()) {
    const std::size_t brace = pattern.find('{');
    add(pattern.substr(0, brace), nullptr);
    if (brace == std::string_view::npos) break;
    const std::size_t close = pattern.find('}', brace);
    const auto which = static_cast<std::size_t>(pattern[brace + 1] - '0');
    if (which < values.size()) add(values[which].text, &values[which]);
    pattern.remove_prefix(close + 1);
  }
  return pieces;
}

/// The left end of something that is aligned at x.
float left_end(float x, float width, Align align) {
  return align == Align::left ? x : align == Align::middle ? x - width / 2 : x - width;
}

Face face_of(const Piece& piece) { return piece.named && piece.named->bold ? Face::bold : Face::ui; }

}  // namespace

Rect Pen::text(TextRole role, Face face, float pixels, ImVec2 at, Align align, ImU32 colour, std::string text,
               float width) {
  if (width < uncut) text = elide(context_.fonts, face, pixels, text, width);
  const ImVec2 size = measure(face, pixels, text);
  const float left = std::round(left_end(at.x, size.x, align)), top = std::round(at.y - size.y / 2);
  const Rect rect{{left, top}, {left + size.x, top + size.y}};
  scene_.items.emplace_back(SceneText{role, face, context_.fonts.crisp(face, pixels), colour, rect, std::move(text)});
  return rect;
}

Rect Pen::words(Face face, float pixels, ImVec2 at, ImU32 colour, std::string_view text, float width, Align align) {
  std::string shown = elide(context_.fonts, face, pixels, text, width);
  if (shown.empty()) return {at, at};
  return this->text(TextRole::caption, face, pixels, {at.x, at.y + measure(face, pixels, shown).y / 2}, align, colour,
                    std::move(shown));
}

float Pen::paragraph(Face face, float pixels, ImVec2 at, ImU32 colour, std::string_view text, float width) {
  const float line_height = context_.fonts.crisp(face, pixels) * 1.18f, top = at.y;
  for (const std::string& line : paragraph_lines(context_.fonts, face, pixels, text, width)) {
    words(face, pixels, at, colour, line);
    at.y += line_height;
  }
  return at.y - top;
}

void Pen::colour_ends(const HeatPicture& heat, const Rect& card, std::string_view title) {
  const float pixels = TypeSize::note * u(), bar = colour_bar * u(), y = card.min.y + Space::pad * u(),
              right = card.max.x - Space::apart * u();
  const std::string lo = bound_text(heat.quad.range.lo), hi = bound_text(heat.quad.range.hi);
  const float bar_end = right - measure(Face::mono, pixels, hi).x - Space::near * u(),
              left = bar_end - bar - Space::near * u() - measure(Face::mono, pixels, lo).x;
  if (left < card.min.x + Space::section * u() + measure(Face::bold, TypeSize::body * u(), title).x) return;
  words(Face::mono, pixels, {left, y}, look().muted, lo);
  colours({{bar_end - bar, y + Space::tight * u()}, {bar_end, y + colour_bar_bottom * u()}}, *heat.colormap);
  words(Face::mono, pixels, {right, y}, look().muted, hi, uncut, Align::right);
}

void Pen::matrix_card(const Rect& place, std::string_view title, SceneHeat matrix, ImU32 border, float thickness) {
  card(place, border, thickness);
  words(Face::bold, TypeSize::body * u(), {place.min.x + Space::apart * u(), place.min.y + Space::title * u()},
        look().ink, title);
  if (!matrix.heat) return;
  colour_ends(*matrix.heat, place, title);
  matrix.labels = TypeSize::note * u();
  heat(std::move(matrix));
}

void Pen::turned(Face face, float pixels, ImVec2 end, float degrees, ImU32 colour, std::string text) {
  const ImVec2 size = measure(face, pixels, text);
  scene_.items.emplace_back(SceneText{TextRole::word,
                                      face,
                                      context_.fonts.crisp(face, pixels),
                                      colour,
                                      {{end.x - size.x, end.y - size.y / 2}, {end.x, end.y + size.y / 2}},
                                      std::move(text),
                                      degrees});
}

float Pen::sentence(TextRole role, std::string_view pattern, std::span<const Named> given, Rect room, float pixels,
                    ImU32 colour, Align align) {
  std::vector<Named> values(given.begin(), given.end());
  for (Named& value : values) {
    const auto width = [&] {
      return measure(value.bold ? Face::bold : Face::ui, value.bold ? strong(pixels) : pixels, value.text).x;
    };
    if (value.text.find(' ') != std::string::npos || (!value.link && width() <= room.width())) continue;
    // A word takes at most half a line, but always keeps some letters.
    std::size_t most = longest_in_prose;
    do value.text = shortened(value.text, most);
    while (width() > room.width() / 2 && (most -= 4) >= 8);
  }
  std::vector<Piece> pieces = pieces_of(pattern, values);
  // Bold type has other metrics; the line height is the larger one.
  const float line =
      std::max(context_.fonts.crisp(Face::ui, pixels), context_.fonts.crisp(Face::bold, strong(pixels))) * 1.3f;
  const auto size_of = [&](Face face) { return face == Face::bold ? strong(pixels) : pixels; };
  for (Piece& piece : pieces) piece.width = measure(face_of(piece), size_of(face_of(piece)), piece.text).x;
  float y = room.min.y;
  for (std::size_t first = 0; first < pieces.size();) {
    float width = 0;
    std::size_t last = first;
    while (last < pieces.size()) {  // one unit at a time, which contains no line break
      std::size_t end = last;
      float unit = 0;
      do unit += pieces[end++].width;
      while (end < pieces.size() && !pieces[end].breaks_before);
      if (last > first && width + unit > room.width() + 0.5f) break;
      width += unit;
      last = end;
    }
    float x = align == Align::left ? room.min.x : room.centre().x - width / 2;
    for (std::size_t i = first; i < last;) {
      // Adjacent pieces in the same style are drawn as one text.
      std::size_t end = i;
      std::string run;
      for (; end < last && pieces[end].named == pieces[i].named; ++end) run += pieces[end].text;
      const Face face = face_of(pieces[i]);
      const float extent = measure(face, size_of(face), run).x;
      const Rect place = text(role, face, size_of(face), {x, y + line / 2}, Align::left,
                              pieces[i].named ? pieces[i].named->colour : colour, std::move(run));
      if (const Named* named = pieces[i].named; named && named->link)
        scene_.targets.push_back({place, named->link->action, named->link->cell, named->link->index, true});
      x += extent;
      i = end;
    }
    y += line;
    first = last;
  }
  return y - room.min.y;
}

float Pen::math(float pixels, ImVec2 at, float width, ImU32 colour, bool lanes, std::string_view markup, float least,
                Align align) {
  // In a presentation, subscripts are not smaller than the smallest other type.
  const float script = context_.view.presenting ? size_not_below(context_.fonts, Face::math, type.least) : 0;
  ImVec2 size = math_size(context_.fonts, {pixels, script}, markup);
  while (size.x > width && pixels > std::max({least, script, 10.0f})) {
    pixels = std::max(pixels * 0.94f, script);
    size = math_size(context_.fonts, {pixels, script}, markup);
  }
  if (size.x > width + 1 || (least > 0 && context_.fonts.crisp(Face::math, pixels) < least - 0.5f)) return 0;
  const float left = left_end(at.x, size.x, align);
  scene_.items.emplace_back(SceneMath{pixels,
                                      script,
                                      colour,
                                      lanes,
                                      {{left, at.y - size.y / 2}, {left + size.x, at.y + size.y / 2}},
                                      std::string(markup)});
  return size.x;
}

void Pen::hatch(Rect rect) {
  const bool light = look().theme == Theme::light;
  const ImU32 lines = to_imgui(rgb(light ? "C9CFD8" : "3C4552")), ground = to_imgui(rgb(light ? "F2F4F7" : "20252E"));
  scene_.items.emplace_back(SceneHatch{rect, lines, ground, Space::gap * u()});
}

float Pen::tabs(Rect room, Align align, std::span<const char* const> keys, std::size_t chosen, SceneAction action) {
  const float height = type.caption * 2.1f, edge = Space::thin * u();
  const auto width_of = [&](const char* key) {
    return measure(Face::bold, type.caption, context_.words(key)).x + ControlPad::chip * u();
  };
  float total = 2 * edge;
  for (const char* key : keys) total += width_of(key);
  if (total > room.width()) return 0;
  const float left = align == Align::right ? room.max.x - total : room.min.x;
  fill({{left, room.min.y}, {left + total, room.min.y + height}}, look().field, Corner::card * u());
  float x = left + edge;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool here = i == chosen;
    const Rect tab{{x, room.min.y + edge}, {x + width_of(keys[i]), room.min.y + height - edge}};
    if (here) fill(tab, look().card, Corner::control * u());
    text(TextRole::caption, here ? Face::bold : Face::ui, type.caption, tab.centre(), Align::middle,
         here ? look().ink : look().muted, context_.words(keys[i]));
    target(tab, action, static_cast<Index>(i));
    x = tab.max.x;
  }
  return total;
}

float Pen::chips(Rect room, std::span<const Chip> chips, float height, float pad, std::optional<float> corner) {
  float x = room.min.x, y = room.min.y;
  for (const Chip& chip : chips) {
    const Face face = chip.lit || chip.primary ? Face::bold : Face::ui;
    const float width = measure(face, type.caption, chip.words).x + pad * u(), round = corner.value_or(height / 2);
    if (x + width > room.max.x && x > room.min.x) x = room.min.x, y += height + Space::near * u();
    const Rect rect{{x, y}, {x + width, y + height}};
    fill(rect, chip.primary ? look().ink : chip.lit ? look().field : look().card, round);
    if (!chip.primary) box(rect, chip.lit ? look().accent : look().line, 1, round);
    text(TextRole::caption, face, type.caption, rect.centre(), Align::middle, chip.primary ? look().card : look().ink,
         chip.words);
    target(rect, chip.action, chip.index);
    x += width + Space::near * u();
  }
  return y + height;
}

Rect Pen::button(ImVec2 corner, const std::string& words, SceneAction action) {
  const float width = button_width(words);
  const Rect rect{{corner.x - width, corner.y}, {corner.x, corner.y + type.caption * 2.2f}};
  box(rect, look().line, 1, Corner::card * u());
  text(TextRole::caption, Face::bold, type.caption, rect.centre(), Align::middle, look().ink, words);
  target(rect, action);
  return rect;
}

void Pen::matrix(MatrixQuad quad, const Rect& rect) {
  quad.min = rect.min;
  quad.max = rect.max;
  scene_.items.emplace_back(SceneMatrix{std::move(quad), rect});
}

void Pen::slider(const Rect& track, float y, ImU32 ground, std::initializer_list<float> marks, float knob,
                 SceneAction action, Index index) {
  const float u = context_.u;
  fill(track, ground, Corner::cell * u);
  for (const float x : marks) fill(around({x, y}, u, slider_mark * u), look().muted);
  fill(around({knob, y}, slider_knob * u, slider_knob * u), look().after, Corner::card * u);
  target({{track.min.x, y - Space::apart * u}, {track.max.x, y + Space::apart * u}}, action, index);
}

void Pen::add_content(const Rect& rect) {
  const Rect before = scene_.content.width() > 0 ? scene_.content : rect;
  scene_.content = {{std::min(before.min.x, rect.min.x), std::min(before.min.y, rect.min.y)},
                    {std::max(before.max.x, rect.max.x), std::max(before.max.y, rect.max.y)}};
}

MatrixQuad matrix_quad(const SceneContext& context, Stage colours, Tensor values, ValueRange range) {
  MatrixQuad quad;
  quad.values = std::move(values);
  quad.colormap = &window_colormap(context.view, context.trace, colours);
  quad.range = range;
  quad.theme = context.look.theme;
  quad.scale = context.u;
  return quad;
}

bool has_words(const SceneContext& context, Axis axis) {
  const Inputs& inputs = context.trace.inputs;
  if (axis == Axis::query) return !inputs.query_tokens.empty();
  return axis == Axis::key && !inputs.key_tokens.empty();
}

std::string query_word(const SceneContext& context, Index query) {
  return has_words(context, Axis::query) ? axis_label(context.trace, Axis::query, context.view.batch, query)
                                         : context.words.fill("level.query_n", {query});
}

std::string key_word(const SceneContext& context, Index key) {
  return has_words(context, Axis::key) ? axis_label(context.trace, Axis::key, context.view.batch, key)
                                       : context.words.fill("level.key_n", {key});
}

}  // namespace headlight
