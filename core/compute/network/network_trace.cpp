#include "core/compute/network/network_trace.h"

#include <algorithm>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/merged_words.h"
#include "core/compute/network/network.h"
#include "core/compute/network/pictures.h"
#include "core/compute/run/statistics.h"
#include "core/models/architecture/architectures.h"
#include "core/models/architecture/checkpoint.h"
#include "core/models/architecture/model_folder.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "core/scenario/inputs/seeded.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

/// Whether the setting has another value than an unset one.
bool is_set(const Scenario& s, std::string_view key) {
  const Setting& setting = *setting_named(key);
  return setting.text(s) != setting.text(Scenario());
}

/// Refuses what the model's files decide, and what only other sources have: nothing is ignored in silence.
void refuse_settings(const Scenario& s, const AttentionSpec& layer) {
  const char* why = "since the model fixes it";
  must_be_unset(s, {"batch_size", "queries", "keys", "d_model", "d_query", "d_key", "d_value", "d_out", "kv_heads"},
                why);
  const auto refuse = [&](std::string_view key) {
    if (!is_set(s, key)) return;
    throw SettingError(setting_named(key)->option, "is set for a network", Message("expected it unset, {0}", why));
  };
  for (const char* key :
       {"bias", "output_projection", "packed", "weight_order", "weight_gain", "tokenizer", "axes", "names"})
    refuse(key);
  if (s.mask_file.empty()) refuse("mask_polarity");
  if (!s.t5_bias) refuse("t5_bidirectional");
  // The model's own biases by distance are for its own positions.
  const bool moves = layer.rope.channels() > 0 || s.rope != Rope::none || s.any_alibi() || s.t5_bias;
  if (!moves) refuse("query_offset");
}

/// Whether a picture's file has changed on disk since it was read.
bool pictures_changed(const NetworkText& text) {
  return std::ranges::any_of(text.pictures, [](const auto& picture) {
    return !picture->file.empty() && stamp_of(picture_place(picture->file)) != picture->stamp;
  });
}

/// "cat.png, 640 × 480 pixels, bilinear to 224 × 224"
Message picture_note(const InputImage& picture, const PictureSteps& steps) {
  const auto size = [](int width, int height) { return std::to_string(width) + " × " + std::to_string(height); };
  const std::string final_size = size(picture.image.width, picture.image.height);
  if (picture.file.empty()) return {"a drawn one of {0} pixels, since none was given", final_size};
  Message note("{0}, {1} pixels", picture.file, size(picture.width, picture.height));
  if (steps.shorter_side > 0) note = {"{0}, its shorter side {1} to {2}", note, name(steps.filter), steps.shorter_side};
  if (steps.width > 0) note = {"{0}, {1} to {2}", note, name(steps.filter), size(steps.width, steps.height)};
  return steps.crop_width > 0 ? Message("{0}, the middle {1}", note, final_size) : note;
}

void note(const NetworkRun& pass, Index layer, const Scenario& scenario, const Scenario& settled, Inputs& inputs) {
  const NetworkLayer& at = pass.network->layer(layer);
  const auto assume = [&](const std::string& what, const Message& taken_for) {
    inputs.assumptions.push_back({what, taken_for});
  };
  inputs.assumptions = notes_of(pass, scenario);
  assume("layer", Message(at.block == 0 && !at.cross ? "{0} ({1}): the input is the embedding"
                                                     : "{0} ({1}): the input is what the layers before it give",
                          at.layer, at.name));
  if (pass.network->block_of(layer).attention.latent)
    assume("query, key, value", "the layer's latents; of each head the channels that are rotated stand first");
  if (settled.mask != scenario.mask) assume("mask", Message("{0}, the model's", settled.mask));
  if (!scenario.mask.empty()) assume("mask", Message("{0} in place of the model's own", scenario.mask));
  if (const std::string changed = changed_settings(scenario); !changed.empty()) {
    assume(
        "changed",
        Message("{0}: in this layer alone; the layers after it and the prediction go on from what it gives", changed));
  }
}

