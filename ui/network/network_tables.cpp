// Two tables of the network view: the effect of another sentence's states, layers by positions or heads; and what each
// head does over many sentences, with those in which it matters most.
#include <algorithm>
#include <cmath>

#include "core/image/theme.h"
#include "core/run/trace.h"
#include "ui/frame/colormaps.h"
#include "ui/level/matrix_numbers.h"
#include "ui/look/measure.h"
#include "ui/network/network_scene.h"

namespace headlight {
namespace {

/// An effect may be below zero: a small one is "≈0" there, as "<.01" would hide its sign.
std::string in_digits(double value) { return MatrixNumbers(2, value > 0)(static_cast<float>(value)); }

float button_height(const Pen& pen) { return pen.type.caption * 2.1f; }

float put_button(Pen& pen, ImVec2 at, const std::string& words, SceneAction action) {
  const float height = button_height(pen), width = pen.measure(Face::ui, pen.type.caption, words).x + 24 * pen.u();
  const Rect rect{at, {at.x + width, at.y + height}};
  pen.fill(rect, pen.look().card, Corner::control * pen.u());
  pen.box(rect, pen.look().line, 1, Corner::control * pen.u());
  pen.text(TextRole::caption, Face::ui, pen.type.caption, rect.centre(), Align::middle, pen.look().ink, words);
  pen.target(rect, action);
  return width;
}

/// How far the long computation is, and the button that stops it or goes on; gives the height.
float put_task(Pen& pen, const TaskShown& task, Rect room) {
  const Words& words = pen.context().words;
  if (!task.error.empty())
    return pen.sentence(TextRole::caption, "{0}", std::vector<Named>{{task.error, pen.look().warning, false}}, room,
                        pen.type.caption, pen.look().warning) +
           6 * pen.u();
  if (!task.running && !task.stopped) return 0;
  const float taken = put_button(pen, room.min, words(task.running ? "network.stop" : "network.go_on"),
                                 task.running ? SceneAction::task_stop : SceneAction::task_again);
  const auto whole = [](double value) { return std::to_string(std::llround(value)); };
  const std::string said = task.stopped ? words.fill("network.stopped", {whole(100 * task.share)})
                           : task.seconds_left
                               ? words.fill("network.running", {whole(100 * task.share), whole(*task.seconds_left)})
                               : words("network.coming");
  pen.text(TextRole::caption, Face::ui, pen.type.caption,
           {room.min.x + taken + 10 * pen.u(), room.min.y + button_height(pen) / 2}, Align::left, pen.look().muted,
           elide(pen.context().fonts, Face::ui, pen.type.caption, said, room.width() - taken - 10 * pen.u()));
  return button_height(pen) + 6 * pen.u();
}

/// A label and the room for a field that is typed into, which the view draws there; gives the height.
float put_field(Pen& pen, Rect room, const char* key, Index field) {
  const std::string label = pen.context().words(said_of(pen.context().trace, key));
  const float height = 30 * pen.u(), width = pen.measure(Face::ui, pen.type.caption, label).x + 10 * pen.u();
  pen.text(TextRole::caption, Face::ui, pen.type.caption, {room.min.x, room.min.y + 13 * pen.u()}, Align::left,
           pen.look().muted, label);
  pen.target({{room.min.x + width, room.min.y}, {room.max.x, room.min.y + height}}, SceneAction::own_words, field);
  return height + 6 * pen.u();
}

struct PatchTable {
  Pen& pen;
  const HeadOverview& overview;
  const PatchShown& made;
  Rect room;
  const SceneContext& context = pen.context();
  const Look& look = context.look;
  const float u = context.u, caption = pen.type.caption, word = pen.type.word;
  const bool by_heads = context.view.network.patched == PatchedState::heads;
  double most = 0;  ///< the largest effect, at the ends of the colours
  float names = 0, column = 0, line = 0, head = 0;

  std::string layer_name(Index layer) const {
    return context.words.fill("network.layer", {overview.layers[static_cast<std::size_t>(layer)].layer});
  }

