// Two tables of the network view: the effect of another sentence's states, as layers by positions or heads; and
// statistics of each head over many sentences, with the sentences in which it matters most.
#include <algorithm>
#include <cmath>

#include "core/base/image/theme.h"
#include "core/base/text/in_sentence.h"
#include "core/compute/run/trace.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/views/network/network_scene.h"

namespace headlight {
namespace {

// In points: the columns and rows of the tables, and the field for the other word.
constexpr float patch_column_least = 46, patch_column_most = 120, highest_patch_row = 44;
constexpr float study_names = 64, widest_study_column = 92;
constexpr float patch_word = 260, field_label = 13;

/// An effect may be negative: a small one is "≈0" there, since "<.01" would hide its sign.
std::string in_digits(double value) { return MatrixNumbers(2, value > 0)(static_cast<float>(value)); }

float button_height(const Pen& pen) { return pen.type.caption * 2.1f; }

/// The progress of the long computation, and the button that stops or continues it; returns the height.
float put_task(Pen& pen, const TaskShown& task, Rect room) {
  const Words& words = pen.context().words;
  if (!task.error.empty())
    return pen.sentence(TextRole::caption, "{0}", std::vector<Named>{{task.error, pen.look().warning, false}}, room,
                        pen.type.caption, pen.look().warning) +
           Space::near * pen.u();
  if (!task.running && !task.stopped) return 0;
  const Chip button{words(task.running ? "network.stop" : "network.go_on"),
                    task.running ? SceneAction::task_stop : SceneAction::task_again};
  pen.chips(room, std::span(&button, 1), button_height(pen), 24, Corner::control * pen.u());
  const float taken = pen.measure(Face::ui, pen.type.caption, button.words).x + Space::section * pen.u();
  const auto whole = [](double value) { return std::to_string(std::llround(value)); };
  const std::string text = task.stopped ? words.fill("network.stopped", {whole(100 * task.share)})
                           : task.seconds_left
                               ? words.fill("network.running", {whole(100 * task.share), whole(*task.seconds_left)})
                               : words("network.coming");
  pen.caption({room.min.x + taken + Space::pad * pen.u(), room.min.y + button_height(pen) / 2}, Align::left, text, {},
              room.width() - taken - Space::pad * pen.u());
  return button_height(pen) + Space::near * pen.u();
}

/// A label and the place of a text field, which the view draws there; returns the height.
float put_field(Pen& pen, Rect room, const char* key, Index field) {
  const std::string label = pen.context().words(key_for(pen.context().trace, key));
  const float height = ControlHeight::field * pen.u(),
              width = pen.measure(Face::ui, pen.type.caption, label).x + Space::pad * pen.u();
  pen.caption({room.min.x, room.min.y + field_label * pen.u()}, Align::left, label);
  pen.target({{room.min.x + width, room.min.y}, {room.max.x, room.min.y + height}}, SceneAction::own_words, field);
  return height + Space::near * pen.u();
}

struct PatchTable : NetworkPart {
  LayerGrid grid;
  const PatchShown& patch = facts.patch;
  const float word = pen.type.word;
  const bool by_heads = view.network.patched == PatchedState::heads;
  const Index layers = std::ssize(overview.layers), columns = by_heads ? overview.heads() : std::ssize(patch.words);
  double most = 0;  ///< the largest effect, for the ends of the colours

  void put_heading(Index at, float x) const {
    const auto put = [&](const std::string& text, float y, Face face, ImU32 ink) {
      pen.text(TextRole::word, face, word, {x, grid.room.min.y + grid.head * y}, Align::middle, ink, text,
               grid.column - Space::tight * u);
    };
    if (by_heads) return put(std::to_string(at), 0.5f, Face::ui, look.muted);
    const std::string &own = item(patch.words, at), &other = item(patch.from, at);
    put(own, 0.27f, Face::ui, look.ink);
    put(other, 0.73f, own == other ? Face::ui : Face::bold, own == other ? look.muted : look.q);
  }

