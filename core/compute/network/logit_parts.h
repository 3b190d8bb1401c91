// The parts of a logit: what each head, MLP and embedding adds to the logit of a next word (direct logit attribution,
// Elhage et al. 2021).
//
// The residual stream is a sum, and a logit is one too if norms keep the scale of this pass: the last norm, in
// post-norm networks also those between the blocks, and a soft-cap as a constant factor. The mean of a LayerNorm is
// subtracted from every part. The values add up to the logit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compute/network/network.h"

namespace headlight {

struct LogitPart {
  enum class What : std::uint8_t {
    token,           ///< the word's row of the embedding
    position,        ///< the row of its position
    head,            ///< one head's output, through the output projection
    attention_bias,  ///< of the output projection, and of a norm after the attention
    mlp,             ///< the whole MLP, with a bias of the norm after it
    final_bias,      ///< of the last norm and of the word table
  };
  What what{};
  std::optional<Index> layer{};  ///< of network->layers()
  std::optional<Index> head{};
  double value = 0;
  std::vector<double> sources{};  ///< for a head: the part of each key's value, which add up to it; empty if unknown
  // The computation: value = Σ state · direction + constant.
  std::vector<double> state{};      ///< the row that is added; for a head, its output before the projection
  std::vector<double> direction{};  ///< the effect of each of its numbers on the logit
  double constant = 0;              ///< from biases
};
/// The name in files: "token", "attention_bias" …
std::string_view name(LogitPart::What what);

struct LogitParts {
  Index word = 0;
  std::optional<Index> other{};
  double logit = 0;  ///< of the word, minus the other's, as the pass computed it
  std::vector<LogitPart> parts{};
};

/// The network's prediction if it ended after a block (the logit lens, nostalgebraist 2020): through the last norm and
/// the word table. One entry for each block of the last stack, each with one for each position.
struct LensCell {
  LikelyToken likely;         ///< the most likely word after this block
  double probability_of = 0;  ///< the probability after this block of the network's final prediction
};
std::vector<std::vector<LensCell>> lens_of(const NetworkRun& run, Index batch);
/// The entry of one block of the last stack.
std::vector<LensCell> lens_after(const NetworkRun& run, Index batch, Index block);

/// The effect of another text's states on the logit of the predicted word (minus that of another word).
struct PatchGrid {
  double before = 0;                      ///< the logit without a patch
  double after_all = 0;                   ///< with all patches of the grid at once
  std::vector<std::vector<double>> grid;  ///< [layer][position], for heads [layer][head]
};
/// "residual", "heads", "mlp".
std::string_view name(Patch::What what);
/// Throws SettingError for --what.
Patch::What state_named(std::string_view word);

/// Both texts have one line with the same number of tokens. `other`: a word whose logit is subtracted. `told` receives
/// the grid so far and the finished share. Throws SettingError if the texts differ in length or the network has two
/// stacks, Cancelled.
PatchGrid patch_grid(const Network& network, const NetworkText& text, const NetworkText& from, Patch::What what,
                     Index word, const RunOptions& options = {},
                     const std::function<void(const PatchGrid& so_far, double share)>& told = {},
                     std::optional<Index> other = {});

}  // namespace headlight
