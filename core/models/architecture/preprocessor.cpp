#include <algorithm>

#include "core/base/files/load_budget.h"
#include "core/base/tensor/message.h"
#include "core/base/text/utf8_path.h"
#include "core/models/architecture/network_builder.h"

namespace headlight {

SizeSaid size_said(const Config& config, const char* field, bool number_is_shorter_side) {
  constexpr Index largest_side = 16384;
  const nlohmann::json* said = config.find({field});
  if (!said) return {};
  const auto side = [&](const nlohmann::json& value) {
    const double number = value.is_number() ? value.get<double>() : 0;
    if (!(number >= 1 && number <= static_cast<double>(largest_side)) || number != static_cast<int>(number))
      config.fail(Message("its {0} is {1}", std::string(field), said->dump()),
                  Message("expected sides of 1 to {0} pixels", largest_side));
    return static_cast<int>(number);
  };
  if (said->is_object() && said->contains("shortest_edge") && !said->contains("longest_edge"))
    return {0, 0, side((*said)["shortest_edge"])};
  if (said->is_object() && said->contains("height") && said->contains("width"))
    return {side((*said)["width"]), side((*said)["height"]), 0};
  if (said->is_array() && said->size() == 2) return {side((*said)[1]), side((*said)[0]), 0};
  const int both = side(*said);
  return number_is_shorter_side ? SizeSaid{0, 0, both} : SizeSaid{both, both, 0};
}

namespace {

std::array<float, 3> three(const Config& config, const char* field, const std::array<float, 3>& usual) {
  const nlohmann::json* value = config.find({field});
  if (!value) return usual;
  std::array<float, 3> numbers{};
  if (!value->is_array() || value->size() != 3)
    config.fail(Message("its {0} is {1}", std::string(field), value->dump()), "expected three numbers");
  for (std::size_t i = 0; i < 3; ++i) numbers[i] = (*value)[i].is_number() ? (*value)[i].get<float>() : 0;
  return numbers;
}

}  // namespace

PictureSteps steps_of(NetworkBuilder& b, const Preprocessor& usual, int width, int height) {
  const std::filesystem::path path = path_from(b.config.path()).parent_path() / "preprocessor_config.json";
  std::error_code error;
  const nlohmann::json* inner = b.config.find({"preprocessor"});  // from timm's config.json
  const bool has_config = inner || std::filesystem::exists(path, error);
  const Config c(inner        ? *inner
                 : has_config ? read_json_object(path, "a preprocessor_config.json as Hugging Face writes it")
                              : nlohmann::json::object(),
                 utf8_from(path));
  if (!has_config)
    b.network.notes.push_back("there is no preprocessor_config.json: pictures are resized and normalised as usual");
  PictureSteps steps;
  if (c.flag({"do_resize"}, true)) {
    const SizeSaid size = size_said(c, "size", usual.number_is_shorter_side);
    const bool has_size = size.shorter_side > 0 || size.width > 0;
    steps.width = has_size ? size.width : width;
    steps.height = has_size ? size.height : height;
    steps.shorter_side = size.shorter_side;
    const Index filter = c.whole({"resample"}, static_cast<Index>(usual.filter));
    if (filter > static_cast<Index>(Resampling::hamming))
      c.fail(Message("its resample is {0}", filter), "expected one of PIL's filters, 0 to 5");
    steps.filter = static_cast<Resampling>(filter);
  }
  if (c.flag({"do_center_crop"}, usual.crops)) {
    const SizeSaid size = size_said(c, "crop_size");
    steps.crop_width = size.width > 0 ? size.width : width;
    steps.crop_height = size.height > 0 ? size.height : height;
  }
  steps.factor = c.flag({"do_rescale"}, true) ? static_cast<float>(c.number({"rescale_factor"}, 1.0 / 255)) : 1;
  if (c.flag({"do_normalize"}, true)) {
    steps.mean = three(c, "image_mean", usual.mean);
    steps.deviation = three(c, "image_std", usual.deviation);
    if (std::ranges::find(steps.deviation, 0.0F) != steps.deviation.end())
      c.fail("its image_std holds 0, which pixels are divided by", "expected three numbers above 0");
  }
  for (const char* other : {"do_pad", "do_flip_channel_order", "do_thumbnail", "crop_pct", "rescale_offset"})
    c.refuse_unless(other, false);
  return steps;
}

void set_grid(const NetworkBuilder& b, PictureSpec& picture, const SizeSaid& image) {
  const SizeSaid patch = size_said(b.config, "patch_size");
  b.refuse_unless("num_channels", 3);
  if (!b.whole()) return;
  if (patch.width != patch.height || patch.width == 0 || image.width % patch.width != 0 ||
      image.height % patch.width != 0 || image.width == 0)
    b.config.fail(Message("its image_size {0} × {1} is not cut into square patches by its patch_size {2}", image.width,
                          image.height, patch.width),
                  "expected a multiple of patch_size");
  picture.patch = patch.width;
  picture.rows = image.height / patch.width;
  picture.columns = image.width / patch.width;
}

PictureSpec picture_of(NetworkBuilder& b, const Preprocessor& usual) {
  PictureSpec picture;
  const SizeSaid image = size_said(b.config, "image_size");
  set_grid(b, picture, image);
  if (b.whole()) picture.steps = steps_of(b, usual, image.width, image.height);
  return picture;
}

}  // namespace headlight
