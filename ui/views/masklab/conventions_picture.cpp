#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "ui/base/document/wanted.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/scene/scene.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/views/masklab/mask_picture.h"
#include "ui/views/masklab/sheet.h"

namespace headlight {
namespace {

constexpr float names_from_width = 300, names_from_height = 320, narrowest_board = 168;  // points
// What a card has beside its cells, and above and below them, with names or without.
constexpr float beside_named = 90, around_named = 85, around_cells = 50;

constexpr float board_gap = 10;  // points

Tensor one_matrix(const Tensor& all, Index batch, Index head) {
  return all.slice(0, batch, 1).slice(1, head, 1).contiguous();
}

/// The number of cells and weights that differ in the shown matrix, like all other counts of the lab.
void count_in_one(const Tensor& mask, const Tensor& weights, ConventionEffect& effect) {
  effect.cells = 0;
  effect.weights_change = 0;
  effect.nan_changes = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(mask.count()); ++i) {
    effect.cells += (mask.values()[i] != 0) != (effect.mask.values()[i] != 0) ? 1 : 0;
    const float change = std::abs(effect.weights.values()[i] - weights.values()[i]);
    if (std::isfinite(change)) effect.weights_change = std::max(effect.weights_change, change);
    effect.nan_changes =
        effect.nan_changes || std::isnan(effect.weights.values()[i]) != std::isnan(weights.values()[i]);
  }
}

/// With three significant digits: "0.287", "11.6", "2.1e−05".
std::string change_text(float change) { return number_text(change, change >= 100 ? 0 : change >= 10 ? 1 : 3); }

std::vector<std::string> wrapped(const Frame& frame, std::string_view text, float width) {
  return paragraph_lines(frame.fonts, Face::ui, TypeSize::body * frame.u, text, width);
}

/// Breaks the parts into lines no wider than `width`; each part stays whole, and an empty part starts a new line.
std::vector<std::string> flowed(const Frame& frame, const std::vector<std::string>& parts, float width) {
  std::vector<std::string> lines;
  bool fresh = true;
  for (const std::string& part : parts) {
    if (part.empty()) {
      fresh = true;
      continue;
    }
    const std::string joined = fresh ? part : lines.back() + " · " + part;
    if (!std::exchange(fresh, false) && frame.width(Face::ui, TypeSize::body, joined) <= width) {
      lines.back() = joined;
    } else {
      for (std::string& line : wrapped(frame, part, width)) lines.push_back(std::move(line));
    }
  }
  return lines;
}

struct ConventionsPicture {
  Scene scene;  ///< this run, then the conventions that change something, then the others
  std::vector<std::optional<Scenario>> scenarios;  ///< the scenario that a click on each card applies; unset for this
                                                   ///< run and for conventions that no scenario can express
};

struct ConventionsBuilder : ScenePart {
  const Frame& frame;
  Rect area;
  const ConventionBoard& board;
  ConventionsPicture& picture;
  SheetWords words{};
  std::vector<MatrixCard> cards{};
  std::vector<std::string> ids{}, who{};            ///< id of each card; the names of the libraries
  std::vector<std::vector<std::string>> effects{};  ///< effects of each card, in parts
  std::vector<std::string> same{};                  ///< the conventions that change nothing, as text

  void add(std::string id, const char* name, const char* libraries, const Tensor& weights, const Tensor& mask,
           std::vector<std::string> effect, std::optional<Scenario> scenario = {}) {
    MatrixCard card;
    card.title = name;
    card.numbers = true;
    card.heat = sheet_heat(frame, Stage::weights, weights, {0, 1});
    card.heat.batch = card.heat.head = 0;
    card.heat.quad.mask = mask;
    card.heat.quad.show_leaks = true;
    cards.push_back(std::move(card));
    ids.push_back(std::move(id));
    who.emplace_back(libraries);
    effects.push_back(std::move(effect));
    picture.scenarios.push_back(std::move(scenario));
  }

  /// The libraries that use the convention, before its effect.
  std::vector<std::string> with_libraries(const std::string& id, const std::vector<std::string>& effect) const {
    std::vector<std::string> parts;
    std::string_view libraries = say("mask_lab.conventions.libraries." + id);
    while (!libraries.empty()) {
      const std::size_t end = std::min(libraries.find(" · "), libraries.size());
      parts.emplace_back(libraries.substr(0, end));
      libraries.remove_prefix(std::min(end + std::string_view(" · ").size(), libraries.size()));
    }
    parts.emplace_back();  // a new line
    parts.insert(parts.end(), effect.begin(), effect.end());
    return parts;
  }