  void put_heading(Index at, float x) {
    const auto i = static_cast<std::size_t>(at);
    const auto put = [&](const std::string& text, float y, Face face, ImU32 ink) {
      pen.text(TextRole::word, face, word, {x, y}, Align::middle, ink,
               elide(context.fonts, face, word, text, column - 4 * u));
    };
    if (by_heads) return put(std::to_string(at), room.min.y + head * 0.5f, Face::ui, look.muted);
    const bool same = made.words[i] == made.from[i];
    put(made.words[i], room.min.y + head * 0.27f, Face::ui, look.ink);
    put(made.from[i], room.min.y + head * 0.73f, same ? Face::ui : Face::bold, same ? look.muted : look.q);
  }

  void put_cell(Rect at, Index layer, Index position, double effect) {
    const Colormap& map = window_colormap(context.view, Stage::scores);
    const auto end = static_cast<float>(most > 0 ? most : 1);
    const Rgba ground = map.at(normalise(static_cast<float>(effect), {-end, end}));
    pen.fill(at, to_imgui(ground), Corner::cell * u);
    const std::string number = in_digits(effect);
    if (pen.measure(Face::mono, pen.type.number, number).x <= at.width() && pen.type.number * 1.1f <= at.height())
      pen.text(TextRole::number, Face::mono, pen.type.number, at.centre(), Align::middle, to_imgui(ink_on(ground)),
               number);
    if (by_heads) pen.target(at, SceneAction::head, position, {Stage::weights, layer, position, 0, 0});
    else pen.target(at, SceneAction::lens, position, {Stage::weights, layer, 0, position, 0});
  }

  void put() {
    const Index lines = std::ssize(overview.layers), columns = by_heads ? overview.heads() : std::ssize(made.words);
    if (columns == 0 || std::ssize(made.from) != std::ssize(made.words)) return;
    for (const auto& row : made.grid.grid) {
      for (const double logit : row) most = std::max(most, std::abs(logit - made.grid.before));
    }
    if (made.whole) {
      const std::vector<Named> said{
          {made.word, look.ink}, {in_digits(made.grid.before), look.ink}, {in_digits(made.grid.after_all), look.ink}};
      room.min.y +=
          pen.sentence(TextRole::caption, context.words("network.patch_sums"), said, room, caption, look.muted);
    }
    for (Index l = 0; l < lines; ++l) names = std::max(names, pen.measure(Face::ui, caption, layer_name(l)).x + 12 * u);
    head = word * (by_heads ? 1.8f : 3.4f);
    const Index looked = looked_at_head(overview, context.view).layer;
    const auto [first, across] =
        part_around(context.view.looking.query.value_or(columns - 1), columns, room.width() - names, 46 * u);
    const auto [top, down] = part_around(looked, lines, room.height() - head - caption * 1.7f, pen.type.number * 1.4f);
    column = std::min((room.width() - names) / static_cast<float>(across), 120 * u);
    line = std::min((room.height() - head - caption * 1.7f) / static_cast<float>(down), 44 * u);
    for (Index i = first; i < first + across; ++i)
      put_heading(i, room.min.x + names + (static_cast<float>(i - first) + 0.5f) * column);
    for (Index l = top; l < top + down; ++l) {
      const float y = room.min.y + head + static_cast<float>(l - top) * line;
      pen.text(TextRole::caption, Face::ui, caption, {room.min.x, y + line / 2}, Align::left, look.muted,
               layer_name(l));
      if (l >= std::ssize(made.grid.grid)) continue;  // not computed yet
      const std::vector<double>& row = made.grid.grid[static_cast<std::size_t>(l)];
      for (Index i = first; i < std::min<Index>(first + across, std::ssize(row)); ++i) {
        const float x = room.min.x + names + static_cast<float>(i - first) * column;
        put_cell({{x + u, y + u}, {x + column - u, y + line - u}}, l, i,
                 row[static_cast<std::size_t>(i)] - made.grid.before);
      }
    }
    if (across < columns)
      pen.text(
          TextRole::caption, Face::ui, caption,
          {room.min.x, room.min.y + head + static_cast<float>(down) * line + caption * 0.85f}, Align::left, look.muted,
          context.words.fill("network.positions",
                             {std::to_string(first), std::to_string(first + across - 1), std::to_string(columns)}));
    pen.add_content({room.min,
                     {room.min.x + names + static_cast<float>(across) * column,
                      room.min.y + head + static_cast<float>(down) * line}});
  }
};

struct StudyTable {
  Pen& pen;
  const HeadOverview& overview;
  const StudyShown& made;
  Rect room;
  const SceneContext& context = pen.context();
  const NetworkChoice& choice = context.view.network;
  const Look& look = context.look;
  const float u = context.u, caption = pen.type.caption, line = pen.type.caption * 1.7f;
  const HeadPlace looked = looked_at_head(overview, context.view);

