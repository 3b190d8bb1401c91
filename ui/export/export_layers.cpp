#include <algorithm>

#include "core/network/head_overview.h"
#include "ui/export/export_controls.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

struct LayersWay {
  const char* option;
  const char* key;
};
constexpr LayersWay ways[] = {{"", "export.this_layer"},
                              {"all", "export.all_layers"},
                              {"encoder", "export.encoder_layers"},
                              {"decoder", "export.decoder_layers"},
                              {"cross", "export.cross_layers"},
                              {"rollout", "export.rollout"},
                              {"flow", "export.flow"}};

/// Whether the network has such layers: stacks are offered where there are several.
bool is_offered(const HeadOverview& overview, const std::string& option) {
  if (option != "encoder" && option != "decoder" && option != "cross") return true;
  return std::ranges::any_of(overview.layers,
                             [&](const OverviewLayer& layer) { return layer.layer.starts_with(option); });
}

/// "rollout:3": up to which layer.
void draw_last_layer(const Frame& frame, const HeadOverview& overview, const std::string& way, ExportOptions& options) {
  std::vector<const OverviewLayer*> stack;
  const OverviewLayer& chosen = overview.layers[static_cast<std::size_t>(overview.chosen)];
  for (const OverviewLayer& layer : overview.layers) {
    if (layer.stack == chosen.stack && layer.cross == chosen.cross) stack.push_back(&layer);
  }
  const auto found = std::ranges::find_if(
      stack, [&](const OverviewLayer* layer) { return options.layers == way + ":" + layer->layer; });
  const Index last = std::ssize(stack) - 1, now = found == stack.end() ? last : found - stack.begin();
  if (last < 1) return;
  if (const auto upto = int_slider(frame, "upto", frame.words("export.up_to_layer"), now, Choices(0, last))) {
    options.layers = way + ":" + stack[static_cast<std::size_t>(std::clamp<Index>(upto->value, 0, last))]->layer;
  }
}

}  // namespace

void draw_export_layers(const Frame& frame, ExportOptions& options) {
  const auto& overview = frame.trace()->overview;
  if (!overview || overview->layers.size() < 2) return;
  std::vector<const LayersWay*> offered;
  for (const LayersWay& way : ways) {
    if (is_offered(*overview, way.option)) offered.push_back(&way);
  }
  const std::string now = options.layers.substr(0, options.layers.find(':'));
  const auto found = std::ranges::find_if(offered, [&](const LayersWay* way) { return now == way->option; });
  note(frame, frame.words("export.layers"));
  const auto name_of = [&](int i) { return frame.words(offered[static_cast<std::size_t>(i)]->key); };
  const int chosen = found == offered.end() ? 0 : static_cast<int>(found - offered.begin());
  if (const auto way = choice_box(frame, "##layers", static_cast<int>(offered.size()), chosen, name_of)) {
    options.layers = offered[static_cast<std::size_t>(*way)]->option;
    options.said_heads = false;
    options.all_heads = !options.layers.empty();
    options.pool = HeadPool::none;
    if (!options.layers.empty()) options.style.kind = PictureKind::heatmap;
    if (now.empty() != options.layers.empty()) options.style.title.reset();
  }
  const std::string way = options.layers.substr(0, options.layers.find(':'));
  if (way == "rollout" || way == "flow") draw_last_layer(frame, *overview, way, options);
}

}  // namespace headlight
