// Which options mean something for which kind of figure. The others are refused, instead of being passed over.
#include <algorithm>
#include <array>

#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/figures/export/export_options.h"
#include "core/figures/export/layers_figure.h"

namespace headlight {
namespace {

/// The kinds of figures, as options see them.
enum class Form : std::uint8_t {
  heatmap,
  mask,  ///< a heatmap of yes and no
  arcs,
  difference,
  reach,
  blocks,
  side_by_side,
  lens,
  overlay,
  why,
  patch,
  layers,    ///< layers by heads
  together,  ///< rollout and flow
  experts,
  kept,
};
constexpr std::array<std::string_view, 15> form_names{
    "a heatmap",        "a mask",  "arcs",       "a difference", "reach", "blocks",
    "side-by-side",     "lens",    "an overlay", "why",          "patch", "several layers",
    "rollout and flow", "experts", "kept"};

Form form_of(const ExportOptions& options) {
  if (options.style.kind == PictureKind::overlay) return Form::overlay;
  if (options.layers == "experts") return Form::experts;
  if (options.layers == "kept") return Form::kept;
  if (takes_layers_together(options)) return Form::together;
  switch (options.style.kind) {
    case PictureKind::heatmap: break;
    case PictureKind::arcs: return Form::arcs;
    case PictureKind::difference: return Form::difference;
    case PictureKind::reach: return Form::reach;
    case PictureKind::blocks: return Form::blocks;
    case PictureKind::side_by_side: return Form::side_by_side;
    case PictureKind::lens: return Form::lens;
    case PictureKind::overlay: return Form::overlay;
    case PictureKind::why: return Form::why;
    case PictureKind::patch: return Form::patch;
  }
  if (!options.layers.empty()) return Form::layers;
  return options.stage == Stage::mask && options.over.empty() ? Form::mask : Form::heatmap;
}

using Forms = std::uint32_t;
constexpr Forms of(std::initializer_list<Form> forms) {
  Forms all = 0;
  for (const Form form : forms) all |= 1U << static_cast<unsigned>(form);
  return all;
}
constexpr Forms everything = (1U << form_names.size()) - 1;
constexpr Forms predictions = of({Form::lens, Form::why, Form::patch});
constexpr Forms of_masks = of({Form::reach, Form::blocks, Form::side_by_side});
constexpr Forms grids = of({Form::heatmap, Form::mask, Form::arcs, Form::overlay, Form::layers});
constexpr Forms fixed_colours = of({Form::mask, Form::blocks, Form::side_by_side});
constexpr Forms networks = of({Form::experts, Form::kept});

/// An option that is not here is for every kind.
struct Takers {
  std::string_view option;
  Forms forms;
};
constexpr Takers takers[] = {
    {"--stage", everything & ~(predictions | networks | of_masks)},
    {"--measure", (grids | of({Form::difference, Form::together})) & ~of({Form::mask})},
    {"--head", grids | of_masks | of({Form::difference})},
    {"--layers", everything & ~(predictions | of_masks | of({Form::arcs, Form::difference}))},
    {"--rows", everything & ~(networks | of({Form::overlay, Form::why}))},
    {"--cols", everything & ~(networks | of({Form::overlay, Form::why}))},
    {"--over", (grids | of({Form::difference, Form::together})) & ~of({Form::overlay})},
    {"--by", (grids | of({Form::difference, Form::together})) & ~of({Form::overlay})},
    {"--fuse", of({Form::together})},
    {"--discard", of({Form::together})},
    {"--query", of({Form::overlay})},
    {"--opacity", of({Form::overlay})},
    {"--word", of({Form::why, Form::patch})},
    {"--from", of({Form::patch})},
    {"--what", of({Form::patch})},
    {"--other-mask", of({Form::side_by_side})},
    {"--other-file", of({Form::difference})},
    {"--block", of({Form::blocks})},
    {"--colormap", everything & ~(fixed_colours | of({Form::arcs}))},
    {"--range", everything & ~fixed_colours},
    {"--norm", everything & ~(fixed_colours | of({Form::arcs}))},
    {"--no-tokens", everything & ~of({Form::overlay, Form::why})},
    {"--values", everything & ~of({Form::overlay, Form::arcs, Form::lens, Form::mask})},
    {"--bare", everything & ~of({Form::arcs})},
    {"--cell", everything & ~of({Form::arcs})},
    {"--columns", grids | of({Form::side_by_side, Form::experts})},
    {"--highlight", everything & ~of({Form::arcs})},
    {"--mass", (grids | of({Form::together})) & ~of({Form::mask, Form::arcs})},
};

bool has(Forms forms, Form form) { return (forms & (1U << static_cast<unsigned>(form))) != 0; }

std::string names_of(Forms forms) {
  std::string names;
  for (std::size_t i = 0; i < form_names.size(); ++i) {
    if (has(forms, static_cast<Form>(i))) names += (names.empty() ? "" : ", ") + std::string(form_names[i]);
  }
  return names;
}

/// A value that the option has without being given says nothing new.
bool is_usual(const ExportOptions& options, std::string_view option) {
  if (option == "--stage") return options.stage == Stage::weights || options.stage == Stage::mask;
  return option == "--measure" && options.stage == Stage::weights;
}

/// The kinds of figures that have the option; null: every kind has it.
const Takers* takers_of(std::string_view option) {
  const auto* const row = std::ranges::find(takers, option, &Takers::option);
  return row == std::end(takers) ? nullptr : row;
}

}  // namespace

bool means_something(const ExportOptions& options, std::string_view option) {
  const Takers* const row = takers_of(option);
  if (!row || is_usual(options, option)) return true;
  const bool joined = takes_layers_together(options);  // rollout may lie over a picture
  if (joined && option == "--head") return false;
  return has(row->forms, form_of(options)) || (joined && (option == "--fuse" || option == "--discard"));
}

void check_options(const ExportOptions& options, std::span<const std::string> given) {
  const Form form = form_of(options);
  for (const std::string& option : given) {
    if (means_something(options, option)) continue;
    throw SettingError(option,
                       Message("means nothing for {0}", std::string(form_names[static_cast<std::size_t>(form)])),
                       Message("expected it with {0}", names_of(takers_of(option)->forms)));
  }
  const bool one_mask = has(of_masks, form), several = options.all_heads || options.heads.size() > 1;
  if (one_mask && (several || options.pool != HeadPool::none) &&
      std::ranges::find(given, std::string("--head")) != given.end())
    throw SettingError("--head",
                       Message("{0} is of one head's mask", std::string(form_names[static_cast<std::size_t>(form)])),
                       "expected one number");
  if (!options.loss.empty() && !options.gradient)
    throw SettingError("--loss", "says what the gradients are of, and none is drawn",
                       "expected --stage d_STAGE with it");
  if (options.over.empty() && options.by != TakeTogether::mean)
    throw SettingError("--by", "says how --over takes numbers together, which is not given", "expected --over with it");
  if (takes_over(options, "layers") && form != Form::layers)
    throw SettingError("--over", "layers are not drawn", "expected --layers all with it");
  if (takes_over(options, "heads") && options.pool != HeadPool::none)
    throw SettingError("--over", "the heads are taken together by --head already", "expected --head all or numbers");
}

bool takes_several_heads(const ExportOptions& options) { return has(grids, form_of(options)); }

bool takes_over(const ExportOptions& options, std::string_view axis) {
  for (const std::string_view each : Split(options.over, ',')) {
    if (each == axis) return true;
  }
  return false;
}

}  // namespace headlight