  std::vector<const HeadMeans*> rows() const {
    const StudyColumn& by = study_columns()[static_cast<std::size_t>(choice.study_sort)];
    const auto value = [&](const HeadMeans* each) { return by.value(*each).value_or(-1e300); };
    std::vector<const HeadMeans*> all;
    double most = 0;
    for (const HeadMeans& each : made.heads) most = std::max(most, by.value(each).value_or(0));
    for (const HeadMeans& each : made.heads) {
      const bool kept = choice.study_of == StudyFilter::all ||
                        (choice.study_of == StudyFilter::layer && each.layer == looked.layer) ||
                        (choice.study_of == StudyFilter::strong && by.value(each).value_or(0) >= most / 2);
      if (kept) all.push_back(&each);
    }
    if (choice.study_up) std::ranges::stable_sort(all, {}, value);
    else std::ranges::stable_sort(all, std::ranges::greater(), value);
    return all;
  }

  /// The columns that are shown, as indices of study_columns().
  std::vector<Index> columns() const {
    std::vector<Index> shown;
    for (Index i = 0; i < std::ssize(study_columns()); ++i) {
      const std::string_view name = study_columns()[static_cast<std::size_t>(i)].name;
      if (choice.study_mean || name != "mean_effect") shown.push_back(i);
    }
    return shown;
  }

  void put_row(const HeadMeans& each, float y, float names, float column) {
    const bool here = each.layer == looked.layer && each.head == looked.head;
    const Rect rect{{room.min.x, y}, {room.max.x, y + line}};
    if (here) pen.fill(rect, look.field, Corner::cell * u);
    pen.text(TextRole::word, Face::bold, caption, {room.min.x + 6 * u, rect.centre().y}, Align::left,
             look.head_ink(each.head),
             overview.layers[static_cast<std::size_t>(each.layer)].layer + "." + std::to_string(each.head));
    float x = room.min.x + names;
    for (const Index i : columns()) {
      x += column;
      const std::optional<double> value = study_columns()[static_cast<std::size_t>(i)].value(each);
      pen.text(TextRole::number, Face::mono, pen.type.number, {x, rect.centre().y}, Align::right,
               value ? look.ink : look.muted, value ? in_digits(*value) : "–");
    }
    pen.target(rect, SceneAction::study_head, each.head, {Stage::weights, each.layer, each.head, 0, 0});
  }

  /// The sentences in which the head that is looked at matters most; from `y` on.
  void put_sentences(float y) {
    const auto at = std::ranges::find_if(
        made.heads, [&](const HeadMeans& each) { return each.layer == looked.layer && each.head == looked.head; });
    if (at == made.heads.end() || at->lines.empty() || y + 2 * line > room.max.y) return;
    const std::string name =
        overview.layers[static_cast<std::size_t>(looked.layer)].layer + "." + std::to_string(looked.head);
    pen.text(
        TextRole::word, Face::bold, caption, {room.min.x, y + line / 2}, Align::left, look.ink,
        elide(context.fonts, Face::bold, caption, context.words.fill("network.study_sentences", {name}), room.width()));
    const float numbers = pen.measure(Face::mono, pen.type.number, "−00.00").x + 10 * u;
    for (const HeadMeans::Line& each : at->lines) {
      y += line;
      if (y + line > room.max.y) return;
      const Rect rect{{room.min.x, y}, {room.max.x, y + line}};
      pen.text(TextRole::number, Face::mono, pen.type.number, {room.min.x + numbers - 10 * u, rect.centre().y},
               Align::right, look.muted, in_digits(each.effect));
      pen.text(TextRole::word, Face::ui, caption, {room.min.x + numbers, rect.centre().y}, Align::left, look.ink,
               elide(context.fonts, Face::ui, caption, made.lines[each.line], room.width() - numbers));
      pen.target(rect, SceneAction::study_line, static_cast<Index>(each.line));
    }
  }

