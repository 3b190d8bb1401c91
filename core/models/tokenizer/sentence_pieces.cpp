// SentencePiece's own files (Kudo & Richardson 2018): tokenizer.model, spiece.model, source.spm. Each is a protocol
// buffers message (github.com/google/sentencepiece, sentencepiece_model.proto). The tokens around a line and a shift of
// the ids depend on the tokenizer class in transformers.
#include <algorithm>
#include <bit>

#include "core/base/files/load_budget.h"
#include "core/base/tensor/message.h"
#include "core/base/text/utf8_path.h"
#include "core/models/tokenizer/saved_settings.h"
#include "core/models/tokenizer/token_pipeline.h"

namespace headlight {
namespace {

/// Reads the fields of a message in order.
class Fields {
 public:
  Fields(std::string_view bytes, const ErrorPlace& place) : rest_(bytes), place_(place) {}
  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t key = varint();
    field = key >> 3;
    const std::uint64_t kind = key & 7;
    number = 0;
    bytes = {};
    if (kind == 0) number = varint();
    else if (kind == 1) bytes = take(8);
    else if (kind == 2) bytes = take(varint());
    else if (kind == 5) bytes = take(4);
    else place_.fail_damaged("holds a field that is cut");
    return true;
  }
  float real() const {
    if (bytes.size() != 4) place_.fail_damaged("holds a score that is no number");
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i)
      bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return std::bit_cast<float>(bits);
  }
  std::uint64_t field = 0, number = 0;
  std::string_view bytes;

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    place_.fail_damaged("holds a number that does not end");
  }
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) place_.fail_damaged("ends within a field");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  const ErrorPlace& place_;
};

struct Piece {
  enum Kind : std::uint64_t { usual = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };
  std::string text;
  double score = 0;
  std::uint64_t kind = usual;
};

struct PieceFile {
  std::vector<Piece> pieces;
  bool pairs = false, bytes = false;
  PieceCleaning cleaning;
  std::string charsmap;
};

Piece piece_of(Fields message) {
  Piece piece;
  while (message.next()) {
    if (message.field == 1) piece.text = message.bytes;
    if (message.field == 2) piece.score = static_cast<double>(message.real());
    if (message.field == 3) piece.kind = message.number;
  }
  return piece;
}

PieceFile read_pieces(const std::filesystem::path& path, const ErrorPlace& place) {
  LoadBudget budget(place);
  const std::string text = budget.text_of(path);
  PieceFile file;
  const auto submessage = [&](const Fields& message) { return Fields(message.bytes, place); };
  for (Fields message(text, place); message.next();) {
    if (message.field == 1) {
      budget.strings(1);
      file.pieces.push_back(piece_of(submessage(message)));
    }
    for (Fields trainer = submessage(message); message.field == 2 && trainer.next();) {
      if (trainer.field == 3 && trainer.number != 1 && trainer.number != 2)
        place.fail("holds whole words or characters, which is not known here", "a Unigram or BPE model");
      if (trainer.field == 3) file.pairs = trainer.number == 2;
      if (trainer.field == 24) file.cleaning.blank_last = trainer.number != 0;
      if (trainer.field == 35) file.bytes = trainer.number != 0;
    }
    for (Fields normalizer = submessage(message); message.field == 3 && normalizer.next();) {
      if (normalizer.field == 2) file.charsmap = normalizer.bytes;
      if (normalizer.field == 3) file.cleaning.blank_first = normalizer.number != 0;
      if (normalizer.field == 4) file.cleaning.join_blanks = normalizer.number != 0;
      if (normalizer.field == 5) file.cleaning.mark_blanks = normalizer.number != 0;
    }
  }
  if (file.pieces.empty()) place.fail("holds no pieces", "a model as SentencePiece writes it");
  for (const Piece& piece : file.pieces) {
    if (piece.text.empty()) place.fail("holds an empty piece", "a model as SentencePiece writes it");
    if (piece.kind == Piece::user_defined) file.cleaning.kept.push_back(piece.text);
  }
  std::ranges::stable_sort(file.cleaning.kept, std::ranges::greater(), &std::string::size);
  return file;
}

