// Transformers that read pictures: ViT (Dosovitskiy et al. 2020), whose norms stand before attention and MLP.
#include <algorithm>

#include "core/architecture/network_builder.h"
#include "core/files/json_object.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

/// {"height", "width"}, a number for both, or {"shortest_edge"} alone.
struct SizeSaid {
  int width = 0, height = 0, shorter_side = 0;
};

constexpr Index largest_side = 16384;

SizeSaid size_said(const Config& config, const char* field, bool number_is_shorter_side = false) {
  const nlohmann::json* said = config.find({field});
  if (!said) return {};
  const auto side = [&](const nlohmann::json& value) {
    const double number = value.is_number() ? value.get<double>() : 0;
    if (!(number >= 1 && number <= static_cast<double>(largest_side)) || number != static_cast<int>(number))
      config.fail("its " + std::string(field) + " is " + said->dump(),
                  "expected sides of 1 to " + std::to_string(largest_side) + " pixels");
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

/// What a kind of preprocessor does where its file says nothing.
struct Preprocessor {
  bool crops = false;
  bool number_is_shorter_side = false;
  Resampling filter = Resampling::bilinear;
  std::array<float, 3> mean{0.5F, 0.5F, 0.5F}, deviation{0.5F, 0.5F, 0.5F};
};

std::array<float, 3> three(const Config& config, const char* field, const std::array<float, 3>& usual) {
  const nlohmann::json* said = config.find({field});
  if (!said) return usual;
  std::array<float, 3> numbers{};
  if (!said->is_array() || said->size() != 3)
    config.fail("its " + std::string(field) + " is " + said->dump(), "expected three numbers");
  for (std::size_t i = 0; i < 3; ++i) numbers[i] = (*said)[i].is_number() ? (*said)[i].get<float>() : 0;
  return numbers;
}

/// preprocessor_config.json beside config.json; without one, what is usual, at `width` × `height`.
PictureSteps steps_of(NetworkBuilder& b, const Preprocessor& usual, int width, int height) {
  const std::filesystem::path path = path_from(b.config.path()).parent_path() / "preprocessor_config.json";
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  const Config c(
      there ? read_json_object(path, "a preprocessor_config.json as Hugging Face writes it") : nlohmann::json::object(),
      utf8_from(path));
  if (!there)
    b.network.notes.push_back("there is no preprocessor_config.json: pictures are resized and normalised as usual");
  PictureSteps steps;
  if (c.flag({"do_resize"}, true)) {
    const SizeSaid size = size_said(c, "size", usual.number_is_shorter_side);
    const bool said = size.shorter_side > 0 || size.width > 0;
    steps.width = said ? size.width : width;
    steps.height = said ? size.height : height;
    steps.shorter_side = size.shorter_side;
    const Index filter = c.whole({"resample"}, static_cast<Index>(usual.filter));
    if (filter > static_cast<Index>(Resampling::hamming))
      c.fail("its resample is " + std::to_string(filter), "expected one of PIL's filters, 0 to 5");
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

/// The grid of config.json's image_size and patch_size.
PictureSpec grid_of(const NetworkBuilder& b) {
  const SizeSaid image = size_said(b.config, "image_size"), patch = size_said(b.config, "patch_size");
  b.refuse_unless("num_channels", 3);
  PictureSpec picture;
  if (!b.whole()) return picture;
  if (patch.width != patch.height || patch.width == 0 || image.width % patch.width != 0 ||
      image.height % patch.width != 0 || image.width == 0)
    b.config.fail("its image_size " + std::to_string(image.width) + " × " + std::to_string(image.height) +
                      " is not cut into square patches by its patch_size " + std::to_string(patch.width),
                  "expected a multiple of patch_size");
  picture.patch = patch.width;
  picture.rows = image.height / patch.width;
  picture.columns = image.width / patch.width;
  return picture;
}

/// The names of the classes: id2label, or numbers.
void read_labels(NetworkBuilder& b, Index count) {
  const nlohmann::json* names = b.config.find({"id2label"});
  b.config.find({"label2id", "num_labels", "num_classes"});
  for (Index i = 0; i < count; ++i) {
    const std::string id = std::to_string(i);
    const bool named = names && names->is_object() && names->contains(id) && (*names)[id].is_string();
    b.network.labels.push_back(named ? (*names)[id].get<std::string>() : "class " + id);
  }
  b.network.vocabulary = count;
}

/// A linear layer of what the first token ends as; none where the file has none.
void build_classifier(NetworkBuilder& b, const std::string& name) {
  const std::string inside = b.prefix;
  b.prefix.clear();
  if (b.has(name + ".weight")) {
    const Shape& shape = b.file.entry(name + ".weight").shape;
    const Index count = shape.empty() ? 0 : shape[0];
    b.network.head.output = b.linear(name, count, b.network.width);
    read_labels(b, count);
  } else {
    b.config.find({"id2label", "label2id"});
    b.network.notes.push_back("the file has no " + name + ": it predicts nothing");
  }
  b.prefix = inside;
}

struct VisionSizes {
  Index d = 0, blocks = 0, heads = 0, inner = 0;
  double epsilon = 1e-12;
  Activation activation = Activation::gelu;
};

VisionSizes sizes_of(const NetworkBuilder& b) {
  const Config& c = b.config;
  const Index d = c.whole({"hidden_size"});
  return {d,
          c.whole({"num_hidden_layers"}),
          c.whole({"num_attention_heads"}),
          c.whole({"intermediate_size"}, 4 * d),
          c.number({"layer_norm_eps"}, 1e-12),
          b.activation(c.text({"hidden_act"}, "gelu"))};
}

/// Patches, the tokens before them, and a row of positions for each; "" for none.
void build_embedding(NetworkBuilder& b, StackSpec& stack, const PictureSpec& picture, const std::string& patches,
                     const std::string& positions) {
  EmbeddingSpec& e = stack.embedding;
  const Index d = b.network.width;
  const std::string why = "as " + b.config.path() + " says";
  e.patches.weight = b.array(patches + ".weight", {d, picture.channels, picture.patch, picture.patch}, why);
  if (b.has(patches + ".bias")) e.patches.bias = b.array(patches + ".bias", {d}, why);
  e.position_kind = PositionKind::learned;
  const Index count = picture.rows * picture.columns + std::ranges::count(e.extra, true, &ExtraToken::has_position);
  e.positions = b.array(positions, {1, count, d}, why);
}

/// As in Hugging Face's ViT.
void add_block(NetworkBuilder& b, const VisionSizes& is, const std::string& at) {
  BlockSpec& block = b.begin_block(b.network.stacks.front(), at);
  AttentionSpec& a = block.attention;
  a.name = block.name + ".attention";
  settle_heads(b, a, is.d, is.heads);
  block.before_attention = b.norm(at + "layernorm_before", NormKind::layer, is.d, is.epsilon);
  a.q = b.linear(at + "attention.attention.query", is.d, is.d);
  a.k = b.linear(at + "attention.attention.key", is.d, is.d);
  a.v = b.linear(at + "attention.attention.value", is.d, is.d);
  a.o = b.linear(at + "attention.output.dense", is.d, is.d);
  block.before_mlp = b.norm(at + "layernorm_after", NormKind::layer, is.d, is.epsilon);
  block.mlp = MlpSpec{{},
                      b.linear(at + "intermediate.dense", is.inner, is.d),
                      b.linear(at + "output.dense", is.d, is.inner),
                      is.activation};
}

}  // namespace

void build_vit(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"embeddings.patch_embeddings.projection.weight"});
  const VisionSizes is = sizes_of(b);
  c.find({"qkv_bias", "encoder_stride", "pooler_output_size", "pooler_act"});
  b.network.width = is.d;
  PictureSpec picture = grid_of(b);
  StackSpec& stack = b.network.stacks.emplace_back();
  const std::string why = "as " + c.path() + " says";
  stack.embedding.extra = {{"cls", b.array("embeddings.cls_token", {1, 1, is.d}, why)}};
  build_embedding(b, stack, picture, "embeddings.patch_embeddings.projection", "embeddings.position_embeddings");
  for (Index i = 0; i < is.blocks; ++i) add_block(b, is, "encoder.layer." + std::to_string(i) + ".");
  stack.final_norm = b.norm("layernorm", NormKind::layer, is.d, is.epsilon);
  if (!b.whole()) return;
  picture.steps = steps_of(b, {}, static_cast<int>(picture.columns * picture.patch),
                           static_cast<int>(picture.rows * picture.patch));
  b.network.picture = picture;
  build_classifier(b, "classifier");
}

}  // namespace headlight