/// "1", "encoder.1", "decoder.1", "cross.1"
bool is_numbered(std::string_view layer) {
  for (const std::string_view stack : {"encoder.", "decoder.", "cross."}) {
    if (layer.starts_with(stack)) layer.remove_prefix(stack.size());
  }
  return !layer.empty() && layer.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The file, if it holds layers of nn.Transformer; else null. There a number as the layer means that the layers before
/// it are computed first.
std::unique_ptr<const Checkpoint> torch_layers(const std::string& file) {
  try {
    const ModelFolder folder = find_model(file);
    if (!folder.config.empty()) return nullptr;
    auto checkpoint = std::make_unique<const Checkpoint>(folder.tensors);
    const bool both = checkpoint->prefix_of("linear1.weight") && checkpoint->prefix_of("self_attn.in_proj_weight");
    return both ? std::move(checkpoint) : nullptr;
  } catch (const InputError&) { return nullptr; }
}

/// Whether the attention of a single layer of nn.Transformer is given something else than the file's input: with
/// norm_first the norm comes before it, and the attention over memory has the output of the other as its queries.
bool comes_after_others(const Scenario& s) {
  if (s.heads || s.text_as_input) return false;
  const auto layers = torch_layers(s.file);
  if (!layers) return false;
  const Checkpoint& file = *layers;
  const std::string self = "self_attn.in_proj_weight", cross = "multihead_attn.in_proj_weight";
  const auto holds = [&](const std::string& ending) {
    return std::ranges::count_if(file.names(), [&](const std::string& name) { return name.ends_with(ending); });
  };
  const auto has_input = [&](const char* name) { return !file.input_named(name).empty(); };
  if (holds(self) != 1 || holds(cross) > 1) return false;
  const bool decodes = holds(cross) == 1, over_memory = s.layer.find("multihead_attn") != std::string::npos;
  if (decodes && (s.layer.empty() || !has_input("tgt") || !has_input("memory"))) return false;
  if (!decodes && !has_input("src") && !has_input("x")) return false;
  const std::string first = file.prefix_of(self).value_or("");
  const auto norm_first = file.setting("norm_first"), of_module = file.number(first + "norm_first");
  return over_memory || norm_first.value_or(of_module.value_or(0)) != 0;
}

/// Whether a pass holds what the options ask for.
bool holds_requested(const NetworkRun& pass, const RunOptions& options) {
  if (options.until) return pass.layers[static_cast<std::size_t>(*options.until)].residual.defined();
  const bool has_logits =
      options.logits == RunOptions::Logits::none || pass.logits.defined() || !pass.network->spec().head.output.there();
  const bool has_weights =
      !options.weights || options.summaries || (!pass.layers.empty() && pass.layers.back().weights.defined());
  const bool has_summaries =
      !options.summaries || (!pass.layers.empty() && pass.layers.back().summary.pictures.defined());
  return pass.final.defined() && has_logits && has_weights && has_summaries;
}

/// Adds the overview if the run is for drawing. If nothing that it depends on has changed, the overview of `last` is
/// used again.
std::shared_ptr<const Trace> with_overview(std::shared_ptr<const Trace> trace, const Trace* last, const Run& run) {
  if (run.summary == Summary::none) return trace;
  auto completed = std::make_shared<Trace>(*trace);
  const auto pass = network_of(trace->inputs), before = last ? network_of(last->inputs) : nullptr;
  const bool same_source = pass ? pass == before
                                : last && !before && trace->inputs.file == last->inputs.file &&
                                      identical((*trace)[Stage::weights], (*last)[Stage::weights]);
  const bool same = same_source && last->overview && trace->scenario.layer == last->scenario.layer &&
                    trace->inputs.key_tokens == last->inputs.key_tokens;
  constexpr Index most_quick_weights = 1 << 22;
  const Tensor& weights = (*trace)[Stage::weights];
  const bool quick = pass || !weights.defined() || (!weights.source() && weights.count() <= most_quick_weights);
  if (same) {
    completed->overview = last->overview;
  } else if (quick || run.summary == Summary::whole) {
    completed->overview = overview_of(*trace, run.stop);
  }
  return completed;
}

}  // namespace

std::string changed_settings(const Scenario& s) {
  std::string list;
  for (const Setting& setting : all_settings()) {
    if (setting.changes_layer(s)) list += (list.empty() ? "" : ", ") + setting.key;
  }
  return list;
}

std::optional<LayerChange> change_of(const Network& network, const Scenario& scenario) {
  if (changed_settings(scenario).empty()) return {};
  LayerChange change{network.layer_named(scenario.layer), scenario};
  const Scenario usual;
  change.settings.text = usual.text;
  change.settings.image = usual.image;
  change.settings.layer = usual.layer;
  change.settings.knock_out = usual.knock_out;
  return change;
}

Rules rules_under(const Scenario& scenario, Rules own) {
  if (scenario.rope_base != Scenario().rope_base || scenario.rotary_dim) {
    own.rope_frequencies.clear();
    own.rope_gain = 1;
  }
  if (scenario.qk_norm != QkNorm::none) own.q_norm = own.k_norm = own.q_norm_bias = own.k_norm_bias = Tensor();
  return own;
}

