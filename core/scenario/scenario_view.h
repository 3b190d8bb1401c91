// The view settings of a scenario file: "view": {"level": "operation:scores", "head": 1, "select": "scores:0,1,5,1"}.
// They change no number, so they are not part of a Scenario but are read and written along with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/stage/stage.h"

namespace headlight {

/// The views in the middle of the window, and the tabs of the mask view.
enum class ViewKind : std::uint8_t { pipeline, heads, mask, compare, lesson, network, map };
enum class MaskTab : std::uint8_t { patterns, conventions, reach, cost, side_by_side };
std::string_view name(ViewKind kind);
std::string_view name(MaskTab tab);

/// The level of detail: a sentence and its attention, the whole pipeline, or one operation. The facet is what an
/// operation shows: the step itself, the path of one word through all steps, queries and keys as arrows, how the next
/// word is computed, or the parts of its logit.
enum class Level : std::uint8_t { sentence, pipeline, operation };
enum class Facet : std::uint8_t { step, journey, geometry, next, why };
/// What is shown of a head: its weights, the contribution norms of its keys (core/run/contributions.h), or those as
/// shares of the row.
enum class HeadMeasure : std::uint8_t { weight, arrives, share };
std::string_view name(HeadMeasure measure);
HeadMeasure parse_measure(std::string_view option, std::string_view text);  ///< throws SettingError
std::string_view name(Level level);
std::string_view name(Facet facet);

/// "weights:4096:8192,0:4096": the matrix on the map, and the visible queries and keys; unset: all.
struct MapAddress {
  struct Region {
    Index q0 = 0, q1 = 0, k0 = 0, k1 = 0;  ///< [q0, q1) × [k0, k1)
    bool operator==(const Region&) const = default;
  };
  Stage stage = Stage::weights;
  std::optional<Region> region;
  bool operator==(const MapAddress&) const = default;
};

/// "operation:scores", "operation:journey": the level, and for an operation its stage or facet.
struct LevelAddress {
  Level level = Level::pipeline;
  std::optional<Stage> stage;  ///< for Facet::step
  Facet facet = Facet::step;
  bool operator==(const LevelAddress&) const = default;
};

/// As on the command line; for unset fields the window chooses.
struct ScenarioView {
  std::optional<LevelAddress> level;
  std::optional<Cell> select;             ///< as --select
  std::optional<Index> step;              ///< as --step
  std::optional<Index> head, query, key;  ///< the selected head and words
  std::optional<HeadMeasure> measure;     ///< for heads; unset: their weights
  std::optional<MapAddress> map;          ///< as --view map:…; unset: not the map view
  bool operator==(const ScenarioView&) const = default;
};

/// Pan and zoom of the pipeline's canvas, independent of the window's size.
struct CanvasCamera {
  float zoom = 0;            ///< relative to the size that fits the window; 0: fit, also after the window is resized
  float x = 0.5f, y = 0.5f;  ///< the centre of the view, as a fraction of the canvas's width and height
  bool operator==(const CanvasCamera&) const = default;
};

/// "heads", "mask:reach", "map:weights:0:64,0:64": a view, with its tab or visible part.
struct ViewAddress {
  ViewKind kind = ViewKind::pipeline;
  MaskTab tab = MaskTab::patterns;  ///< for the mask view
  std::optional<MapAddress> map;    ///< for the map; unset: all of the weights
  bool operator==(const ViewAddress&) const = default;
};

/// `option` is the setting that errors name. Throw SettingError.
ViewAddress parse_view(std::string_view option, std::string_view text);
LevelAddress parse_level(std::string_view option, std::string_view text);
/// "weights:0,2,3,1": stage, batch, head, row, column. Does not check whether a trace has the cell.
Cell parse_cell(std::string_view option, std::string_view text);
std::string cell_text(const Cell& cell);
MapAddress parse_map(std::string_view option, std::string_view text);
std::string map_text(const MapAddress& map);
std::string view_text(const ViewAddress& view);
std::string level_text(const LevelAddress& level);

}  // namespace headlight
