// What a scenario's file says of how to look at it: "view": {"level": "operation:scores", "head": 1, "select":
// "scores:0,1,5,1"}. It decides no number, so it is no part of a Scenario: files are read and written with it beside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/stage/stage.h"

namespace headlight {

/// What the middle of the window can show, and the sheets of its mask view.
enum class ViewKind : std::uint8_t { pipeline, heads, mask, compare, lesson, network, map };
enum class MaskTab : std::uint8_t { patterns, conventions, reach, cost, side_by_side };
std::string_view name(ViewKind kind);
std::string_view name(MaskTab tab);

/// How near one looks: at a sentence and its attention, at the whole pipeline, at one step of it. And what the last
/// shows: the step itself, one word's way through all of them, queries and keys as arrows, how the next word comes
/// about, or what its logit is the sum of.
enum class Level : std::uint8_t { sentence, pipeline, operation };
enum class Facet : std::uint8_t { step, journey, geometry, next, why };
/// What of a head is shown: its weights, the length of what each key brings through it (core/run/contributions.h), or
/// that as a share of the row's.
enum class HeadMeasure : std::uint8_t { weight, arrives, share };
std::string_view name(HeadMeasure measure);
HeadMeasure parse_measure(std::string_view option, std::string_view text);  ///< throws SettingError
std::string_view name(Level level);
std::string_view name(Facet facet);

/// "weights:4096:8192,0:4096": the matrix on the map, and which queries and keys are in sight; unset: all.
struct MapAddress {
  struct Region {
    Index q0 = 0, q1 = 0, k0 = 0, k1 = 0;  ///< [q0, q1) × [k0, k1)
    bool operator==(const Region&) const = default;
  };
  Stage stage = Stage::weights;
  std::optional<Region> region;
  bool operator==(const MapAddress&) const = default;
};

/// "operation:scores", "operation:journey": how near, and of an operation at which stage, or at how.
struct LevelAddress {
  Level level = Level::pipeline;
  std::optional<Stage> stage;  ///< of the step itself
  Facet facet = Facet::step;
  bool operator==(const LevelAddress&) const = default;
};

/// As on the command line; what is unset is as the window chooses.
struct ScenarioView {
  std::optional<LevelAddress> level;
  std::optional<Cell> select;             ///< as --select
  std::optional<Index> step;              ///< as --step
  std::optional<Index> head, query, key;  ///< the head and the words that are followed
  std::optional<HeadMeasure> measure;     ///< of heads; unset: their weights
  std::optional<MapAddress> map;          ///< as --view map:…; unset: another view
  bool operator==(const ScenarioView&) const = default;
};

/// How near the pipeline's canvas is looked at, whatever the window's size.
struct CanvasCamera {
  float zoom = 0;            ///< times as large as it fits; 0: as it fits, and moves with the window
  float x = 0.5f, y = 0.5f;  ///< what of it is in the middle, of its width and height
  bool operator==(const CanvasCamera&) const = default;
};

/// "heads", "mask:reach", "map:weights:0:64,0:64": a view, and the sheet or the place that it shows.
struct ViewAddress {
  ViewKind kind = ViewKind::pipeline;
  MaskTab tab = MaskTab::patterns;  ///< of the mask view
  std::optional<MapAddress> map;    ///< of the map; unset: all of the weights
  bool operator==(const ViewAddress&) const = default;
};

/// `option` is the setting that an error names. Throw SettingError.
ViewAddress parse_view(std::string_view option, std::string_view text);
LevelAddress parse_level(std::string_view option, std::string_view text);
/// "weights:0,2,3,1": stage, batch, head, row, column; whether there is such a cell no trace has been asked.
Cell parse_cell(std::string_view option, std::string_view text);
std::string cell_text(const Cell& cell);
MapAddress parse_map(std::string_view option, std::string_view text);
std::string map_text(const MapAddress& map);
std::string view_text(const ViewAddress& view);
std::string level_text(const LevelAddress& level);

}  // namespace headlight
