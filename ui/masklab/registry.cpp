#include "ui/masklab/registry.h"

#include <array>

namespace headlight {
namespace {

constexpr std::array tabs{
    MaskTabEntry{MaskTab::patterns, "mask_lab.tabs.patterns", draw_patterns_tab},
    MaskTabEntry{MaskTab::conventions, "mask_lab.tabs.conventions", draw_conventions_tab},
    MaskTabEntry{MaskTab::reach, "mask_lab.tabs.reach", draw_reach_tab},
    MaskTabEntry{MaskTab::cost, "mask_lab.tabs.cost", draw_cost_tab},
    MaskTabEntry{MaskTab::side_by_side, "mask_lab.tabs.sides", draw_side_by_side_tab},
};

}  // namespace

std::span<const MaskTabEntry> all_mask_tabs() { return tabs; }

}  // namespace headlight