  void put_choices() {
    constexpr const char* filters[] = {"network.study_all", "network.study_layer", "network.study_strong"};
    constexpr const char* means[] = {"network.study_zero", "network.study_mean"};
    const float height = button_height(pen) + 6 * u;
    const float taken =
        pen.tabs(room, Align::left, filters, static_cast<std::size_t>(choice.study_of), SceneAction::study_filter);
    const auto put_means = [&](float x) {
      const Rect rest{{x, room.min.y}, room.max};
      return pen.tabs(rest, Align::left, means, choice.study_mean ? 1 : 0, SceneAction::study_mean) > 0;
    };
    const bool beside = put_means(room.min.x + (taken > 0 ? taken + 12 * u : 0));
    if (taken > 0 || beside) room.min.y += height;
    if (!beside && put_means(room.min.x)) room.min.y += height;
  }

  void put_headings(const std::vector<Index>& shown, float names, float column) {
    float x = room.min.x + names;
    for (const Index i : shown) {
      const bool by = i == choice.study_sort;
      const std::string key = std::string("network.study_") + study_columns()[static_cast<std::size_t>(i)].name;
      const std::string words = context.words(key) + std::string(by ? choice.study_up ? " ↑" : " ↓" : "");
      x += column;
      pen.text(TextRole::caption, by ? Face::bold : Face::ui, caption, {x, room.min.y + line / 2}, Align::right,
               by ? look.ink : look.muted,
               elide(context.fonts, by ? Face::bold : Face::ui, caption, words, column - 4 * u));
      pen.target({{x - column, room.min.y}, {x, room.min.y + line}}, SceneAction::study_sort, i);
    }
  }

  /// Which rows are seen, and a bar of how far down they are: the wheel moves them, a click turns a page.
  void put_place(std::size_t first, std::size_t shown, std::size_t count, Rect rows) {
    const auto most = static_cast<Index>(count - shown), from = static_cast<Index>(first);
    const Rect note{{room.min.x, rows.max.y}, {room.max.x, rows.max.y + line}};
    pen.text(TextRole::caption, Face::ui, caption, {room.min.x + 6 * u, note.centre().y}, Align::left, look.muted,
             context.words.fill("network.study_rows",
                                {std::to_string(first + 1), std::to_string(first + shown), std::to_string(count)}));
    pen.target(note, SceneAction::study_page, from < most ? std::min(most, from + static_cast<Index>(shown)) : 0,
               {Stage::weights, 0, 0, most, from});
    const auto part = [&](std::size_t row) {
      return rows.min.y + rows.height() * static_cast<float>(row) / static_cast<float>(count);
    };
    pen.fill({{rows.max.x - 4 * u, rows.min.y}, rows.max}, look.field, 2 * u);
    pen.fill({{rows.max.x - 4 * u, part(first)}, {rows.max.x, part(first + shown)}}, look.muted, 2 * u);
  }

  void put() {
    if (made.heads.empty()) return;
    put_choices();
    const std::vector<Index> shown_columns = columns();
    const float names = 64 * u;
    const float column = std::min((room.width() - names - 8 * u) / static_cast<float>(shown_columns.size()), 92 * u);
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
    put_sentences(below + 8 * u);
  }
};

}  // namespace

void put_patch(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room) {
  constexpr const char* states[] = {"network.patch_residual", "network.patch_heads", "network.patch_mlp"};
  const float u = pen.u(), word = std::min(260 * u, room.width() * 0.35f);
  const Rect left{room.min, {room.max.x - word - 12 * u, room.max.y}}, right{{room.max.x - word, room.min.y}, room.max};
  put_field(pen, right, "network.patch_word", 1);
  room.min.y += put_field(pen, left, "network.patch_from", 0);
  if (pen.tabs(room, Align::left, states, static_cast<std::size_t>(pen.context().view.network.patched),
               SceneAction::patched) > 0)
    room.min.y += button_height(pen) + 6 * u;
  room.min.y += put_task(pen, facts.task, room);
  PatchTable{pen, overview, facts.patch, room}.put();
}

void put_study(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room) {
  room.min.y += put_field(pen, room, "network.study_file", 2);
  if (facts.study.asks) {
    pen.sentence(TextRole::story, pen.context().words("network.study_asks"), {}, room, pen.type.story, pen.look().ink);
    return;
  }
  room.min.y += put_task(pen, facts.task, room);
  StudyTable{pen, overview, facts.study, room}.put();
}

}  // namespace headlight
