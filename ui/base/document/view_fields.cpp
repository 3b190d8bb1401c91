#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/scenario/settings/scenario_view.h"
#include "core/scenario/settings/settings_table.h"
#include "ui/base/document/view.h"

namespace headlight {
namespace {

// The names of enum values, in order.
constexpr const char* head_orders[] = {"layer", "habit", "entropy", "effect"};
constexpr const char* patched_words[] = {"residual", "heads", "mlp"};
constexpr const char* study_words[] = {"all", "layer", "strong"};
constexpr const char* paint_tools[] = {"look", "brush", "row", "column", "rectangle"};
constexpr const char* paints[] = {"allow", "forbid", "give_back"};
constexpr const char* combinations[] = {"replace", "both", "either", "without"};
constexpr const char* paces[] = {"slow", "watched", "at_once"};
constexpr const char* themes[] = {"light", "dark"};
constexpr const char* range_modes[] = {"row", "head", "stage", "fixed"};
using Words = std::span<const char* const>;
constexpr Words words_of(Norm) { return norm_words; }
constexpr Words words_of(HeadOrder) { return head_orders; }
constexpr Words words_of(LayersTogether) { return layer_words; }
constexpr Words words_of(PatchedState) { return patched_words; }
constexpr Words words_of(StudyFilter) { return study_words; }
constexpr Words words_of(PaintTool) { return paint_tools; }
constexpr Words words_of(Paint) { return paints; }
constexpr Words words_of(Combine) { return combinations; }
constexpr Words words_of(TrainPace) { return paces; }
constexpr Words words_of(Theme) { return themes; }
constexpr Words words_of(RangeMode) { return range_modes; }
constexpr Words words_of(ProductOrder) { return way_words; }

/// The number of values of an enum with names from name().
template <typename T>
constexpr std::size_t named_values = std::is_same_v<T, HeadPattern>   ? head_pattern_count
                                     : std::is_same_v<T, ViewKind>    ? view_rows.size()
                                     : std::is_same_v<T, MaskTab>     ? tab_names.size()
                                     : std::is_same_v<T, Level>       ? level_names.size()
                                     : std::is_same_v<T, HeadMeasure> ? measure_names.size()
                                     : std::is_same_v<T, Facet>       ? facet_names.size()
                                                                      : 0;

template <typename T>
constexpr bool is_optional = false;
template <typename T>
constexpr bool is_optional<std::optional<T>> = true;
template <typename T>
constexpr bool is_vector = false;
template <typename T>
constexpr bool is_vector<std::vector<T>> = true;

constexpr std::string_view none = "-";

[[noreturn]] void refuse(std::string_view text) {
  throw SettingError("--look", Message("\"{0}\" is none of its values", std::string(text)),
                     "expected what Export copied");
}

/// Free text with the separators escaped.
std::string escaped(std::string_view text) {
  if (text == none) return "%2D";
  std::string out;
  for (const char c : text) c == ';' ? out += "%3B" : c == '%' ? out += "%25" : out += c;
  return out;
}
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view code = text.substr(i, 3);
    if (code == "%3B" || code == "%25" || code == "%2D") out += code == "%25" ? '%' : code == "%3B" ? ';' : '-', i += 2;
    else out += text[i];
  }
  return out;
}