/// Numbers the pieces as fairseq does: `first` takes the place of the file's first `dropped` pieces.
void number_as_fairseq(std::vector<Piece>& pieces, std::initializer_list<const char*> first, std::size_t dropped) {
  std::vector<Piece> marks;
  for (const char* mark : first)
    marks.push_back(
        {mark, 0, mark == std::string_view("<unk>") ? std::uint64_t{Piece::unknown} : std::uint64_t{Piece::control}});
  pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(std::min(dropped, pieces.size())));
  pieces.insert(pieces.begin(), marks.begin(), marks.end());
}

constexpr const char* mbart_languages[] = {
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN", "hi_IN", "it_IT", "ja_XX", "kk_KZ",
    "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP", "nl_XX", "ro_RO", "ru_RU", "si_LK", "tr_TR", "vi_VN", "zh_CN"};
constexpr const char* more_of_mbart50[] = {"af_ZA", "az_AZ", "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID",
                                           "ka_GE", "km_KH", "mk_MK", "ml_IN", "mn_MN", "mr_IN", "pl_PL",
                                           "ps_AF", "pt_XX", "sv_SE", "sw_KE", "ta_IN", "te_IN", "th_TH",
                                           "tl_XX", "uk_UA", "ur_PK", "xh_ZA", "gl_ES", "sl_SI"};

