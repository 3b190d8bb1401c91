#include <algorithm>

#include "app/commands/command_line.h"
#include "core/export/export_options.h"
#include "core/scenario/settings_table.h"

namespace headlight {
namespace {

constexpr const char* introduction = R"help(Headlight shows every step of multi-head attention.

  headlight                                         a short sentence, in the window
  headlight net.npz                                 your own tensors
  headlight lesson:masked-self-attention            see `headlight list lessons`
  headlight trace net.npz -o stages.npz             every stage as an array
  headlight render net.npz --stage weights --head all -o weights.png
  headlight render --text "the cat sat" --mask "causal()" --stage weights -o weights.svg
  headlight compare net.npz mine.npz                where your own implementation goes wrong
  headlight net.npz --screenshot window.png --size 1600x900

Commands
  headlight [FILE] [settings]                       the window
  headlight [FILE] --screenshot OUT.{png,pdf,svg}   the window's picture, in a PDF or SVG as vectors; needs no display; --bare: the view alone
  headlight [FILE] --animation OUT.{png,gif}|DIR/   from the sentence to its next word, in a minute; a folder gets numbered PNGs
     [--level pipeline] [--seconds-per-step X]      the step player's moments on all matrices at once, each for X seconds
  headlight --watch NAME                            the attention of a running model, after headlight.watch(model) in Python
  headlight [FILE] --frames N                       draws N frames; times as JSON
  headlight trace [FILE] -o OUT.{npz,json}          every stage as an array; --parameters adds W_q ... b_o,
                                                    --contributions what each weight brings: contribution_norms
  headlight trace MODEL --text "..." --layer N|all [--stages weights,...] -o OUT.npz     layers of a network, on their true input
  headlight trace [FILE] --time N                   computes N times; times as JSON
  headlight render [FILE] --stage STAGE [figure] -o OUT.{ENDINGS}
  headlight explain [FILE] --cell STAGE:b,h,row,col [--json]     the arithmetic behind one number
  headlight explain MODEL --text "..." --cell logit_parts:b,q,WORD[,PART] [--json]   what a logit, or a part of it, is the sum of
  headlight compare FILE MINE [--json]              your own stages beside the right ones, and the mistake that gives them
  headlight FILE --compare MINE                     the same in the window, yours beside the right ones
  headlight compare FILE FOLDER/ [--table OUT.{csv,json}]        the same for each file of a folder, a line each
  headlight bundle [FILE] -o OUT[.zip] [figure]    a folder or zip: figure, data, scenario, trace, reproduce.py
  headlight predict MODEL --text "..." [--top N] [--knock-out L.H,...] [--json]   what a network says next
     [--temperature X] [--top-k N] [--top-p X] [--write N]       what a word is drawn by; N words of it, by --seed
     [--why WORD[,OTHER]] [--lens]                  the word's logit as a sum over heads and MLPs; what it would say after each layer
     [--ablate mean --texts FILE]                   in the place of heads that are left out their mean over FILE, not zero
     [--image FILE]                                 in place of --text, for networks that read pictures
  headlight heads MODEL --texts FILE [--json|--csv] what each head does over many sentences, one a line
     [--ablate mean]                                the effect also with its mean over FILE in a head's place
  headlight patch MODEL --text "..." --from "..." --what residual|heads|mlp --word W[,OTHER] [--json]   one sentence's states put into another
  headlight lesson FILE|ID --check                  everything that is wrong in a lesson file, with its path
  headlight lesson FILE|ID --worksheet OUT.pdf [--key]   a page to hand out, with the answers; --language en|zh
  headlight handout [FILE] -o OUT.pdf               the sentence and every stage on paper; --head H --paper a4|letter --language en|zh
  headlight mask-code [FILE] [--as pytorch|flex|numpy] [-o OUT.py]  the mask as Python that makes it; without -o on standard output
  headlight list stages|masks|lessons|models|colormaps|languages [--json];  headlight list layers MODEL [--json]
  headlight --help, --version

FILE is tensors (.npz, .safetensors, .pt), a scenario (.json), lesson:ID or a MODEL: a folder as Hugging Face, nanoGPT
and Meta save it, its file, or model:ID. Without one: the default lesson;
also --random in its place, but for compare.
)help";

constexpr const char* other_options = R"help(
Of explain
  --cell takes four numbers, 0 where the stage has no such axis, or just the stage's own: Q:0,3,5 W_q:2,7 b_q:4.
  --json writes stage, index (the stage's own axes), value, formula, terms; value is the sum of factor · value over the
  terms, plus the quantities marked "added" (softmax: factors are exponentials, to be divided by the quantity "sum").
  NaN and infinities are the strings "NaN", "Infinity", "-Infinity".
Of compare
  MINE is an .npz, .safetensors or .pt that holds your arrays under names of stages (headlight list stages), as many as you have:
  np.savez("mine.npz", weights=weights, output=output). Equal is |a − b| <= 1e-5 + 1e-4·|b|.
  Without --mask, a mask that the numbers show is taken for meant, and said. The search for mistakes ends after nine seconds.
  --json writes match, stages (stage, present, max_abs_error, at), first_difference, diagnosis (id, explanation, most likely
  first), assumed_mask where one was taken. Where one side alone is infinite or NaN, max_abs_error is the largest double.
Of the window
  --view pipeline|heads|map[:STAGE[:Q0:Q1,K0:K1]]|mask[:SHEET]|compare|lesson --level sentence|pipeline|operation:STAGE|operation:journey|operation:geometry|operation:next|operation:why --lesson-step K --step K --way row|column|dot|outer --select STAGE:b,h,row,col --theme light|dark
  --colormap NAME --range row|head|stage|LO:HI --size WxH --language en|zh --present --scale-factor X (pixels to a point, off screen)
  --look TEXT  what only a hand chooses, as Export's copied command line says it: "zoom=1.5;heads=0,2"

Exit status: 0 done; 1 compare found a difference; 2 the input or the command line is wrong.
)help";

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

template <typename Option>
void append_options(std::string& text, const char* heading, std::span<const Option> options) {
  text += heading;
  for (const Option& option : options) {
    if (option.option.empty()) continue;
    const std::string words = std::string(option.option) + " " + std::string(option.operand);
    text += "  " + padded(words, 32) + std::string(option.help) + "\n";
  }
}

}  // namespace

std::string help_text() {
  std::string text = introduction;
  std::string endings;
  for (const char* ending : export_endings()) (endings += endings.empty() ? "" : ",") += ending + 1;
  const std::string_view place = "ENDINGS";
  text.replace(text.find(place), place.size(), endings);
  append_options(text, "\nSettings\n", all_settings());
  append_options(text, "\nFigure: of render and bundle\n", all_export_options());
  return text + other_options;
}

}  // namespace headlight