  void add_all() {
    const Index batch = view.batch, head = view.head;
    add("reference", say("mask_lab.conventions.reference"), say("mask_lab.conventions.this_run"),
        one_matrix(trace[Stage::weights], batch, head), one_matrix(trace[Stage::mask], batch, head),
        {say("mask_lab.conventions.this_run")});
    std::vector<const ConventionBoard::Entry*> order;
    for (const ConventionBoard::Entry& entry : board.done()) order.push_back(&entry);
    // Cards are sorted once all are computed, so that they do not move while the user looks at them.
    if (!board.busy())
      std::stable_partition(order.begin(), order.end(),
                            [](const auto* entry) { return !entry->effect.changes_nothing(); });
    for (const ConventionBoard::Entry* entry : order) {
      const Convention& choice = entry->choice;
      if (!board.busy() && entry->effect.changes_nothing()) {
        same.push_back(std::string(say("mask_lab.conventions.name." + choice.id)) + " (" +
                       say("mask_lab.conventions.libraries." + choice.id) + ")");
        continue;
      }
      add(choice.id, say("mask_lab.conventions.name." + choice.id), say("mask_lab.conventions.who." + choice.id),
          entry->effect.weights, entry->effect.mask,
          with_libraries(choice.id, effect_words(frame.words, entry->effect)),
          choice.applies ? std::optional(choice.scenario) : std::nullopt);
    }
  }

  static bool has_names(ImVec2 size, float u) {
    return size.x >= names_from_width * u && size.y >= names_from_height * u;
  }

  ImVec2 card_size(std::size_t count, int columns, Rect room) const {
    const auto rows = static_cast<float>((static_cast<int>(count) + columns - 1) / columns);
    return {(room.width() - board_gap * u * static_cast<float>(columns - 1)) / static_cast<float>(columns),
            (room.height() - board_gap * u * (rows - 1)) / rows};
  }

  /// The texts below each matrix for cards of this width, and the largest number of lines.
  std::pair<std::vector<std::vector<std::string>>, std::size_t> captions(float width) const {
    std::vector<std::vector<std::string>> all;
    std::size_t lines = 2;
    for (const std::vector<std::string>& effect : effects) {
      all.push_back(flowed(frame, effect, width - 2 * Space::card * u));
      lines = std::max(lines, all.back().size());
    }
    return {std::move(all), lines};
  }

  /// The number of cards per row that makes the cells largest.
  int best_columns(std::size_t count, Rect room) const {
    int best = 1;
    float largest = 0;
    const Dims& dims = trace.dims();
    for (int columns = 1; columns <= static_cast<int>(count); ++columns) {
      const ImVec2 size = card_size(count, columns, room);
      if (columns > 1 && size.x < narrowest_board * u) break;
      const bool names = has_names(size, u);
      const float beside = names ? beside_named : 2 * Space::card,
                  around =
                      (names ? around_named : around_cells) + Space::row * static_cast<float>(captions(size.x).second);
      const float width = size.x - beside * u, height = size.y - around * u;
      const float cell = std::min(width / static_cast<float>(dims.n_k), height / static_cast<float>(dims.n_q));
      if (cell <= largest) continue;
      largest = cell;
      best = columns;
    }
    return best;
  }

  void place() {
    if (!same.empty()) {
      std::string all;
      for (const std::string& one : same) all += (all.empty() ? "" : " · ") + one;
      for (std::string& line : wrapped(frame, say.fill("mask_lab.conventions.same", {all}), area.width()))
        words.lines.push_back(std::move(line));
    }
    const Rect room = put_sheet_words(pen, words, area);
    if (cards.empty()) return;
    const std::size_t count =
        board.busy() ? board.count() + 1 : cards.size();  // room is reserved for cards that are not computed yet
    const int columns = best_columns(count, room);
    const ImVec2 size = card_size(count, columns, room);
    auto [texts, lines] = captions(size.x);
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const auto column = static_cast<float>(static_cast<int>(i) % columns),
                 row = static_cast<float>(static_cast<int>(i) / columns);
      const ImVec2 min{room.min.x + column * (size.x + board_gap * u), room.min.y + row * (size.y + board_gap * u)};
      MatrixCard& card = cards[i];
      card.caption = std::move(texts[i]);
      card.caption.resize(lines);
      lay_out(frame, card, {min, {min.x + size.x, min.y + size.y}}, {.names = has_names(size, u)});
      put_matrix_card(pen, card, i == 0 ? look.after : 0);
      SceneTarget& target = pen.control(card.card, ids[i], SceneAction::convention, static_cast<Index>(i));
      target.hint = who[i];
      if (picture.scenarios[i]) target.framed = card.card;
    }
  }
};