  void put_cell(Rect at, Index layer, Index position, double effect) const {
    const Colormap& map = window_colormap(view, Stage::scores);
    const auto end = static_cast<float>(most > 0 ? most : 1);
    const Rgba ground = map.at(normalise(static_cast<float>(effect), {-end, end}));
    pen.fill(at, to_imgui(ground), Corner::cell * u);
    const std::string number = in_digits(effect);
    if (pen.measure(Face::mono, pen.type.number, number).x <= at.width() && pen.type.number * 1.1f <= at.height())
      pen.number(pen.type.number, at.centre(), Align::middle, to_imgui(ink_on(ground)), number);
    if (by_heads) pen.target(at, SceneAction::head, position, {Stage::weights, layer, position, 0, 0});
    else pen.target(at, SceneAction::lens, position, {Stage::weights, layer, 0, position, 0});
  }

  void lay_out() {
    for (Index l = 0; l < layers; ++l) grid.names = std::max(grid.names, width_of(layer_title(l)) + Space::apart * u);
    grid.head = word * (by_heads ? 1.8f : 3.4f);
    grid.lay_out({view.levels.query.value_or(columns - 1), columns, patch_column_least * u, patch_column_most * u},
                 {looked.layer, layers, pen.type.number * 1.4f, highest_patch_row * u}, caption * 1.7f);
  }

  void put() {
    if (columns == 0 || std::ssize(patch.from) != std::ssize(patch.words)) return;
    for (const auto& row : patch.grid.grid) {
      for (const double logit : row) most = std::max(most, std::abs(logit - patch.grid.before));
    }
    if (patch.whole) {
      const std::vector<Named> values{{in_sentence(patch.word), look.ink},
                                      {in_digits(patch.grid.before), look.ink},
                                      {in_digits(patch.grid.after_all), look.ink}};
      grid.room.min.y +=
          pen.sentence(TextRole::caption, say("network.patch_sums"), values, grid.room, caption, look.muted);
    }
    lay_out();
    const Index last = grid.first + grid.columns - 1;
    for (Index i = grid.first; i <= last; ++i) put_heading(i, grid.middle_of(i));
    for (Index l = grid.top; l < grid.top + grid.lines; ++l) {
      pen.caption({grid.room.min.x, grid.y_of(l) + grid.line / 2}, Align::left, layer_title(l));
      if (l >= std::ssize(patch.grid.grid)) continue;  // not computed yet
      const std::vector<double>& row = item(patch.grid.grid, l);
      for (Index i = grid.first; i <= std::min<Index>(last, std::ssize(row) - 1); ++i)
        put_cell(grid.cell(l, i, u), l, i, item(row, i) - patch.grid.before);
    }
    if (grid.columns < columns)
      pen.caption({grid.room.min.x, grid.end().y + caption * 0.85f}, Align::left,
                  say.fill("network.positions", {grid.first, last, columns}));
    pen.add_content({grid.room.min, grid.end()});
  }
};

struct StudyTable : NetworkPart {
  Rect room;
  const StudyShown& study = facts.study;
  const NetworkChoice& choice = view.network;
  const float line = caption * 1.7f;

  std::vector<const HeadMeans*> rows() const {
    const StudyColumn& by = item(study_columns(), choice.study_sort);
    const auto value = [&](const HeadMeans* each) { return by.value(*each).value_or(-1e300); };
    std::vector<const HeadMeans*> all;
    double most = 0;
    for (const HeadMeans& each : study.heads) most = std::max(most, by.value(each).value_or(0));
    for (const HeadMeans& each : study.heads) {
      const bool kept = choice.study_of == StudyFilter::all ||
                        (choice.study_of == StudyFilter::layer && each.layer == looked.layer) ||
                        (choice.study_of == StudyFilter::strong && by.value(each).value_or(0) >= most / 2);
      if (kept) all.push_back(&each);
    }
    if (choice.study_up) std::ranges::stable_sort(all, {}, value);
    else std::ranges::stable_sort(all, std::ranges::greater(), value);
    return all;
  }