std::string input_of(const Network& network, const Scenario& s) {
  const bool picture = network.spec().picture.has_value();
  if (!s.image.empty() && !picture)
    throw SettingError("--image", Message("is set, but {0}, reads no pictures", network.title()), "expected --text");
  if (picture && s.text_as_input && !network.spec().contrast)
    throw SettingError("--text", Message("is set, but {0}, reads pictures", network.title()), "expected --image FILE");
  if (picture) return s.image;
  return s.text_as_input ? s.text : network.usual_text(s.text);
}

std::vector<Assumption> notes_of(const NetworkRun& pass, const Scenario& scenario) {
  const Network& network = *pass.network;
  std::vector<Assumption> notes{{"model", network.title()}};
  const auto assume = [&](const std::string& what, const Message& taken_for) { notes.push_back({what, taken_for}); };
  for (const auto& picture : pass.text.pictures) {
    if (network.spec().picture) assume("image", picture_note(*picture, network.spec().picture->steps));
  }
  if (!network.spec().takes_tensors && !network.spec().picture) {
    const TokenSplitter& tokenizer = network.tokenizer();
    const Index known = tokenizer.last_id() + 1;
    assume("tokens",
           known < network.spec().vocabulary
               ? Message("{0}, {1} of the model's {2} tokens", tokenizer.made_from(), known, network.spec().vocabulary)
               : tokenizer.made_from());
  }
  if (const std::string text = input_of(network, scenario); !network.spec().picture && text != scenario.text)
    assume("text", Message("{0}, since none was given", text));
  for (const Message& note : network.spec().notes) assume("model", note);
  if (!pass.knock_out.empty()) {
    const std::string heads = comma_list(pass.knock_out, [&](const auto& at) {
      return network.layer(at.first).layer + "." + std::to_string(at.second);
    });
    assume("knocked out",
           Message(pass.means ? "{0}: these heads' outputs are their means" : "{0}: these heads' outputs are zero",
                   heads));
  }
  return notes;
}

std::shared_ptr<const Network> find_network(const Scenario& s, const std::shared_ptr<const Network>& last) {
  if (s.source != Source::file || s.x) return nullptr;
  if (is_model_folder(s.file)) return open_network(s, last);
  const bool by_number = is_numbered(s.layer) ? torch_layers(s.file) != nullptr : comes_after_others(s);
  if (!s.text_as_input && !is_numbered(s.layer) && !by_number) return nullptr;
  try {
    std::shared_ptr<const Network> network = open_network(s, last);
    return by_number || !network->spec().takes_tensors ? network : nullptr;
  } catch (const MissingArray&) {  // the file does not hold a whole network
    if (by_number) throw;
  } catch (const UnknownModel&) {
    if (by_number) throw;
  }
  return nullptr;
}

bool is_network(const Scenario& s) {
  if (s.source == Source::file && !s.x && is_model_folder(s.file)) return true;
  try {
    return find_network(s) != nullptr;
  } catch (const InputError&) {
    return true;  // running it shows the error message
  }
}

std::shared_ptr<const NetworkRun> run_network(const Scenario& s, const std::shared_ptr<const NetworkRun>& last,
                                              RunOptions options) {
  return run_network(open_network(s, last ? last->network : nullptr), s, last, std::move(options));
}

std::shared_ptr<const NetworkRun> run_network(const std::shared_ptr<const Network>& network, const Scenario& s,
                                              const std::shared_ptr<const NetworkRun>& last, RunOptions options) {
  options.knock_out = network->knock_out_of(s.knock_out);
  if (!options.until) options.change = change_of(*network, s);
  // The words that a decoder has written are used again for the same text.
  const std::string input = input_of(*network, s);
  const bool same_words = last && !pictures_changed(last->text) && last->network == network && last->asked == input &&
                          last->knock_out == options.knock_out;
  NetworkText text = same_words ? last->text : network->read(input, options);
  const bool same = last && last->network == network && last->text == text && last->knock_out == options.knock_out &&
                    holds_requested(*last, options);
  if (same && last->change == options.change) return last;
  if (same) options.from = last.get();
  // Only the window shows a text while it grows.
  auto pass =
      std::make_shared<NetworkRun>(options.summaries ? grown_pass(*network, std::move(text), options, last.get())
                                                     : network->run(std::move(text), options));
  pass->asked = input;
  return pass;
}

