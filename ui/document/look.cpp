#include "ui/document/look.h"

#include <charconv>
#include <cmath>
#include <span>
#include <type_traits>

#include "core/scenario/scenario_view.h"
#include "core/scenario/settings_table.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

// An enumeration's words, in the order of its values.
constexpr const char* head_orders[] = {"layer", "habit", "entropy", "effect"};
constexpr const char* layer_words[] = {"none", "mean", "rollout", "flow"};
constexpr const char* paint_tools[] = {"look", "brush", "row", "column", "rectangle"};
constexpr const char* paints[] = {"allow", "forbid", "give_back"};
constexpr const char* combinations[] = {"replace", "both", "either", "without"};
using Words = std::span<const char* const>;
template <typename T>
constexpr Words words_of{};
template <>
constexpr Words words_of<Norm> = norm_words;
template <>
constexpr Words words_of<HeadOrder> = head_orders;
template <>
constexpr Words words_of<LayersTogether> = layer_words;
template <>
constexpr Words words_of<PaintTool> = paint_tools;
template <>
constexpr Words words_of<Paint> = paints;
template <>
constexpr Words words_of<Combine> = combinations;

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

constexpr std::string_view none = "-";

[[noreturn]] void refuse(std::string_view text) {
  throw SettingError("--look", "\"" + std::string(text) + "\" is none of its values", "expected what Export copied");
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Free text, without what parts the rest.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) c == ';' ? out += "%3B" : c == '%' ? out += "%25" : out += c;
  return out;
}
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view code = text.substr(i, 3);
    if (code == "%3B" || code == "%25") out += code == "%25" ? '%' : ';', i += 2;
    else out += text[i];
  }
  return out;
}

template <typename T>
std::string written(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? written(*value) : std::string(none);
  } else if constexpr (IsVector<T>::value) {
    std::string text;
    const char* between = std::is_same_v<T, std::vector<Cell>> ? ">" : ",";
    for (const auto& each : value) text += (text.empty() ? "" : between) + written(each);
    return text;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return escaped(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "1" : "0";
  } else if constexpr (std::is_same_v<T, Stage>) {
    return std::string(name(value));
  } else if constexpr (std::is_same_v<T, Habit>) {
    return std::string(name(value));
  } else if constexpr (std::is_same_v<T, Cell>) {
    return cell_text(value);
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(words_of<T>[static_cast<std::size_t>(value)]);
  } else {
    char digits[64];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
  }
}

