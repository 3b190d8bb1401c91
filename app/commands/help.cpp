#include <sstream>

#include "app/commands/command_line.h"
#include "core/base/text/texts.h"
#include "core/compute/training/settings.h"
#include "core/figures/export/export_options.h"
#include "core/scenario/settings/scenario_view.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

constexpr const char* introduction = R"help(Headlight shows every step of multi-head attention.

  headlight                                         a trained model reads a sentence, in the window
  headlight net.npz                                 your own tensors
  headlight lesson:weighted-average                 a lesson; `headlight list lessons` names them all
  headlight trace net.npz -o stages.npz             every stage as an array
  headlight render net.npz --stage weights --head all -o weights.png
  headlight render --text "the cat sat" --mask "causal()" --stage weights -o weights.svg
  headlight compare net.npz mine.npz                where your own implementation goes wrong
  headlight net.npz --screenshot window.png --size 1600x900

Commands
  headlight COMMAND --help                          the part of this text that is about one command
  headlight [FILE] [settings]                       the window
  headlight [FILE] --screenshot OUT.{png,pdf,svg}   a picture of the window, as vectors in a PDF or SVG; needs no display
  headlight [FILE] --animation OUT.{png,gif}|DIR/   from the sentence to its next word, in a minute; a folder gets numbered PNGs
     [--level pipeline] [--seconds-per-step X]      the step player's moments on all matrices at once, each for X seconds
  headlight --watch NAME                            the attention of a running model, after headlight.watch(model, NAME) in Python
  headlight [FILE] --frames N                       draws N frames and prints the times as JSON
  headlight trace [FILE] -o OUT.{npz,json}          every stage as an array; --parameters adds W_q ... b_o,
                                                    --contributions adds contribution_norms: how much each key contributes
  headlight trace MODEL --text "..." --layer N|all [--stages weights,...] -o OUT.npz     layers of a network, on their true input
  headlight trace [FILE] --time N                   computes N times and prints the times as JSON
  headlight render [FILE] --stage STAGE [figure] -o OUT.{ENDINGS}
                                                    a figure, or its numbers
  headlight explain [FILE] --cell STAGE:b,h,row,col [--json]     the arithmetic behind one number
  headlight explain MODEL --text "..." --cell logit_parts:b,q,WORD[,PART] [--json]   the sum that gives a logit, or a part of it
  headlight compare FILE MINE [--json]              your own stages beside the right ones, and the mistake that gives your numbers
  headlight FILE --compare MINE                     the same in the window
  headlight compare FILE FOLDER/ [--table OUT.{csv,json}]        the same for each file of a folder, one line each
  headlight bundle [FILE] -o OUT[.zip] [figure]     a folder or zip: figure, data, scenario, trace, reproduce.py
  headlight predict MODEL --text "..." [--top N] [--knock-out L.H,...] [--json]   what a network says next
     [--temperature X] [--top-k N] [--top-p X] [--write N]       how a word is drawn; writes N words, drawn by --seed
     [--why WORD[,OTHER]]                           the word's logit as a sum over heads and MLPs
     [--lens]                                       what the network would say after each layer
     [--ablate mean --texts FILE]                   knocked-out heads give their mean over FILE, not zero
     [--image FILE]                                 in place of --text, for networks that read pictures
  headlight heads MODEL --texts FILE [--json|--csv] what each head does over many sentences, one per line
     [--ablate mean]                                also the effect of putting the head's mean over FILE in its place
  headlight patch MODEL --text "..." --from "..." --what residual|heads|mlp --word W[,OTHER] [--json]   states of one sentence put into another
  headlight page [FILE] -o OUT.html                 the whole program as one page, offline, that opens at this document
  headlight lesson FILE|ID --check                  every mistake in a lesson file, with its path
  headlight lesson FILE|ID --worksheet OUT.pdf [--key]   a page to hand out, without or with the answers; --language en|zh
  headlight handout [FILE] -o OUT.pdf               the sentence and every stage on paper; --head H --paper a4|letter --language en|zh
  headlight mask-code [FILE] [--as pytorch|flex|numpy] [-o OUT.py]  Python code that makes the mask; without -o on standard output
  headlight train TASK|FILE.txt [-o FOLDER] [--json] [--gradients G.npz]   a small network learns a task, or a file's sentences
  headlight list stages|masks|lessons|models|tasks|colormaps|languages [--json]   what there is to choose from
  headlight list layers MODEL [--json]              the attention layers of a network
  headlight --help, --version

FILE is tensors (.npz, .safetensors, .pt), a scenario (.json), lesson:ID or a MODEL: a folder as Hugging Face, nanoGPT
and Meta save it, its file, or model:ID. --random in its place gives random input, but not for compare. Without FILE,
--text makes random weights, other settings change lesson:first-light, and no settings at all open a trained model.
)help";