std::shared_ptr<const Trace> compute_layer(const std::shared_ptr<const NetworkRun>& pass, Index layer,
                                           const Scenario& scenario, const Trace* last, const Run& run) {
  Scenario settled = scenario;
  settled.layer = pass->network->layer(layer).layer;
  pass->network->take_rules(layer, settled);
  const auto residual_of = [&](const NetworkRun& run_of) {
    return run_of.layers[static_cast<std::size_t>(layer)].residual;
  };
  const std::shared_ptr<const NetworkRun> before = last ? network_of(last->inputs) : nullptr;
  const bool same = before && before->network == pass->network && identical(residual_of(*before), residual_of(*pass)) &&
                    last->scenario.layer == settled.layer;
  Inputs inputs = pass->network->inputs_of(*pass, layer, run.threads);
  pass->network->cut_heads(layer, scenario, inputs);
  if (same) {
    const Inputs& kept_inputs = last->inputs.unedited ? *last->inputs.unedited : last->inputs;
    for (const Stage stage : all_matrices()) {
      if (is_parameter(stage)) *inputs.known(stage) = keep_if_equal(inputs.matrix(stage), kept_inputs.matrix(stage));
    }
  }
  Rules& own = inputs.rules = rules_under(scenario, std::move(inputs.rules));
  if (same) {
    const Rules& kept = last->inputs.rules;
    own.q_norm = keep_if_equal(own.q_norm, kept.q_norm);
    own.k_norm = keep_if_equal(own.k_norm, kept.k_norm);
    own.sink_logits = keep_if_equal(own.sink_logits, kept.sink_logits);
  }
  inputs.pass = pass;
  inputs.asked = std::make_shared<const Scenario>(scenario);
  note(*pass, layer, scenario, settled, inputs);
  add_positions(scenario, inputs);
  add_settings({settled, last ? &last->scenario : nullptr, last ? &last->inputs : nullptr}, inputs);
  set_head_size(settled, inputs.dims);
  return compute(settled, std::move(inputs), last, run);
}

bool is_whole(const Trace& trace) {
  return trace.summary && trace.summary->is_whole() && (trace.overview || !trace.has(Stage::weights));
}

std::shared_ptr<const Trace> with_whole_summary(std::shared_ptr<const Trace> trace, const std::stop_token& stop) {
  if (!trace || is_whole(*trace)) return trace;
  auto completed = std::make_shared<Trace>(*trace);
  completed->summary = summarise(*trace, trace->summary.get(), false, stop);
  if (!completed->overview) completed->overview = overview_of(*trace, stop);
  return completed;
}

std::shared_ptr<const Trace> compute_any(const Scenario& scenario, const Trace* last, const Run& run) {
  if (scenario.merge == Merge::words) {
    Scenario of_tokens = scenario;
    of_tokens.merge = Merge::none;
    Run whole = run;
    whole.last.reset();
    whole.scores_kept.reset();
    whole.most_kept.reset();
    whole.summary = Summary::none;
    const auto pieces = compute_any(of_tokens, last ? last->pieces.get() : nullptr, whole);
    return with_overview(merged_words(pieces, last && last->pieces ? last : nullptr, run), last, run);
  }
  if (last && last->pieces) last = last->pieces.get();
  const std::shared_ptr<const NetworkRun> before = last ? network_of(last->inputs) : nullptr;
  const std::shared_ptr<const Network> network = find_network(scenario, before ? before->network : nullptr);
  if (!network) {
    if (!scenario.knock_out.empty())
      throw SettingError("--knock-out", "is set, but this is no network", "expected a model's folder or model:ID");
    if (!scenario.image.empty() && scenario.grid.empty())
      throw SettingError("--image", "is set, but this is no network",
                         "expected a model that reads pictures, or --grid 14x14, the keys' patches");
    return with_overview(compute(scenario, last, run), last, run);
  }
  check_settings(scenario);
  refuse_settings(scenario, network->attention_of(network->layer_named(scenario.layer)));
  RunOptions options;
  options.threads = run.threads;
  options.stop = run.stop;
  if (run.summary == Summary::none) {  // the other layers and the prediction are not shown
    options.until = network->layer_named(scenario.layer);
    options.weights = false;
    options.logits = RunOptions::Logits::none;
  } else {  // the window shows all layers, as small pictures
    options.summaries = options.parts = true;
    options.most_weights = 16'000'000;
  }
  const std::shared_ptr<const NetworkRun> pass = run_network(network, scenario, before, options);
  return with_overview(compute_layer(pass, pass->network->layer_named(scenario.layer), scenario, last, run), last, run);
}

}  // namespace headlight
