#include "ui/views/registry.h"

#include <array>

namespace headlight {
namespace {

constexpr std::array views{
    ViewEntry{ViewKind::pipeline, "views.pipeline", draw_pipeline_view},
    ViewEntry{ViewKind::heads, "views.heads", draw_heads_view},
    ViewEntry{ViewKind::mask, "views.mask", draw_mask_view},
    ViewEntry{ViewKind::compare, "views.compare", draw_compare_view},
    ViewEntry{ViewKind::lesson, "views.lesson", draw_lesson_view},
};

}  // namespace

std::span<const ViewEntry> all_views() { return views; }

}  // namespace headlight