  /// The shown columns, as indices of study_columns().
  std::vector<Index> columns() const {
    std::vector<Index> shown;
    for (Index i = 0; i < std::ssize(study_columns()); ++i) {
      if (choice.study_mean || std::string_view(item(study_columns(), i).name) != "mean_effect") shown.push_back(i);
    }
    return shown;
  }

  void put_row(const HeadMeans& each, float y, float names, float column) {
    const bool here = each.layer == looked.layer && each.head == looked.head;
    const Rect rect{{room.min.x, y}, {room.max.x, y + line}};
    if (here) pen.fill(rect, look.field, Corner::cell * u);
    pen.text(TextRole::word, Face::bold, caption, {room.min.x + Space::near * u, rect.centre().y}, Align::left,
             look.head_ink(each.head), head_name({each.layer, each.head}));
    float x = room.min.x + names;
    for (const Index i : columns()) {
      x += column;
      const std::optional<double> value = item(study_columns(), i).value(each);
      pen.number(pen.type.number, {x, rect.centre().y}, Align::right, value ? look.ink : look.muted,
                 value ? in_digits(*value) : "–");
    }
    pen.target(rect, SceneAction::study_head, each.head, {Stage::weights, each.layer, each.head, 0, 0});
  }

  /// The sentences in which the selected head matters most; from `y` on.
  void put_sentences(float y) {
    const auto at = std::ranges::find_if(
        study.heads, [&](const HeadMeans& each) { return each.layer == looked.layer && each.head == looked.head; });
    if (at == study.heads.end() || at->lines.empty() || y + 2 * line > room.max.y) return;
    pen.text(TextRole::word, Face::bold, caption, {room.min.x, y + line / 2}, Align::left, look.ink,
             say.fill("network.study_sentences", {head_name(looked)}), room.width());
    const float numbers = pen.measure(Face::mono, pen.type.number, "−00.00").x + Space::pad * u;
    for (const HeadMeans::Line& each : at->lines) {
      y += line;
      if (y + line > room.max.y) return;
      const Rect rect{{room.min.x, y}, {room.max.x, y + line}};
      pen.number(pen.type.number, {room.min.x + numbers - Space::pad * u, rect.centre().y}, Align::right, look.muted,
                 in_digits(each.effect));
      pen.text(TextRole::word, Face::ui, caption, {room.min.x + numbers, rect.centre().y}, Align::left, look.ink,
               study.lines[each.line], room.width() - numbers);
      pen.target(rect, SceneAction::study_line, static_cast<Index>(each.line));
    }
  }

  void put_choices() {
    constexpr const char* filters[] = {"network.study_all", "network.study_layer", "network.study_strong"};
    constexpr const char* means[] = {"network.study_zero", "network.study_mean"};
    const float height = button_height(pen) + Space::near * u;
    const float taken =
        pen.tabs(room, Align::left, filters, static_cast<std::size_t>(choice.study_of), SceneAction::study_filter);
    const auto put_means = [&](float x) {
      const Rect rest{{x, room.min.y}, room.max};
      return pen.tabs(rest, Align::left, means, choice.study_mean ? 1 : 0, SceneAction::study_mean) > 0;
    };
    const bool beside = put_means(room.min.x + (taken > 0 ? taken + Space::apart * u : 0));
    if (taken > 0 || beside) room.min.y += height;
    if (!beside && put_means(room.min.x)) room.min.y += height;
  }

  void put_headings(const std::vector<Index>& shown, float names, float column) {
    float x = room.min.x + names;
    for (const Index i : shown) {
      const bool by = i == choice.study_sort;
      const std::string key = std::string("network.study_") + item(study_columns(), i).name;
      const std::string words = say(key) + std::string(by ? choice.study_up ? " ↑" : " ↓" : "");
      x += column;
      pen.text(TextRole::caption, by ? Face::bold : Face::ui, caption, {x, room.min.y + line / 2}, Align::right,
               by ? look.ink : look.muted, words, column - Space::tight * u);
      pen.target({{x - column, room.min.y}, {x, room.min.y + line}}, SceneAction::study_sort, i);
    }
  }

