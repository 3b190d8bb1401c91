#include "ui/parts/scene/travel.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/figures/figure/colormap.h"
#include "core/rules/stage/extent.h"

namespace headlight {
namespace {

// As fractions of the transition: what is only in the old scene disappears, then what is in both moves, then what is
// only in the new scene appears, so that two pages never lie over each other.
constexpr float gone_at = 0.3f, comes_at = 0.7f;
constexpr Index most_cells = 4096;  // a larger matrix moves as a whole

float leaving(float share) { return std::clamp(1 - share / gone_at, 0.0f, 1.0f); }
float coming(float share) { return part_done(share, comes_at, 1); }
float moving_way(float share) { return eased(part_done(share, gone_at, comes_at)); }

/// A number as it appears in a scene.
struct Traveller {
  Cell cell;
  Rect rect;
  ImU32 colour = 0;
};

auto order_of(const Cell& cell) { return std::tie(cell.stage, cell.batch, cell.head, cell.row, cell.col); }

/// Whether the matrix moves cell by cell: hidden or dropped cells have no colour of their own.
bool goes_by_cells(const SceneMatrix& matrix) {
  if (!matrix.first || matrix.quad.mask.defined() || matrix.quad.kept.defined() || matrix.quad.row_ranges) return false;
  const MatrixView numbers = matrix.quad.values.matrix(matrix.quad.batch, matrix.quad.head);
  return numbers.rows * numbers.cols <= most_cells;
}

/// Calls `put(row, column, rectangle, colour)` for each cell.
void for_cells(const MatrixQuad& quad, auto put) {
  const MatrixView numbers = quad.values.matrix(quad.batch, quad.head);
  const float w = (quad.max.x - quad.min.x) / static_cast<float>(numbers.cols),
              h = (quad.max.y - quad.min.y) / static_cast<float>(numbers.rows);
  for (Index r = 0; r < numbers.rows; ++r) {
    for (Index c = 0; c < numbers.cols; ++c) {
      const ImVec2 at{quad.min.x + w * static_cast<float>(c), quad.min.y + h * static_cast<float>(r)};
      const Rgba colour = quad.colormap->at(spread(numbers(r, c), quad.range, quad.colormap->kind(), quad.norm));
      put(r, c, Rect{at, {at.x + w, at.y + h}}.grown(-quad.cell_gap / 2), fade(to_imgui(colour), quad.opacity));
    }
  }
}

void add_cells(const Trace& trace, const SceneMatrix& matrix, std::vector<Traveller>& to) {
  for_cells(matrix.quad, [&](Index r, Index c, const Rect& rect, ImU32 colour) {
    if (!matrix.seen.contains(rect.centre())) return;
    Cell cell = *matrix.first;
    cell.row += matrix.turned ? c : r;
    cell.col += matrix.turned ? r : c;
    to.push_back({same_number(trace, cell), rect, colour});
  });
}

/// A number that is shown as a bar or as a part of one.
Traveller traveller_of(const Trace& trace, const SceneItem& item, const Cell& cell) {
  if (const auto* bar = std::get_if<SceneBar>(&item)) return {same_number(trace, cell), bar->rect(), bar->colour};
  const auto& fill = std::get<SceneFill>(item);
  return {same_number(trace, cell), fill.rect, fill.colour};
}

/// A scene split into its numbers, each once where it is topmost, and all other items.
struct SplitScene {
  std::vector<Traveller> numbers;
  std::vector<const SceneItem*> items, texts;
};

SplitScene parts_of(const Trace& trace, const Scene& scene) {
  SplitScene parts;
  auto mark = scene.marks.begin();
  for (std::size_t i = 0; i < scene.items.size(); ++i) {
    const SceneItem& item = scene.items[i];
    while (mark != scene.marks.end() && mark->first < i) ++mark;
    const auto* matrix = std::get_if<SceneMatrix>(&item);
    if (mark != scene.marks.end() && mark->first == i) parts.numbers.push_back(traveller_of(trace, item, mark->second));
    else if (matrix && goes_by_cells(*matrix)) add_cells(trace, *matrix, parts.numbers);
    else if (std::holds_alternative<SceneText>(item)) parts.texts.push_back(&item);
    else parts.items.push_back(&item);
  }
  std::ranges::stable_sort(parts.numbers,
                           [](const Traveller& a, const Traveller& b) { return order_of(a.cell) < order_of(b.cell); });
  // Of the items that show the same number, the topmost is the last one.
  const auto same = [](const Traveller& a, const Traveller& b) { return a.cell == b.cell; };
  const auto hidden = std::unique(parts.numbers.rbegin(), parts.numbers.rend(), same);
  parts.numbers.erase(parts.numbers.begin(), hidden.base());
  return parts;
}

ImU32 mixed_colour(ImU32 from, ImU32 to, float share) {
  ImU32 colour = 0;
  for (const int shift : {0, 8, 16, 24}) {
    const auto a = static_cast<float>((from >> shift) & 0xFF), b = static_cast<float>((to >> shift) & 0xFF);
    colour |= static_cast<ImU32>(a + (b - a) * share + 0.5f) << shift;
  }
  return colour;
}

struct Fading {
  float presence;
  void operator()(SceneHatch& hatch) const {
    hatch.colour = fade(hatch.colour, presence);
    hatch.ground = fade(hatch.ground, presence);
  }
  void operator()(SceneMatrix& matrix) const { matrix.quad.opacity *= presence; }
  void operator()(SceneImage&) const {}  // images have no opacity
  void operator()(SceneColours&) const {}
  void operator()(SceneHeat&) const {}
  void operator()(auto& other) const { other.colour = fade(other.colour, presence); }
};

SceneItem faded(SceneItem item, float presence) {
  if (presence < 1) std::visit(Fading{presence}, item);
  return item;
}

/// The kind, rectangle and colour of an item. Items that both scenes have at the same place do not move.
using Identity = std::tuple<std::size_t, float, float, float, float, ImU32>;
std::optional<Identity> identity_of(const SceneItem& item) {
  const auto of = [&](const Rect& rect, ImU32 colour) {
    return Identity{item.index(), rect.min.x, rect.min.y, rect.max.x, rect.max.y, colour};
  };
  if (const auto* fill = std::get_if<SceneFill>(&item)) return of(fill->rect, fill->colour);
  if (const auto* box = std::get_if<SceneBox>(&item)) return of(box->rect, box->colour);
  return {};
}

bool may_move(const SceneText& text) {
  return text.degrees == 0 && (text.role == TextRole::word || text.role == TextRole::caption);
}

/// The texts of a scene by content, in order.
using TextsByWords = std::map<std::pair<TextRole, std::string_view>, std::vector<const SceneText*>>;
TextsByWords texts_by_words(const SplitScene& parts) {
  TextsByWords found;
  for (const SceneItem* item : parts.texts) {
    const auto& text = std::get<SceneText>(*item);
    found[{text.role, text.text}].push_back(&text);
  }
  return found;
}

/// Puts the scene together that shows the transition at `share`.
struct Transition {
  const SplitScene from, to;
  const float share;
  Scene scene{};