/// Applies what the tokenizer class in transformers adds to a file: more pieces, and the tokens before and after each
/// line.
void follow_class(const SavedSettings& saved, PieceFile& file, std::vector<std::string>& before,
                  std::vector<std::string>& after) {
  const std::string type = saved.tokenizer_class();
  const auto has = [&](const std::string& text) {
    return std::ranges::find(file.pieces, text, &Piece::text) != file.pieces.end();
  };
  const auto add = [&](const std::string& text) {
    if (!has(text)) file.pieces.push_back({text, 0, Piece::control});
  };
  bool adds_bos = false, adds_eos = false;
  if (type == "T5Tokenizer") {
    const auto size = static_cast<Index>(file.pieces.size());
    const Index extra =
        saved.whole("extra_ids").value_or(saved.vocabulary().value_or(size + 100) >= size + 100 ? 100 : 0);
    for (Index i = std::min<Index>(extra, 10'000); i-- > 0;) add("<extra_id_" + std::to_string(i) + ">");
    adds_eos = true;
  } else if (type == "MarianTokenizer") {
    adds_eos = true;
  } else if (type == "LlamaTokenizer" || type == "LLaMATokenizer" || type == "CodeLlamaTokenizer" ||
             type == "GemmaTokenizer") {
    adds_bos = true;
  } else if (type == "XLMRobertaTokenizer" || type == "MBartTokenizer" || type == "MBart50Tokenizer") {
    number_as_fairseq(file.pieces, {"<s>", "<pad>", "</s>", "<unk>"}, 3);
    adds_bos = type == "XLMRobertaTokenizer";
    adds_eos = true;
  } else if (type == "CamembertTokenizer") {
    number_as_fairseq(file.pieces, {"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED"}, 1);
    adds_bos = adds_eos = true;
  }
  const std::string language = saved.token("src_lang").value_or("en_XX");
  if (type == "MBart50Tokenizer") before.push_back(language);
  if (saved.flag("add_bos_token").value_or(adds_bos)) before.push_back(saved.token("bos_token").value_or("<s>"));
  if (saved.flag("add_eos_token").value_or(adds_eos)) after.push_back(saved.token("eos_token").value_or("</s>"));
  for (std::vector<std::string>* marks : {&before, &after}) {
    if (!marks->empty() && marks->front().empty())
      marks->front() = marks == &before ? "<s>" : "</s>";  // LLaMA 1's settings have ""
  }
  if (type == "MBartTokenizer" || type == "MBart50Tokenizer") {
    for (const char* each : mbart_languages) add(each);
    if (type == "MBartTokenizer") after.push_back(language);
  }
  if (type == "MBart50Tokenizer") {
    for (const char* each : more_of_mbart50) add(each);
  }
  if (type == "XLMRobertaTokenizer" || type == "CamembertTokenizer" || type.starts_with("MBart")) add("<mask>");
}

std::unique_ptr<const TokenModel> model_of(const PieceFile& file, const ErrorPlace& place) {
  if (!file.pairs) {
    UnigramRules rules;
    rules.bytes = file.bytes;
    rules.single = true;
    for (const Piece& piece : file.pieces) {
      if (piece.kind == Piece::unknown && !rules.unknown) rules.unknown = std::ssize(rules.pieces);
      rules.pieces.push_back({piece.text, piece.score,
                              piece.kind == Piece::usual          ? UnigramRules::Kind::usual
                              : piece.kind == Piece::user_defined ? UnigramRules::Kind::kept
                                                                  : UnigramRules::Kind::apart});
    }
    return unigram_model(std::move(rules), place.path);
  }
  PairRules rules;
  std::vector<ScoredPiece> scored;
  for (const Piece& piece : file.pieces) {
    rules.vocabulary.emplace(piece.text, std::ssize(scored));
    if (piece.kind == Piece::unknown && !rules.unknown) rules.unknown = piece.text;
    scored.push_back({piece.text, piece.score, piece.kind == Piece::usual});
  }
  add_merges(scored, rules);
  rules.kept = file.cleaning.kept;
  rules.bytes = file.bytes;
  rules.join_unknown = true;
  return pair_model(std::move(rules), place.path);
}

/// Pieces of one file with the ids of another, as Marian has them.
class Renumbered final : public TokenModel {
 public:
  Renumbered(std::unique_ptr<const TokenModel> model, Vocabulary ids)
      : model_(std::move(model)), ids_(std::move(ids)) {}
  void append(std::string_view word, std::vector<Token>& tokens) const override {
    std::vector<Token> pieces;
    model_->append(word, pieces);
    for (const Token& piece : pieces) {
      const auto known = ids_.find(piece.text), found = known == ids_.end() ? ids_.find("<unk>") : known;
      if (found == ids_.end()) fail_unknown(ids_, piece.text);
      tokens.push_back({found->second, found->first});
    }
  }
  std::optional<std::string> text_of(Index id) const override { return spelled(ids_, id); }
  Index last_id() const override { return headlight::last_id(ids_); }

 private:
  std::unique_ptr<const TokenModel> model_;
  Vocabulary ids_;
};

}  // namespace

std::unique_ptr<const TokenSplitter> open_sentence_pieces(const std::filesystem::path& path,
                                                          const std::filesystem::path& vocabulary) {
  const ErrorPlace place{utf8_from(path)};
  PieceFile file = read_pieces(path, place);
  const SavedSettings saved(path.parent_path());
  TokenizerParts parts;
  std::vector<std::string> before, after;
  follow_class(saved, file, before, after);
  Vocabulary ids;
  if (vocabulary.empty()) {
    for (std::size_t i = 0; i < file.pieces.size(); ++i) ids.emplace(file.pieces[i].text, static_cast<Index>(i));
  } else {
    ids = read_vocabulary(vocabulary);
  }
  const auto token_of = [&](const std::string& text) -> Token {
    const auto found = ids.find(text);
    if (found == ids.end())
      place.fail(Message("has no {0}, which stands around each line", in_quotes(text)), "the pieces of its tokenizer");
    return {found->second, text};
  };
  for (const std::string& text : before) parts.before.push_back(token_of(text));
  for (const std::string& text : after) parts.after.push_back(token_of(text));
  parts.added = saved.added_tokens(ids);
  const auto find_in_text = [&](const std::string& text) {
    if (std::ranges::find(parts.added, text, &AddedToken::text) == parts.added.end())
      parts.added.push_back({.id = ids.at(text), .text = text, .takes_before = text == "<mask>"});
  };
  for (const Piece& piece : file.pieces) {
    if ((piece.kind == Piece::control || piece.kind == Piece::unknown) && ids.contains(piece.text))
      find_in_text(piece.text);
  }
  for (const auto& [text, id] : ids) {
    if (!vocabulary.empty() && text.starts_with(">>") && text.ends_with("<<"))
      find_in_text(text);  // a language of Marian
  }
  for (const char* name : {"<pad>", "</s>"}) {
    if (parts.padding.text.empty() && ids.contains(name)) parts.padding = {ids.at(name), name};
  }
  parts.normalizer = sentence_pieces(CharsMap(file.charsmap, place), file.cleaning);
  parts.made_from = {file.pairs ? "{0}: SentencePiece's pairs" : "{0}: SentencePiece's Unigram",
                     utf8_from(path.filename())};
  parts.model = model_of(file, place);
  if (!vocabulary.empty()) parts.model = std::make_unique<const Renumbered>(std::move(parts.model), std::move(ids));
  return assembled(std::move(parts));
}

}  // namespace headlight