/// Whether conventions can be computed for this trace.
bool has_conventions(const Trace& trace) {
  return trace.has(Stage::mask) && trace[Stage::weights].count() <= conventions_at_most;
}

/// From the conventions computed so far. A problem, such as too many weights, becomes the sheet's error.
ConventionsPicture make_conventions_picture(const Frame& frame, Rect area, const ConventionBoard& board) {
  ConventionsPicture picture;
  Pen pen(frame, picture.scene);
  ConventionsBuilder build{pen, frame, area, board, picture};
  SheetWords& words = build.words;
  words.title = frame.words("mask_lab.conventions.about");
  words.legend = {
      {CellKind::value, to_imgui(window_colormap(frame.view(), Stage::weights).at(0.6f)), frame.words("legend.weight")},
      {CellKind::masked, 0, frame.words("legend.may_not")},
      {CellKind::nan, 0, "NaN"}};
  if (has_conventions(*frame.trace())) {
    words.lines.push_back(frame.words("mask_lab.conventions.axes"));
    build.add_all();
  } else {
    words.error = frame.trace()->has(Stage::mask)
                      ? frame.words.fill("mask_lab.conventions.large", {grouped(conventions_at_most)})
                      : std::string(frame.words("mask_lab.conventions.none"));
  }
  build.place();
  return picture;
}

/// The same, cached; a few more conventions are computed with each frame.
const ConventionsPicture& conventions_picture(const Frame& frame, Rect area) {
  const View& view = frame.view();
  const auto begin = [&] {
    ConventionBoard board;
    if (has_conventions(*frame.trace())) board.want(frame.document.trace, view.batch, view.head);
    return board;
  };
  ConventionBoard& board = frame.pictures.get<ConventionBoard>(begin, frame.document.trace, view.batch, view.head);
  board.advance();
  if (board.busy()) frame.pictures.go_on();
  return frame.picture<ConventionsPicture>([&] { return make_conventions_picture(frame, area, board); }, view.mask_lab,
                                           area, board.done().size());
}

/// This run becomes A, the other choice B.
void take(const Frame& frame, const Scenario& scenario) {
  frame.actions.push_back(Pin{});
  frame.actions.push_back(PatchScenario{scenario_patch(frame.document.scenario, scenario), {}});
  frame.show([](View& v) { v.kind = ViewKind::compare; });
}

}  // namespace

void ConventionBoard::want(std::shared_ptr<const Trace> trace, Index batch, Index head) {
  if (trace == trace_ && batch == batch_ && head == head_) return;
  if (trace != trace_) choices_ = other_conventions(*trace);
  trace_ = std::move(trace);
  batch_ = batch;
  head_ = head;
  done_.clear();
}

bool ConventionBoard::advance() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds share_of_a_frame{8};
  if (!busy()) return false;
  const Clock::time_point begun = Clock::now();
  do {
    const Convention& choice = choices_[done_.size()];
    ConventionEffect effect = effect_of(choice, *trace_);
    effect.weights = one_matrix(effect.weights, batch_, head_);
    effect.mask = one_matrix(effect.mask, batch_, head_);
    count_in_one(one_matrix((*trace_)[Stage::mask], batch_, head_),
                 one_matrix((*trace_)[Stage::weights], batch_, head_), effect);
    done_.push_back({choice, std::move(effect)});
  } while (busy() && Clock::now() - begun < share_of_a_frame);
  return true;
}

std::vector<std::string> effect_words(const Words& words, const ConventionEffect& effect) {
  if (effect.changes_nothing()) return {words("mask_lab.conventions.nothing")};
  std::vector<std::string> parts;
  if (effect.cells > 0) parts.push_back(words.fill("mask_lab.conventions.cells", {grouped(effect.cells)}));
  if (effect.weights_change > 0)
    parts.push_back(words.fill("mask_lab.conventions.weights", {change_text(effect.weights_change)}));
  if (effect.output_change > 0)
    parts.push_back(words.fill("mask_lab.conventions.output", {change_text(effect.output_change)}));
  if (effect.nan_changes) parts.push_back(words("mask_lab.conventions.nan"));
  return parts;
}

void draw_conventions_tab(const Frame& frame, Rect place) {
  const ConventionsPicture& picture = conventions_picture(frame, sheet_inside(frame, place));
  draw_scene(frame, *ImGui::GetWindowDrawList(), picture.scene);
  const SceneTarget* pressed = press_controls(frame, picture.scene);
  if (!pressed) return;
  if (const auto& scenario = picture.scenarios[static_cast<std::size_t>(pressed->index)]) take(frame, *scenario);
}

}  // namespace headlight