  void put(const SceneItem& item, float presence) {
    if (presence > 0) scene.items.push_back(faded(item, presence));
  }

  void put_items() {
    std::map<Identity, bool> stays;  // of items in the new scene: whether the old one has them, too
    for (const SceneItem* item : to.items) {
      if (const auto key = identity_of(*item)) stays[*key] = false;
    }
    for (const SceneItem* item : from.items) {
      const auto key = identity_of(*item);
      const auto found = key ? stays.find(*key) : stays.end();
      if (found != stays.end()) found->second = true;
      else put(*item, leaving(share));
    }
    for (const SceneItem* item : to.items) {
      const auto key = identity_of(*item);
      put(*item, key && stays.at(*key) ? 1 : coming(share));
    }
  }

  void put_number(const Traveller& each, float presence) { put(SceneFill{each.rect, each.colour, 0}, presence); }
  void put_numbers() {
    const float way = moving_way(share);
    std::vector<SceneItem> moving;  // drawn over the items that stay
    auto a = from.numbers.begin();
    auto b = to.numbers.begin();
    while (a != from.numbers.end() || b != to.numbers.end()) {
      const bool first = b == to.numbers.end() || (a != from.numbers.end() && order_of(a->cell) < order_of(b->cell));
      if (first) {
        put_number(*a++, leaving(share));
      } else if (a == from.numbers.end() || order_of(b->cell) < order_of(a->cell)) {
        put_number(*b++, coming(share));
      } else {
        moving.emplace_back(SceneFill{mixed(a->rect, b->rect, way), mixed_colour(a->colour, b->colour, way), 0});
        ++a;
        ++b;
      }
    }
    scene.items.insert(scene.items.end(), moving.begin(), moving.end());
  }