constexpr const char* explain_help = R"help(
Of explain
  --cell takes four numbers, 0 where the stage has no such axis, or just the stage's own: Q:0,3,5 W_q:2,7 b_q:4.
  --json writes stage, index (the stage's own axes), value, formula, terms. The value is the sum of factor · value over the
  terms, plus the quantities marked "added". For the softmax, factors are exponentials, to be divided by the quantity "sum".
  NaN and infinities are the strings "NaN", "Infinity", "-Infinity".
)help";

constexpr const char* compare_help = R"help(
Of compare
  MINE is an .npz, .safetensors or .pt that holds your arrays under names of stages (headlight list stages). Some are enough:
  torch.save({"weights": weights, "output": output}, "mine.pt"). Equal is |a − b| <= 1e-5 + 1e-4·|b|.
  Without --mask, a mask that your numbers show is used, and this is said. The search for mistakes ends after nine seconds.
  --json writes match, stages (stage, present, max_abs_error, at), first_difference, diagnosis (id, explanation; the most
  likely first), and assumed_mask if one was used. If only one side is infinite or NaN, max_abs_error is the largest double.
)help";

constexpr const char* window_help = R"help(
Of the window
  --view VIEWS
                                  also map:STAGE:Q0:Q1,K0:K1, a part of a matrix; mask:SHEET with patterns, conventions,
                                  reach, cost or side_by_side
  --level sentence|pipeline|operation:STAGE
                                  also operation:journey, operation:geometry, operation:next, operation:why
  --lesson-step K                 the step of a lesson
  --step K                        the moment of the player
  --way row|column|dot|outer      the order in which matrix products are shown
  --select STAGE:b,h,row,col      the selected cell
  --colormap NAME --range row|head|stage|LO:HI --theme light|dark --language en|zh
  --size WxH                      of the picture or of the frames
  --scale-factor X                pixels to a point, without a display
  --bare                          the view alone, without the panels
  --present                       the presentation: large type, no controls
  --look TEXT                     what the command line that Export copies says of the view: "zoom=1.5;heads=0,2"
)help";

constexpr const char* train_help = R"help(
Of train
  TASK is one of headlight list tasks. -o FOLDER writes a model that opens like any other; where it is GPT-2's shape (--mlp,
  learned positions, causal(), no more), as GPT-2's files. A step of a run opens without a folder, too:
  headlight "train:reverse;heads=4;seed=1@40" is the network after 40 steps. --gradients writes the last step before its
  update: param.NAME, grad.NAME, tokens, targets, loss, layers.N.STAGE and layers.N.d_STAGE.
)help";

constexpr const char* exit_help =
    "\nExit status: 0 done; 1 compare found a difference; 2 the input or the command line is wrong.\n";

constexpr std::size_t option_width = 34;

/// An option with what it takes, and its meaning: beside it, or in the next line if it is long.
std::string option_line(std::string words, std::string_view help) {
  if (words.size() < option_width) words.resize(option_width, ' ');
  else words += '\n' + std::string(option_width, ' ');
  return words + std::string(help) + '\n';
}

template <typename Option>
std::string options_text(const char* heading, std::span<const Option> options) {
  std::string text = heading;
  for (const Option& option : options) {
    if (option.option.empty()) continue;
    text += option_line("  " + std::string(option.option) + " " + std::string(option.operand), option.help);
  }
  return text;
}

std::string introduction_text() {
  std::string endings;
  for (const char* ending : export_endings()) (endings += endings.empty() ? "" : ",") += ending + 1;
  return replaced(introduction, "ENDINGS", endings);
}

std::string window_text() {
  std::string views;
  for (const ViewRow& row : view_rows) views.append(views.empty() ? "" : "|").append(row.name);
  return replaced(window_help, "VIEWS", views);
}

/// The settings of a run.
std::string training_text() {
  std::string text = train_help;
  for (const TrainingSetting& setting : training_settings())
    text += option_line("  " + setting.option() + " " + std::string(setting.operand), setting.help);
  return text;
}

std::string figure_text() { return options_text("\nFigure: of render and bundle\n", all_export_options()); }

/// Whether it can be the name of a command: not a file, lesson:ID or an option.
bool may_be_command(const std::string& word) {
  return !word.empty() && word[0] != '-' && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos;
}

/// The lines of the introduction that begin with the command, with the lines that continue them.
std::string command_lines(const std::string& command) {
  if (!may_be_command(command)) return "";
  std::istringstream lines(introduction_text());
  std::string found, line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (!line.starts_with("   ")) inside = line.starts_with("  headlight " + command + " ");
    if (inside) found += line + '\n';
  }
  return found;
}

}  // namespace

std::string help_text() {
  return introduction_text() + options_text("\nSettings\n", all_settings()) + figure_text() + explain_help +
         compare_help + training_text() + window_text() + exit_help;
}

std::string help_text(const std::string& command) {
  std::string text = command_lines(command);
  if (text.empty()) return help_text();
  if (command == "render" || command == "bundle") text += figure_text();
  if (command == "explain") text += explain_help;
  if (command == "compare") text += compare_help;
  if (command == "train") return text + training_text();
  if (command != "list" && command != "lesson") text += "\n`headlight --help` lists the settings, such as --mask.\n";
  return text;
}

}  // namespace headlight