template <typename T>
std::string written(const T& value) {
  if constexpr (is_optional<T>) {
    return value ? written(*value) : std::string(none);
  } else if constexpr (is_vector<T>) {
    std::string text;
    const char* between = std::is_same_v<T, std::vector<Cell>> ? ">" : ",";
    for (const auto& each : value) text += (text.empty() ? "" : between) + written(each);
    return text;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return escaped(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "1" : "0";
  } else if constexpr (std::is_same_v<T, Stage> || named_values<T> > 0) {
    return std::string(name(value));
  } else if constexpr (std::is_same_v<T, Cell>) {
    return cell_text(value);
  } else if constexpr (std::is_same_v<T, MapRegion>) {
    const auto end = [](double at) {
      const bool whole = at == std::round(at) && std::abs(at) < 1e15;
      return whole ? std::to_string(std::llround(at)) : written(at);  // never 1e+05
    };
    return end(value.q0) + ":" + end(value.q1) + "," + end(value.k0) + ":" + end(value.k1);
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(words_of(value)[static_cast<std::size_t>(value)]);
  } else {
    char digits[64];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
  }
}

template <typename T>
T read(std::string_view text) {
  if constexpr (is_optional<T>) {
    return text == none ? T() : T(read<typename T::value_type>(text));
  } else if constexpr (is_vector<T>) {
    T all;
    for (const std::string_view part : Split(text, std::is_same_v<T, std::vector<Cell>> ? '>' : ','))
      all.push_back(read<typename T::value_type>(part));
    return all;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return unescaped(text);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (text != "0" && text != "1") refuse(text);
    return text == "1";
  } else if constexpr (std::is_same_v<T, Stage>) {
    const auto stage = stage_named(text);
    if (!stage) refuse(text);
    return *stage;
  } else if constexpr (named_values<T> > 0) {
    for (std::size_t i = 0; i < named_values<T>; ++i) {
      if (text == name(static_cast<T>(i))) return static_cast<T>(i);
    }
    refuse(text);
  } else if constexpr (std::is_same_v<T, Cell>) {
    return parse_cell("--look", text);
  } else if constexpr (std::is_same_v<T, MapRegion>) {
    std::vector<double> ends;
    for (const std::string_view axis : Split(text, ',')) {
      for (const std::string_view end : Split(axis, ':')) ends.push_back(read<double>(end));
    }
    if (ends.size() != 4 || ends[0] >= ends[1] || ends[2] >= ends[3]) refuse(text);
    return {ends[0], ends[1], ends[2], ends[3]};
  } else if constexpr (std::is_enum_v<T>) {
    for (std::size_t i = 0; i < words_of(T()).size(); ++i) {
      if (text == words_of(T())[i]) return static_cast<T>(i);
    }
    refuse(text);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(parse_whole("--look", text, 0, 1'000'000'000));
  } else {
    const std::string whole(text);
    char* end = nullptr;
    const auto number = static_cast<T>(std::strtod(whole.c_str(), &end));
    if (whole.empty() || end != whole.c_str() + whole.size() || !std::isfinite(number)) refuse(text);
    return number;
  }
}

/// The range of its control.
struct Ends {
  double least = -1e9, most = 1e9;
};

template <typename T>
void check(const T& value, Ends ends, std::string_view text) {
  if constexpr (is_optional<T>) {
    if (value) check(*value, ends, text);
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (static_cast<double>(value) < ends.least || static_cast<double>(value) > ends.most) refuse(text);
  }
}

/// Which fields: some have their own command-line options and are not part of `--look`; some belong to the selection,
/// which depends on the file or the lesson's step.
enum Kind : unsigned { look = 1, option = 0, pose = 2 };

struct Field {
  std::string_view name;
  unsigned kind;
  std::string (*text)(const View&);
  bool (*same)(const View&, const View&);
  void (*take)(View&, std::string_view, Ends);
  void (*copy)(View&, const View&);
  Ends ends;
};

/// `Access` gives a part of a view, for reading or writing.
template <typename Access>
constexpr Field field(std::string_view name, unsigned kind, Access, Ends ends = {}) {
  return {name,
          kind,
          [](const View& view) { return written(Access{}(view)); },
          [](const View& a, const View& b) { return Access{}(a) == Access{}(b); },
          [](View& view, std::string_view text, Ends within) {
            auto& value = Access{}(view);
            value = read<std::remove_cvref_t<decltype(value)>>(text);
            check(value, within, text);
          },
          [](View& to, const View& from) { Access{}(to) = Access{}(from); },
          ends};
}

#define HEADLIGHT_MEMBER(member) \
  [](auto& v) -> auto& { return v.member; }

constexpr Field fields[] = {
    field("kind", option | pose, HEADLIGHT_MEMBER(kind)),
    field("tab", option | pose, HEADLIGHT_MEMBER(mask_lab.tab)),
    field("level", option | pose, HEADLIGHT_MEMBER(levels.level)),
    field("facet", option | pose, HEADLIGHT_MEMBER(levels.facet)),
    field("stage", option | pose, HEADLIGHT_MEMBER(levels.stage)),
    field("map", option | pose, HEADLIGHT_MEMBER(map.stage)),
    field("region", option | pose, HEADLIGHT_MEMBER(map.region)),
    field("theme", option, HEADLIGHT_MEMBER(theme)),
    field("language", option, HEADLIGHT_MEMBER(language)),
    field("colormap", option, HEADLIGHT_MEMBER(colormap)),
    field("range", option, HEADLIGHT_MEMBER(range.mode)),
    field("lo", option, HEADLIGHT_MEMBER(range.fixed.lo)),
    field("hi", option, HEADLIGHT_MEMBER(range.fixed.hi)),
    field("way", option, HEADLIGHT_MEMBER(way)),
    field("step", option | pose, HEADLIGHT_MEMBER(step)),
    field("presenting", option, HEADLIGHT_MEMBER(presenting)),
    field("select", option | pose, HEADLIGHT_MEMBER(selected)),
    field("looked", look | pose, HEADLIGHT_MEMBER(looked)),
    field("batch", look | pose, HEADLIGHT_MEMBER(batch)),
    field("head", look | pose, HEADLIGHT_MEMBER(head)),
    field("measure", look | pose, HEADLIGHT_MEMBER(measure)),
    field("norm", look, HEADLIGHT_MEMBER(norm)),
    field("path", look | pose, HEADLIGHT_MEMBER(path)),
    field("reaches", look, HEADLIGHT_MEMBER(reaches)),
    field("packed", look, HEADLIGHT_MEMBER(packed)),
    field("front", look | pose, HEADLIGHT_MEMBER(brought_forward)),
    field("front_beside", look | pose, HEADLIGHT_MEMBER(brought_forward_beside)),
    field("playing", option | pose, HEADLIGHT_MEMBER(playing)),
    field("looping", look, HEADLIGHT_MEMBER(looping)),
    field("calm", look, HEADLIGHT_MEMBER(calm)),
    field("speed", look, HEADLIGHT_MEMBER(speed), Ends{0.1, 16}),
    field("zoom", look | pose, HEADLIGHT_MEMBER(camera.zoom), Ends{0, 64}),
    field("camera_x", look | pose, HEADLIGHT_MEMBER(camera.x), Ends{0, 1}),
    field("camera_y", look | pose, HEADLIGHT_MEMBER(camera.y), Ends{0, 1}),
    field("query", look | pose, HEADLIGHT_MEMBER(levels.query)),
    field("key", look | pose, HEADLIGHT_MEMBER(levels.key)),
    field("at", look | pose, HEADLIGHT_MEMBER(levels.at)),
    field("by_look", look, HEADLIGHT_MEMBER(levels.by_look)),
    field("rival", look | pose, HEADLIGHT_MEMBER(levels.rival)),
    field("explained", look | pose, HEADLIGHT_MEMBER(levels.explained)),
    field("than", look | pose, HEADLIGHT_MEMBER(levels.than)),
    field("feature", look | pose, HEADLIGHT_MEMBER(levels.feature)),
    field("share", look | pose, HEADLIGHT_MEMBER(levels.progress), Ends{0, 1}),
    field("temperature", look, HEADLIGHT_MEMBER(levels.sampling.temperature), Ends{0, hottest_sampling}),
    field("top_k", look, HEADLIGHT_MEMBER(levels.sampling.top_k)),
    field("top_p", look, HEADLIGHT_MEMBER(levels.sampling.top_p), Ends{0.01, 1}),
    field("draws", option, HEADLIGHT_MEMBER(levels.draws)),
    field("knocked", look | pose, HEADLIGHT_MEMBER(levels.knocked)),
    field("asked", option | pose, HEADLIGHT_MEMBER(levels.guessing.active)),
    field("guess", option | pose, HEADLIGHT_MEMBER(levels.guessing.guess)),
    field("heads", look | pose, HEADLIGHT_MEMBER(heads.heads)),
    field("heads_stage", look | pose, HEADLIGHT_MEMBER(heads.stage)),
    field("isolated", look | pose, HEADLIGHT_MEMBER(heads.isolated)),
    field("mass", look, HEADLIGHT_MEMBER(heads.mass), Ends{0, 1}),
    field("network_layer", look | pose, HEADLIGHT_MEMBER(network.layer)),
    field("network_head", look | pose, HEADLIGHT_MEMBER(network.head)),
    field("order", look, HEADLIGHT_MEMBER(network.order)),
    field("habit", look, HEADLIGHT_MEMBER(network.pattern)),
    field("together", look | pose, HEADLIGHT_MEMBER(network.together)),
    field("patch_from", look | pose, HEADLIGHT_MEMBER(network.patch_from)),
    field("patch_word", look | pose, HEADLIGHT_MEMBER(network.patch_word)),
    field("patched", look | pose, HEADLIGHT_MEMBER(network.patched)),
    field("texts", look, HEADLIGHT_MEMBER(network.texts)),
    field("study_sort", look, HEADLIGHT_MEMBER(network.study_sort), Ends{0, 8}),
    field("study_up", look, HEADLIGHT_MEMBER(network.study_up)),
    field("study_of", look, HEADLIGHT_MEMBER(network.study_of)),
    field("study_mean", look, HEADLIGHT_MEMBER(network.study_mean)),
    field("study_from", look, HEADLIGHT_MEMBER(network.study_from), Ends{0, 1'000'000}),
    field("layers", look, HEADLIGHT_MEMBER(mask_lab.layers), Ends{1, 32}),
    field("residual", look, HEADLIGHT_MEMBER(mask_lab.residual)),
    field("block", look, HEADLIGHT_MEMBER(mask_lab.block), Ends{1, 4096}),
    field("other", look, HEADLIGHT_MEMBER(mask_lab.other)),
    field("tool", look, HEADLIGHT_MEMBER(mask_painting.tool)),
    field("paint", look, HEADLIGHT_MEMBER(mask_painting.paint)),
    field("one_head", look, HEADLIGHT_MEMBER(mask_painting.one_head)),
    field("one_entry", look, HEADLIGHT_MEMBER(mask_painting.one_entry)),
    field("by_blocks", look, HEADLIGHT_MEMBER(mask_painting.by_blocks)),
    field("combine", look, HEADLIGHT_MEMBER(mask_painting.combine)),
    field("mask_zoom", look | pose, HEADLIGHT_MEMBER(mask_painting.zoom), Ends{1, 256}),
    field("mask_left", look | pose, HEADLIGHT_MEMBER(mask_painting.left), Ends{0, 1}),
    field("mask_top", look | pose, HEADLIGHT_MEMBER(mask_painting.top), Ends{0, 1}),
    field("mask_draft", option | pose, HEADLIGHT_MEMBER(mask_draft)),
    field("train_until", look | pose, HEADLIGHT_MEMBER(train.until)),
    field("train_beside", look | pose, HEADLIGHT_MEMBER(train.beside)),
    field("train_guess", look | pose, HEADLIGHT_MEMBER(train.guess), Ends{0, 1}),
    field("train_pace", look, HEADLIGHT_MEMBER(train.pace)),
    field("loss", look | pose, HEADLIGHT_MEMBER(loss)),
    field("compared", look | pose, HEADLIGHT_MEMBER(compared)),
    field("beside", look | pose, HEADLIGHT_MEMBER(beside)),
};

#undef HEADLIGHT_MEMBER

/// Whether the field only repeats the options before it: --select also sets the batch entry and the head, and without a
/// selection there is a default one.
bool is_as_chosen(const Field& field, const View& view) {
  static const View plain;
  if (field.name == "looked") return !view.looked || view.selected;
  if (field.name == "batch") return view.batch == (view.selected ? view.selected->batch : 0);
  if (field.name == "head") return view.head == (view.selected ? view.selected->head : 0);
  return field.same(view, plain);
}

void say(std::string& text, const Field& field, const View& view) { add_field(text, field.name, field.text(view)); }

/// `look_alone`: accepts only what --look does and refuses anything else; otherwise unknown fields are ignored.
View taken(View view, std::string_view text, bool look_alone) {
  for (const std::string_view part : Split(text, ';')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const auto found = std::ranges::find(fields, part.substr(0, equals), &Field::name);
    const bool known = found != std::end(fields) && (!look_alone || (found->kind & look) != 0);
    if (equals == part.size() || (!known && look_alone)) refuse(part);
    if (known) found->take(view, part.substr(equals + 1), found->ends);
  }
  // In older links and journals the explained token is called a rival, too.
  LevelChoice& levels = view.levels;
  if (is_of_next_word(levels.facet) && levels.rival) levels.explained = std::exchange(levels.rival, {});
  return view;
}

}  // namespace

std::string look_text(const View& view) {
  std::string text;
  for (const Field& each : fields) {
    if ((each.kind & Kind::look) != 0 && !is_as_chosen(each, view)) say(text, each, view);
  }
  return text;
}

ViewFields fields_named(const View& view, std::initializer_list<std::string_view> names) {
  ViewFields text;
  for (const Field& each : fields) {
    if (std::ranges::find(names, each.name) != names.end()) say(text, each, view);
  }
  return text;
}

View with_look(View view, std::string_view text) { return taken(std::move(view), text, true); }

std::string view_fields(const View& view, const View& from) {
  std::string text;
  for (const Field& each : fields) {
    if (!each.same(view, from)) say(text, each, view);
  }
  return text;
}

View with_view_fields(View view, std::string_view text) { return taken(std::move(view), text, false); }

View looking_at(View view, const View& other) {
  for (const Field& each : fields) {
    if ((each.kind & pose) != 0) each.copy(view, other);
  }
  view.trail.clear();
  return view;
}

}  // namespace headlight