  void put_texts() {
    const TextsByWords before = texts_by_words(from), after = texts_by_words(to);
    for (const auto& [key, texts] : before) {
      const auto same = after.find(key);
      const std::size_t stay = same == after.end() ? 0 : same->second.size();
      for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i >= stay || !goes_on(*texts[i], *same->second[i])) put(*texts[i], leaving(share));
      }
    }
    for (const auto& [key, texts] : after) {
      const auto same = before.find(key);
      const std::size_t stood = same == before.end() ? 0 : same->second.size();
      for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i >= stood || !goes_on(*same->second[i], *texts[i])) put(*texts[i], coming(share));
        else put(moved(*same->second[i], *texts[i]), 1);
      }
    }
  }
  static bool goes_on(const SceneText& a, const SceneText& b) {
    return a.rect == b.rect ? a.degrees == b.degrees : may_move(a) && may_move(b);
  }
  /// Type sizes are discrete: they change halfway.
  SceneText moved(const SceneText& a, const SceneText& b) const {
    SceneText text = share < 0.5f ? a : b;
    const float way = moving_way(share);
    text.rect = around(mixed(a.rect.centre(), b.rect.centre(), way), text.rect.width() / 2, text.rect.height() / 2);
    text.colour = mixed_colour(a.colour, b.colour, way);
    return text;
  }
};

}  // namespace

Cell same_number(const Trace& trace, Cell cell) {
  const auto in_whole = [&](Stage whole) {
    return Cell{whole, cell.batch, 0, cell.row, cell.col + cell.head * trace[cell.stage].size(-1)};
  };
  switch (cell.stage) {
    case Stage::key:
    case Stage::value: cell.stage = trace.inputs.self_attention() ? Stage::query : cell.stage; break;
    case Stage::Q_heads:
    case Stage::Q_normed:
    case Stage::Q_scaled:
    case Stage::Q_rotated: return in_whole(Stage::Q);
    case Stage::K_heads:
    case Stage::K_normed:
    case Stage::K_rotated: return in_whole(Stage::K);
    case Stage::V_heads: return in_whole(Stage::V);
    case Stage::head_outputs: return in_whole(Stage::concat);
    case Stage::mask: break;  // its lane is that of the scores
    case Stage::dropped_weights: cell.stage = Stage::weights; break;
    default:
      if (info(cell.stage).lane == Lane::scores) cell.stage = Stage::scores;
  }
  return cell;
}

void put_cells(const Trace& trace, const MatrixQuad& quad, const Cell& first, Scene& scene) {
  const MatrixView numbers = quad.values.matrix(quad.batch, quad.head);
  if (quad.row_ranges || numbers.rows * numbers.cols > most_cells) return;
  const CellMasks masks = masks_over(trace, first.stage, first.batch, first.head);
  for_cells(quad, [&](Index r, Index c, const Rect& rect, ImU32 colour) {
    if (classify(numbers, masks, r, c) != CellKind::value) return;
    scene.marks.emplace_back(scene.items.size(),
                             Cell{first.stage, first.batch, first.head, first.row + r, first.col + c});
    scene.items.emplace_back(SceneFill{rect, colour, 0});
  });
}

Scene between(const Trace& trace, const Scene& from, const Scene& to, float share) {
  Transition way{parts_of(trace, from), parts_of(trace, to), share};
  way.put_items();
  way.put_numbers();
  way.put_texts();
  return std::move(way.scene);
}

void draw_scene_on_way(const Frame& frame, const Scene& scene) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto* motion = frame.pictures.find<SceneMotion>();
  if (!motion || !motion->moves()) return draw_scene(frame, list, scene);
  draw_scene(frame, list, between(*frame.trace(), motion->from, scene, motion->share));
}

}  // namespace headlight