  /// The range of visible rows with a scroll bar: the wheel scrolls, a click turns a page.
  void put_place(std::size_t first, std::size_t shown, std::size_t count, Rect rows) {
    const auto most = static_cast<Index>(count - shown), from = static_cast<Index>(first);
    const Rect note{{room.min.x, rows.max.y}, {room.max.x, rows.max.y + line}};
    pen.caption({room.min.x + Space::near * u, note.centre().y}, Align::left,
                say.fill("network.study_rows", {first + 1, first + shown, count}));
    pen.target(note, SceneAction::study_page, from < most ? std::min(most, from + static_cast<Index>(shown)) : 0,
               {Stage::weights, 0, 0, most, from});
    const auto part = [&](std::size_t row) {
      return rows.min.y + rows.height() * static_cast<float>(row) / static_cast<float>(count);
    };
    pen.fill({{rows.max.x - Space::tight * u, rows.min.y}, rows.max}, look.field, Corner::mark * u);
    pen.fill({{rows.max.x - Space::tight * u, part(first)}, {rows.max.x, part(first + shown)}}, look.muted,
             Corner::mark * u);
  }

  void put() {
    if (study.heads.empty()) return;
    put_choices();
    const std::vector<Index> shown_columns = columns();
    const float names = study_names * u;
    const float column = std::min((room.width() - names - Space::gap * u) / static_cast<float>(shown_columns.size()),
                                  widest_study_column * u);
    put_headings(shown_columns, names, column);
    const std::vector<const HeadMeans*> all = rows();
    const float y = room.min.y + line;
    const auto fits = static_cast<std::size_t>(std::max(1.0f, (room.max.y - y) * 0.6f / line));
    const std::size_t shown = all.size() > fits ? fits - std::min<std::size_t>(1, fits - 1) : all.size();
    const std::size_t first = std::min(static_cast<std::size_t>(choice.study_from), all.size() - shown);
    for (std::size_t i = 0; i < shown; ++i) put_row(*all[first + i], y + static_cast<float>(i) * line, names, column);
    float below = y + static_cast<float>(shown) * line;
    if (shown < all.size()) {
      put_place(first, shown, all.size(), {{room.min.x, y}, {room.max.x, below}});
      below += line;
    }
    pen.add_content({room.min, {room.max.x, below}});
    put_sentences(below + Space::gap * u);
  }
};

}  // namespace

void put_patch(const NetworkPart& part, Rect room) {
  constexpr const char* states[] = {"network.patch_residual", "network.patch_heads", "network.patch_mlp"};
  Pen& pen = part.pen;
  const float u = part.u, word = std::min(patch_word * u, room.width() * 0.35f);
  const Rect left{room.min, {room.max.x - word - Space::apart * u, room.max.y}},
      right{{room.max.x - word, room.min.y}, room.max};
  put_field(pen, right, "network.patch_word", 1);
  room.min.y += put_field(pen, left, "network.patch_from", 0);
  if (pen.tabs(room, Align::left, states, static_cast<std::size_t>(part.view.network.patched), SceneAction::patched) >
      0)
    room.min.y += button_height(pen) + Space::near * u;
  room.min.y += put_task(pen, part.facts.task, room);
  PatchTable{part, {room}}.put();
}

void put_study(const NetworkPart& part, Rect room) {
  Pen& pen = part.pen;
  room.min.y += put_field(pen, room, "network.study_file", 2);
  if (part.facts.study.needs_file) {
    pen.sentence(TextRole::story, part.say("network.study_asks"), {}, room, pen.type.story, part.look.ink);
    return;
  }
  room.min.y += put_task(pen, part.facts.task, room);
  StudyTable{part, room}.put();
}

}  // namespace headlight