template <typename T>
T read(std::string_view text) {
  if constexpr (IsOptional<T>::value) {
    return text == none ? T() : T(read<typename T::value_type>(text));
  } else if constexpr (IsVector<T>::value) {
    T all;
    for (const std::string_view part : split(text, std::is_same_v<T, std::vector<Cell>> ? '>' : ','))
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
  } else if constexpr (std::is_same_v<T, Habit>) {
    for (std::size_t i = 0; i < habit_count; ++i) {
      if (text == name(static_cast<Habit>(i))) return static_cast<Habit>(i);
    }
    refuse(text);
  } else if constexpr (std::is_same_v<T, Cell>) {
    return parse_cell("--look", text);
  } else if constexpr (std::is_enum_v<T>) {
    for (std::size_t i = 0; i < words_of<T>.size(); ++i) {
      if (text == words_of<T>[i]) return static_cast<T>(i);
    }
    refuse(text);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(parse_whole("--look", text, 0, 1'000'000'000));
  } else {
    const float number = parse_number("--look", text);
    if (!std::isfinite(number)) refuse(text);
    return number;
  }
}

/// What the control for it allows.
struct Ends {
  double least = -1e9, most = 1e9;
};

template <typename T>
void check(const T& value, Ends ends, std::string_view text) {
  if constexpr (IsOptional<T>::value) {
    if (value) check(*value, ends, text);
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (static_cast<double>(value) < ends.least || static_cast<double>(value) > ends.most) refuse(text);
  }
}

struct Entry {
  std::string_view name;
  std::string (*say)(const View&);  ///< "" where it is as in a new view
  void (*take)(View&, std::string_view, Ends);
  Ends ends;
};

/// `Part` gives a part of a view, to be read or written.
template <typename Part>
constexpr Entry entry(std::string_view name, Part, Ends ends = {}) {
  return {name,
          [](const View& view) {
            static const View plain;
            const auto& value = Part{}(view);
            return value == Part{}(plain) ? std::string() : written(value);
          },
          [](View& view, std::string_view text, Ends within) {
            auto& value = Part{}(view);
            value = read<std::remove_cvref_t<decltype(value)>>(text);
            check(value, within, text);
          },
          ends};
}

constexpr Entry entries[] = {
    // Otherwise something is selected to begin with.
    {"looked",
     [](const View& view) { return std::string(view.looked && !view.selected ? "1" : ""); },
     [](View& view, std::string_view text, Ends) { view.looked = read<bool>(text); },
     {}},
    // --select looks at the cell's.
    {"batch",
     [](const View& view) {
       return view.batch == (view.selected ? view.selected->batch : 0) ? std::string() : written(view.batch);
     },
     [](View& view, std::string_view text, Ends) { view.batch = read<Index>(text); },
     {}},
    {"head",
     [](const View& view) {
       return view.head == (view.selected ? view.selected->head : 0) ? std::string() : written(view.head);
     },
     [](View& view, std::string_view text, Ends) { view.head = read<Index>(text); },
     {}},
    entry(
        "norm", [](auto& v) -> auto& { return v.norm; }),
    entry(
        "path", [](auto& v) -> auto& { return v.path; }),
    entry(
        "reaches", [](auto& v) -> auto& { return v.reaches; }),
    entry(
        "packed", [](auto& v) -> auto& { return v.packed; }),
    entry(
        "front", [](auto& v) -> auto& { return v.brought_forward; }),
    entry(
        "front_beside", [](auto& v) -> auto& { return v.brought_forward_beside; }),
    entry(
        "looping", [](auto& v) -> auto& { return v.looping; }),
    entry(
        "speed", [](auto& v) -> auto& { return v.speed; }, Ends{0.1, 16}),
    entry(
        "zoom", [](auto& v) -> auto& { return v.camera.zoom; }, Ends{0, 64}),
    entry(
        "camera_x", [](auto& v) -> auto& { return v.camera.x; }, Ends{0, 1}),
    entry(
        "camera_y", [](auto& v) -> auto& { return v.camera.y; }, Ends{0, 1}),
    entry(
        "query", [](auto& v) -> auto& { return v.looking.query; }),
    entry(
        "key", [](auto& v) -> auto& { return v.looking.key; }),
    entry(
        "rival", [](auto& v) -> auto& { return v.looking.rival; }),
    entry(
        "feature", [](auto& v) -> auto& { return v.looking.feature; }),
    entry(
        "share", [](auto& v) -> auto& { return v.looking.share; }, Ends{0, 1}),
    entry(
        "temperature", [](auto& v) -> auto& { return v.looking.sampling.temperature; }, Ends{0, hottest_sampling}),
    entry(
        "top_k", [](auto& v) -> auto& { return v.looking.sampling.top_k; }),
    entry(
        "top_p", [](auto& v) -> auto& { return v.looking.sampling.top_p; }, Ends{0.01, 1}),
    entry(
        "knocked", [](auto& v) -> auto& { return v.looking.knocked; }),
    entry(
        "heads", [](auto& v) -> auto& { return v.heads.heads; }),
    entry(
        "heads_stage", [](auto& v) -> auto& { return v.heads.stage; }),
    entry(
        "isolated", [](auto& v) -> auto& { return v.heads.isolated; }),
    entry(
        "mass", [](auto& v) -> auto& { return v.heads.mass; }, Ends{0, 1}),
    entry(
        "network_layer", [](auto& v) -> auto& { return v.network.layer; }),
    entry(
        "network_head", [](auto& v) -> auto& { return v.network.head; }),
    entry(
        "order", [](auto& v) -> auto& { return v.network.order; }),
    entry(
        "habit", [](auto& v) -> auto& { return v.network.habit; }),
    entry(
        "together", [](auto& v) -> auto& { return v.network.together; }),
    entry(
        "layers", [](auto& v) -> auto& { return v.mask_lab.layers; }, Ends{1, 32}),
    entry(
        "residual", [](auto& v) -> auto& { return v.mask_lab.residual; }),
    entry(
        "block", [](auto& v) -> auto& { return v.mask_lab.block; }, Ends{1, 4096}),
    entry(
        "other", [](auto& v) -> auto& { return v.mask_lab.other; }),
    entry(
        "tool", [](auto& v) -> auto& { return v.mask_painting.tool; }),
    entry(
        "paint", [](auto& v) -> auto& { return v.mask_painting.paint; }),
    entry(
        "one_head", [](auto& v) -> auto& { return v.mask_painting.one_head; }),
    entry(
        "one_entry", [](auto& v) -> auto& { return v.mask_painting.one_entry; }),
    entry(
        "by_blocks", [](auto& v) -> auto& { return v.mask_painting.by_blocks; }),
    entry(
        "combine", [](auto& v) -> auto& { return v.mask_painting.combine; }),
    entry(
        "mask_zoom", [](auto& v) -> auto& { return v.mask_painting.zoom; }, Ends{1, 256}),
    entry(
        "mask_left", [](auto& v) -> auto& { return v.mask_painting.left; }, Ends{0, 1}),
    entry(
        "mask_top", [](auto& v) -> auto& { return v.mask_painting.top; }, Ends{0, 1}),
    entry(
        "compared", [](auto& v) -> auto& { return v.compared; }),
    entry(
        "beside", [](auto& v) -> auto& { return v.beside; }),
};

}  // namespace

std::string look_text(const View& view) {
  std::string text;
  for (const Entry& each : entries) {
    if (const std::string value = each.say(view); !value.empty())
      text.append(text.empty() ? "" : ";").append(each.name).append("=").append(value);
  }
  return text;
}

View with_look(View view, std::string_view text) {
  for (const std::string_view part : split(text, ';')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const Entry* found = nullptr;
    for (const Entry& each : entries) {
      if (each.name == part.substr(0, equals)) found = &each;
    }
    if (found == nullptr || equals == part.size()) refuse(part);
    found->take(view, part.substr(equals + 1), found->ends);
  }
  return view;
}

}  // namespace headlight
