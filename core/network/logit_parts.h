// The parts of a logit: what each head, MLP and embedding adds to the score of a next word (direct logit attribution,
// Elhage et al. 2021).
//
// The residual stream is a sum, and so is a logit where norms keep the scale that they have in this pass: the last
// norm, in post-norm networks those between the blocks too, and a soft-cap as the factor that it is here. A LayerNorm's
// mean is taken from every part. The values add up to the logit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/network/network.h"

namespace headlight {

struct LogitPart {
  enum class What : std::uint8_t {
    token,           ///< the word's row of the embedding
    position,        ///< the row of where it stands
    head,            ///< one head's output, through the output projection
    attention_bias,  ///< of the output projection, and of a norm after the attention
    mlp,             ///< the whole MLP, with a bias of the norm after it
    final_bias,      ///< of the last norm and of the word table
  };
  What what{};
  std::optional<Index> layer{};  ///< of network->layers()
  std::optional<Index> head{};
  double value = 0;
  std::vector<double> sources{};  ///< of a head, from each key's value: they add up to it; empty where not known
  // Where it comes from: value = Σ state · direction + constant.
  std::vector<double> state{};      ///< the row that is added: of a head its output before the projection
  std::vector<double> direction{};  ///< what each of its numbers counts for the logit
  double constant = 0;              ///< of biases
};
/// "token", "attention_bias" …, as files know them.
std::string_view name(LogitPart::What what);

struct LogitParts {
  Index word = 0;
  std::optional<Index> other{};
  double logit = 0;  ///< of the word, less the other's, as the pass gave it
  std::vector<LogitPart> parts{};
};

/// The token that a person's word is when it goes on a line of text: "is" is GPT-2's "␣is" after a word, else "is".
/// Throws SettingError named `option` for a word that the vocabulary does not have or has in pieces.
Token next_token(const Network& network, const std::string& line, const std::string& word, std::string_view option);

/// The line that the batch entry was read from; "" where its words do not follow from it.
std::string line_of(const NetworkRun& run, Index batch);
/// A word whose logit is asked for, and one whose logit is taken off it.
struct AskedWord {
  Token word;
  std::optional<Token> other;
  std::optional<Index> other_id() const { return other ? std::optional(other->id) : std::nullopt; }
  /// "is", "is − are"
  std::string text() const { return other ? word.text + " − " + other->text : word.text; }
};
/// Of "is", or of "is,are"; a comma alone is a word. Throws as next_token().
AskedWord asked_word(const Network& network, const std::string& line, const std::string& words,
                     std::string_view option);
/// The same after the batch entry's line; of "" the most likely next word.
AskedWord asked_word(const NetworkRun& run, Index batch, const std::string& words, std::string_view option);

/// What a network would say if it ended with a block (the logit lens, nostalgebraist 2020): through the last norm and
/// the word table. One entry for each block of the last stack, each with one for each position.
struct LensCell {
  LikelyToken likely;         ///< the most likely word there
  double probability_of = 0;  ///< and how likely is already what the whole network says in the end
};
std::vector<std::vector<LensCell>> lens_of(const NetworkRun& run, Index batch);
/// The entry of one block of the last stack.
std::vector<LensCell> lens_after(const NetworkRun& run, Index batch, Index block);

/// The effect of another text's states on a word's logit, less another's, where the network predicts.
struct PatchGrid {
  double before = 0;                      ///< the logit without a patch
  double after_all = 0;                   ///< with every patch of the grid at once
  std::vector<std::vector<double>> grid;  ///< [layer][position], of heads [layer][head]
};
/// "residual", "heads", "mlp".
std::string_view name(Patch::What what);
/// Throws SettingError for --what.
Patch::What state_named(std::string_view word);

/// Both texts have one line of as many tokens; `other`: a word whose logit is taken off. `told` gets the grid as far as
/// it is and the share that is done. Throws SettingError where they differ in length or the network has two stacks,
/// Cancelled.
PatchGrid patch_grid(const Network& network, const NetworkText& text, const NetworkText& from, Patch::What what,
                     Index word, const RunOptions& options = {},
                     const std::function<void(const PatchGrid& so_far, double share)>& told = {},
                     std::optional<Index> other = {});

}  // namespace headlight
