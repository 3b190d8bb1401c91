// Transformers for pictures, with norms before attention and MLP: ViT (Dosovitskiy et al. 2020), DeiT (Touvron et al.
// 2020), DINOv2 (Oquab et al. 2023) with registers (Darcet et al. 2023), the image towers of CLIP (Radford et al. 2021)
// and SigLIP (Zhai et al. 2023), and timm's ViTs.
#include <algorithm>
#include <utility>

#include "core/base/tensor/message.h"
#include "core/models/architecture/network_builder.h"

namespace headlight {
namespace {

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

/// The classifier, a linear layer of `width` inputs; no head if the file has none.
void build_classifier(NetworkBuilder& b, const std::string& name, Index width) {
  const OtherPrefix root(b);
  if (!b.has(name + ".weight")) {
    b.config.find({"id2label", "label2id"});
    b.network.notes.push_back(Message("the file has no {0}: it predicts nothing", name));
    return;
  }
  const Shape& shape = b.file.entry(name + ".weight").shape;
  const Index count = shape.empty() ? 0 : shape[0];
  b.network.head.output = b.linear(name, count, width);
  read_labels(b, count);
}

/// A classifier for the distillation token as well: the prediction is the mean of both.
void add_second_classifier(NetworkBuilder& b, const std::string& name) {
  b.network.head.reads = HeadReads::first_two;
  b.network.head.second = b.linear(name, b.network.vocabulary, b.network.width);
}

/// Reads the sizes in config.json; those that `layout` has are the usual ones.
void read_sizes(const NetworkBuilder& b, BlockLayout& layout, const char* activation = "gelu") {
  const Config& c = b.config;
  const auto read = [&](const char* field, Index& size) {
    size = size > 0 ? c.whole({field}, size) : c.whole({field});
  };
  read("hidden_size", layout.d), read("num_hidden_layers", layout.count), read("num_attention_heads", layout.heads);
  layout.inner = c.whole({"intermediate_size"}, layout.inner > 0 ? layout.inner : 4 * layout.d);
  layout.epsilon = c.number({"layer_norm_eps"}, layout.epsilon);
  layout.activation = b.activation(c.text({"hidden_act"}, activation));
}

/// The embedding: patches, the tokens before them, and a position for each.
void build_embedding(NetworkBuilder& b, StackSpec& stack, const PictureSpec& picture, const std::string& patches,
                     const std::string& positions, bool leading_one = true) {
  EmbeddingSpec& e = stack.embedding;
  const Index d = b.network.width;
  const std::string why = b.as_config_says();
  e.patches.weight = b.array(patches + ".weight", {d, picture.channels, picture.patch, picture.patch}, why);
  if (b.has(patches + ".bias")) e.patches.bias = b.array(patches + ".bias", {d}, why);
  e.position_kind = PositionKind::learned;
  const Index grid =
      picture.table_rows > 0 ? picture.table_rows * picture.table_columns : picture.rows * picture.columns;
  const Index count = grid + std::ranges::count(e.extra, true, &ExtraToken::has_position);
  e.positions = b.array(positions, leading_one ? Shape{1, count, d} : Shape{count, d}, why);
}

constexpr BlockLayout vit_blocks{.names = {"encoder.layer.",
                                           "attention",
                                           {"attention.query", "attention.key", "attention.value", "output.dense"},
                                           "layernorm_before",
                                           "layernorm_after",
                                           {"intermediate.dense", "output.dense"}},
                                 .epsilon = 1e-12};
constexpr BlockLayout clip_blocks{.names = {"encoder.layers.",
                                            "self_attn",
                                            {"q_proj", "k_proj", "v_proj", "out_proj"},
                                            "layer_norm1",
                                            "layer_norm2",
                                            {"mlp.fc1", "mlp.fc2"}}};
constexpr BlockLayout clip_image = [] {
  BlockLayout layout = clip_blocks;
  layout.d = 768, layout.count = layout.heads = 12, layout.inner = 3072;
  return layout;
}();
constexpr BlockLayout siglip_blocks = [] {
  BlockLayout layout = clip_image;
  layout.epsilon = 1e-6;
  return layout;
}();

/// The blocks, whose attention and MLP may end with a gain for each channel.
void add_blocks(NetworkBuilder& b, const BlockLayout& layout, const char* attention_gain, const char* mlp_gain) {
  const auto gain = [&](LinearSpec& linear, const std::string& name) {
    if (b.has(name)) linear.gain = b.array(name, {layout.d}, b.as_config_says());
  };
  for (Index i = 0; i < layout.count; ++i) {
    const std::string at = layout.place(i);
    BlockSpec& block = b.add_block(b.network.stacks.front(), layout, at);
    gain(block.attention.o, at + attention_gain);
    gain(block.mlp->down, at + mlp_gain);
  }
}

/// ViT and DeiT in the files of Hugging Face.
void build_hugging_face(NetworkBuilder& b, const Preprocessor& usual, bool distilled) {
  const Config& c = b.config;
  b.find_prefix({"embeddings.patch_embeddings.projection.weight"});
  BlockLayout layout = vit_blocks;
  read_sizes(b, layout);
  c.find({"qkv_bias", "encoder_stride", "pooler_output_size", "pooler_act"});
  const PictureSpec picture = picture_of(b, usual);
  StackSpec& stack = b.begin_stack(layout.d);
  const std::string why = b.as_config_says();
  stack.embedding.extra = {{"cls", b.array("embeddings.cls_token", {1, 1, layout.d}, why)}};
  if (distilled)
    stack.embedding.extra.push_back({"dist", b.array("embeddings.distillation_token", {1, 1, layout.d}, why)});
  build_embedding(b, stack, picture, "embeddings.patch_embeddings.projection", "embeddings.position_embeddings");
  b.add_blocks(stack, layout);
  stack.final_norm = b.norm("layernorm", layout);
  if (!b.whole()) return;
  b.network.picture = picture;
  const bool has_distilled = distilled && b.file.has("cls_classifier.weight");
  build_classifier(b, has_distilled ? "cls_classifier" : "classifier", layout.d);
  if (!has_distilled) return;
  const OtherPrefix root(b);
  add_second_classifier(b, "distillation_classifier");
}

constexpr std::array<float, 3> imagenet_mean{0.485F, 0.456F, 0.406F}, imagenet_deviation{0.229F, 0.224F, 0.225F},
    clip_mean{0.48145466F, 0.4578275F, 0.40821073F}, clip_deviation{0.26862954F, 0.26130258F, 0.27577711F};

/// SigLIP's pooling: nn.MultiheadAttention of one learned query, then an MLP beside it.
void build_pooling(NetworkBuilder& b, const BlockLayout& layout) {
  PoolingSpec& pooling = b.network.head.pooling.emplace();
  const std::string why = b.as_config_says();
  pooling.probe = b.array("head.probe", {1, 1, layout.d}, why);
  pooling.heads = layout.heads;
  split_packed({b.array("head.attention.in_proj_weight", {3 * layout.d, layout.d}, why),
                b.array("head.attention.in_proj_bias", {3 * layout.d}, why)},
               1, layout.d, layout.d, pooling);
  pooling.o = b.linear("head.attention.out_proj", layout.d, layout.d);
  pooling.norm = b.norm("head.layernorm", layout);
  pooling.mlp = b.mlp("head.", layout.names.mlp, layout.inner, layout.d, layout.activation);
  b.network.head.reads = HeadReads::pooled;
}

/// The texts to compare the picture with; none if the file holds an image tower alone.
void build_contrast(NetworkBuilder& b, const char* type) {
  const nlohmann::json* text_config = b.config.find({"text_config"});
  b.config.find({"logit_scale_init_value"});
  if (!text_config || !text_config->is_object() || !b.file.has("logit_scale")) {
    b.network.notes.push_back("its image tower alone: no text is compared with the picture, and it predicts nothing");
    return;
  }
  nlohmann::json fields = *text_config;
  fields["model_type"] = std::string(type) + "_text_model";
  ContrastSpec& contrast = b.network.contrast.emplace();
  contrast.texts = std::make_shared<const NetworkSpec>(build_network(Config(fields, b.config.path()), b.file));
  contrast.scale = "logit_scale";
  if (b.file.has("logit_bias")) contrast.bias = "logit_bias";
  // x / |x| is RMSNorm's x / √(mean x²) divided by √d. The rows of the texts are divided by √d instead.
  b.network.head.norm.kind = NormKind::rms;
  b.network.head.norm.epsilon = 0;
}

/// The last layer of a tower, whose number of rows the file says.
void build_projection(NetworkBuilder& b, const std::string& name) {
  const Shape& shape = b.file.entry(b.prefix + name + ".weight").shape;
  b.network.head.transform = b.linear(name, shape.empty() ? 0 : shape[0], b.network.width);
}

/// The image tower of a model with two towers.
BlockLayout build_tower(NetworkBuilder& b, bool cls, BlockLayout layout, const char* activation,
                        const Preprocessor& preprocessor) {
  b.find_prefix({"embeddings.patch_embedding.weight"});
  read_sizes(b, layout, activation);
  b.config.find({"projection_dim", "initializer_factor", "vision_use_head"});
  const PictureSpec picture = picture_of(b, preprocessor);
  StackSpec& stack = b.begin_stack(layout.d);
  if (cls) {
    stack.embedding.extra = {{"cls", b.array("embeddings.class_embedding", {layout.d}, "the class token")}};
    stack.embedding.norm = b.norm("pre_layrnorm", layout);
  }
  build_embedding(b, stack, picture, "embeddings.patch_embedding", "embeddings.position_embedding.weight", false);
  b.add_blocks(stack, layout);
  stack.final_norm = b.norm("post_layernorm", layout);
  b.network.picture = picture;
  return layout;
}

/// The blocks of a text tower, without its projection of the final token.
void build_texts(NetworkBuilder& b, BlockLayout layout, const char* activation, Index usual_positions) {
  b.find_prefix({"embeddings.token_embedding.weight"});
  read_sizes(b, layout, activation);
  b.config.find({"projection_dim", "initializer_factor", "bos_token_id", "pad_token_id"});
  StackSpec& stack = b.begin_stack(layout.d, "embeddings.token_embedding.weight");
  b.add_positions(stack.embedding, "embeddings.position_embedding.weight",
                  b.config.whole({"max_position_embeddings"}, usual_positions), layout.d);
  b.add_blocks(stack, layout);
  stack.final_norm = b.norm("final_layer_norm", layout);
}

}  // namespace

void build_vit(NetworkBuilder& b) { build_hugging_face(b, {}, false); }

void build_deit(NetworkBuilder& b) {
  build_hugging_face(b, {true, false, Resampling::bicubic, imagenet_mean, imagenet_deviation}, true);
}

void build_clip(NetworkBuilder& b) {
  build_tower(b, true, clip_image, "quick_gelu", {true, true, Resampling::bicubic, clip_mean, clip_deviation});
  if (!b.whole()) return;
  build_contrast(b, "clip");
  if (!b.network.contrast) return;
  const OtherPrefix root(b);
  b.any_of({"visual_projection.weight"}, "the projection of pictures");
  build_projection(b, "visual_projection");
}

void build_clip_text(NetworkBuilder& b) {
  BlockLayout layout = clip_blocks;
  layout.d = 512, layout.count = 12, layout.heads = 8, layout.inner = 2048, layout.causal = true;
  build_texts(b, layout, "quick_gelu", 77);
  const OtherPrefix root(b);
  if (b.has("text_projection.weight")) build_projection(b, "text_projection");
}

void build_siglip_text(NetworkBuilder& b) {
  build_texts(b, siglip_blocks, "gelu_pytorch_tanh", 64);
  b.network.filled_with = b.config.whole({"pad_token_id"}, 1);
  const Index d = b.network.width;
  if (b.has("head.weight")) b.network.head.transform = b.linear("head", b.config.whole({"projection_size"}, d), d);
}

void build_siglip(NetworkBuilder& b) {
  const BlockLayout layout = build_tower(b, false, siglip_blocks, "gelu_pytorch_tanh", {.filter = Resampling::bicubic});
  if (!b.whole()) return;
  build_contrast(b, "siglip");
  if (!b.has("head.probe")) return;
  build_pooling(b, layout);
  if (!b.network.contrast) return;
  b.network.contrast->at_last = b.network.each_alone = true;
}

void build_dinov2(NetworkBuilder& b) {
  const Config& c = b.config;
  b.find_prefix({"embeddings.patch_embeddings.projection.weight"});
  BlockLayout layout = vit_blocks;
  layout.names.attention_norm = "norm1", layout.names.mlp_norm = "norm2";
  layout.names.mlp = {"mlp.fc1", "mlp.fc2"};
  layout.epsilon = 1e-6;
  read_sizes(b, layout);
  layout.inner = static_cast<Index>(static_cast<double>(layout.d) * c.number({"mlp_ratio"}, 4));
  // The giant one has a gated MLP, with gate and values in one matrix.
  const std::string gated = layout.place(0) + "mlp.weights_in.weight";
  if (b.has(gated)) {
    const Shape& shape = b.file.entry(b.prefix + gated).shape;
    layout.inner = shape.empty() ? 0 : shape[0] / 2;
    layout.names.mlp = {.up = "mlp.weights_in", .down = "mlp.weights_out", .packed = true};
    layout.activation = Activation::silu;
  }
  c.find({"qkv_bias", "layerscale_value", "drop_path_rate", "use_swiglu_ffn", "use_mask_token", "apply_layernorm",
          "reshape_hidden_states", "out_features", "out_indices", "stage_names"});
  PictureSpec picture;
  const SizeSaid image = size_said(c, "image_size");
  picture.steps =
      steps_of(b, {true, true, Resampling::bicubic, imagenet_mean, imagenet_deviation}, image.width, image.height);
  set_grid(b, picture, image);
  picture.table_rows = picture.rows, picture.table_columns = picture.columns;
  // The table of positions has the grid of image_size; cropped pictures may have another grid.
  const PictureSteps& steps = picture.steps;
  if (steps.crop_width > 0 || steps.width > 0)
    set_grid(b, picture,
             {steps.crop_width > 0 ? steps.crop_width : steps.width,
              steps.crop_width > 0 ? steps.crop_height : steps.height, 0});
  StackSpec& stack = b.begin_stack(layout.d);
  stack.embedding.extra = {{"cls", b.array("embeddings.cls_token", {1, 1, layout.d}, "the class token")}};
  const Index registers = c.whole({"num_register_tokens"}, 0);
  for (Index i = 0; i < registers; ++i)
    stack.embedding.extra.push_back(
        {"reg" + std::to_string(i), b.array("embeddings.register_tokens", {1, registers, layout.d}, b.as_config_says()),
         i, false});
  build_embedding(b, stack, picture, "embeddings.patch_embeddings.projection", "embeddings.position_embeddings");
  add_blocks(b, layout, "layer_scale1.lambda1", "layer_scale2.lambda1");
  stack.final_norm = b.norm("layernorm", layout);
  b.network.picture = picture;
  b.network.head.reads = HeadReads::first_and_patches;
  build_classifier(b, "classifier", 2 * layout.d);
}

void build_timm_vit(NetworkBuilder& b) {
  b.find_prefix({"patch_embed.proj.weight"});
  BlockLayout layout{.names = {"blocks.", "attn", {"qkv", "proj"}, "norm1", "norm2", {"mlp.fc1", "mlp.fc2"}},
                     .epsilon = 1e-12};
  read_sizes(b, layout);
  const PictureSpec picture = picture_of(b, {});
  StackSpec& stack = b.begin_stack(layout.d);
  const auto token = [&](const char* name, const char* array) {
    if (b.has(array)) stack.embedding.extra.push_back({name, b.array(array, {1, 1, layout.d}, "a token")});
  };
  token("cls", "cls_token"), token("dist", "dist_token");
  for (const char* other : {"reg_token", "norm_pre.weight", "fc_norm.weight", "attn_pool.latent"}) {
    if (b.has(other))
      b.config.fail(Message("its file holds {0}, which is not computed", std::string(other)),
                    "expected a plain ViT of timm");
  }
  build_embedding(b, stack, picture, "patch_embed.proj", "pos_embed");
  add_blocks(b, layout, "ls1.gamma", "ls2.gamma");
  stack.final_norm = b.norm("norm", layout);
  b.network.picture = picture;
  build_classifier(b, "head", layout.d);
  if (b.has("head_dist.weight")) add_second_classifier(b, "head_dist");
}

nlohmann::json image_tower_config(const nlohmann::json& whole, const std::string& type) {
  nlohmann::json fields = nlohmann::json::object();
  if (whole.contains("vision_config") && whole["vision_config"].is_object()) fields = whole["vision_config"];
  fields["model_type"] = type + "_vision_model";
  if (whole.contains("text_config")) fields["text_config"] = whole["text_config"];
  return fields;
}

namespace {

/// The fields of timm's pretrained_cfg as a preprocessor_config.json, and the picture's height and width.
nlohmann::json timm_steps(const nlohmann::json& how, Index& height, Index& width) {
  const nlohmann::json input = how.value("input_size", nlohmann::json());
  height = width = 224;
  if (input.is_array() && input.size() == 3 && input[1].is_number_unsigned() && input[2].is_number_unsigned())
    height = input[1].get<Index>(), width = input[2].get<Index>();
  const nlohmann::json crop_share = how.value("crop_pct", nlohmann::json(0.9));
  const double share = crop_share.is_number() && crop_share > 0 ? crop_share.get<double>() : 1;
  const auto before_crop = [&](Index side) { return static_cast<Index>(static_cast<double>(side) / share); };
  nlohmann::json steps{{"do_center_crop", true},
                       {"resample", how.value("interpolation", nlohmann::json()) == "bilinear" ? 2 : 3}};
  steps["crop_size"] = {{"height", height}, {"width", width}};
  if (height == width) steps["size"]["shortest_edge"] = before_crop(height);
  else steps["size"] = {{"height", before_crop(height)}, {"width", before_crop(width)}};
  for (const auto& [from, to] : {std::pair{"mean", "image_mean"}, {"std", "image_std"}}) {
    if (how.contains(from)) steps[to] = how[from];
  }
  return steps;
}

}  // namespace

nlohmann::json timm_config(const nlohmann::json& whole, const Checkpoint& file) {
  const std::string name = whole["architecture"].is_string() ? whole["architecture"].get<std::string>() : "";
  constexpr std::pair<const char*, Index> sizes[] = {
      {"tiny", 3}, {"small", 6}, {"base", 12}, {"large", 16}, {"huge", 16}};
  const auto prefix = file.prefix_of("patch_embed.proj.weight");
  const auto size =
      std::ranges::find_if(sizes, [&](const auto& each) { return name.find(each.first) != std::string::npos; });
  const bool plain = name.starts_with("vit_") || name.starts_with("deit_");
  if (!prefix || !plain || size == std::end(sizes) || name.find("clip") != std::string::npos) return whole;
  const Shape shape = file.entry(*prefix + "patch_embed.proj.weight").shape;
  if (shape.size() != 4) return whole;
  Index blocks = 0, height = 0, width = 0;
  while (file.has(*prefix + "blocks." + std::to_string(blocks) + ".norm1.weight")) ++blocks;
  const std::string up = *prefix + "blocks.0.mlp.fc1.weight";
  const Index inner = file.has(up) && !file.entry(up).shape.empty() ? file.entry(up).shape[0] : 4 * shape[0];
  nlohmann::json how = whole.value("pretrained_cfg", nlohmann::json::object());
  if (!how.is_object()) how = nlohmann::json::object();
  nlohmann::json fields{{"model_type", "timm_vit"}, {"layer_norm_eps", 1e-6}};
  fields["preprocessor"] = timm_steps(how, height, width);
  fields["image_size"] = {{"height", height}, {"width", width}};
  for (const auto& [field, number] : {std::pair{"hidden_size", shape[0]},
                                      {"num_attention_heads", size->second},
                                      {"num_hidden_layers", blocks},
                                      {"intermediate_size", inner},
                                      {"patch_size", shape[3]}})
    fields[field] = number;
  const nlohmann::json labels = how.value("label_names", nlohmann::json::array());
  for (std::size_t i = 0; labels.is_array() && i < labels.size(); ++i)
    fields["id2label"][std::to_string(i)] = labels[i];
  return fields;
}

}  // namespace headlight
