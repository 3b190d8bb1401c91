// What a view shows, as the command line, scenario files and lessons name it: "map:weights:0:64,0:64",
// "operation:scores". It changes no number, so it is not part of a Scenario.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/rules/stage/stage.h"

namespace headlight {

/// The views in the middle of the window, in the order of their tabs.
enum class ViewKind : std::uint8_t { pipeline, network, heads, map, mask, compare, train, lesson };
enum class MaskTab : std::uint8_t { patterns, conventions, reach, cost, side_by_side };
/// The level of detail: a sentence and its attention, the whole pipeline, or one operation. The facet is what an
/// operation shows: the step itself, the path of one word through all steps, queries and keys as arrows, how the next
/// word is computed, or the parts of its logit.
enum class Level : std::uint8_t { sentence, pipeline, operation };
enum class Facet : std::uint8_t { step, journey, geometry, next, why };
/// What is shown of a head: its weights, the contribution norms of its keys (core/compute/run/contributions.h), or
/// those as shares of the row.
enum class HeadMeasure : std::uint8_t { weight, arrives, share };

/// A view, as the command line, scenario files and lessons know it. The window's part is in ui/views/registry.cpp.
struct ViewRow {
  std::string_view name;
  std::string_view part = {};  ///< what may follow its name and a colon
  bool in_lessons = true;      ///< a lesson's step may show it
};
inline constexpr std::array view_rows{
    ViewRow{"pipeline"},      ViewRow{"network"}, ViewRow{"heads"}, ViewRow{"map", "STAGE:Q0:Q1,K0:K1"},
    ViewRow{"mask", "SHEET"}, ViewRow{"compare"}, ViewRow{"train"}, ViewRow{"lesson", "", false}};

// The names of the others, in the same order.
inline constexpr std::array<std::string_view, 5> tab_names{"patterns", "conventions", "reach", "cost", "side_by_side"};
inline constexpr std::array<std::string_view, 3> level_names{"sentence", "pipeline", "operation"};
inline constexpr std::array<std::string_view, 5> facet_names{"step", "journey", "geometry", "next", "why"};
inline constexpr std::array<std::string_view, 3> measure_names{"weight", "arrives", "share"};
constexpr std::string_view name(ViewKind kind) { return view_rows[static_cast<std::size_t>(kind)].name; }
constexpr std::string_view name(MaskTab tab) { return tab_names[static_cast<std::size_t>(tab)]; }
constexpr std::string_view name(Level level) { return level_names[static_cast<std::size_t>(level)]; }
constexpr std::string_view name(Facet facet) { return facet_names[static_cast<std::size_t>(facet)]; }
constexpr std::string_view name(HeadMeasure measure) { return measure_names[static_cast<std::size_t>(measure)]; }

/// Some fields of a view as text: "level=operation;facet=step;stage=scores;head=1". What a field stands for is said
/// once, in the table of ui/base/document/view_fields.cpp; here addresses are only checked and split into fields. The
/// window chooses what is not among them.
using ViewFields = std::string;
/// The text of a field; unset if it is not among them.
std::optional<std::string_view> field_of(std::string_view fields, std::string_view name);
void add_field(ViewFields& fields, std::string_view name, std::string_view text);

/// Pan and zoom of the pipeline's canvas, independent of the window's size.
struct CanvasCamera {
  float zoom = 0;            ///< relative to the size that fits the window; 0: fit, also after the window is resized
  float x = 0.5f, y = 0.5f;  ///< the centre of the view, as a fraction of the canvas's width and height
  bool operator==(const CanvasCamera&) const = default;
};

/// The fields that an address sets. `option` is the setting that errors name. Throw SettingError.
ViewFields parse_view(std::string_view option,
                      std::string_view text);  ///< "heads", "mask:reach", "map:weights:0:64,0:64"
ViewFields parse_level(std::string_view option, std::string_view text);  ///< "operation:scores", "operation:journey"
ViewFields parse_map(std::string_view option, std::string_view text);    ///< "weights:4096:8192,0:4096": queries, keys
ViewFields parse_measure(std::string_view option, std::string_view text);
/// The address that sets these fields.
std::string view_text(std::string_view fields);
std::string level_text(std::string_view fields);
std::string map_text(std::string_view fields);
/// "weights:0,2,3,1": stage, batch, head, row, column. Does not check whether a trace has the cell.
Cell parse_cell(std::string_view option, std::string_view text);
std::string cell_text(const Cell& cell);
/// The views that a lesson's step may show: "pipeline, …, mask or mask:SHEET", and as the regular expression of
/// assets/lesson.schema.json.
std::string lesson_view_words();
std::string lesson_view_pattern();

}  // namespace headlight
