#include "ui/session/autosave.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/tensor/error.h"
#include "core/text/utf8_path.h"
#include "ui/document/action.h"

namespace headlight {
namespace {

constexpr double seconds_between_keeping = 0.5;

}  // namespace

void Autosave::begin(const std::filesystem::path& folder, Document& document) {
  journal_ = std::make_unique<Journal>(folder);
  look_for_offer(document);
}

double Autosave::seconds_to_keeping() const {
  if (!journal_ || !touched_) return std::numeric_limits<double>::infinity();
  const double since = std::chrono::duration<double>(Clock::now() - kept_).count();
  return std::max(seconds_between_keeping - since, 0.0);
}

void Autosave::keep(const Document& document, const std::optional<TypedLine>& typed,
                    const std::deque<std::string>& log) {
  if (seconds_to_keeping() > 0) return;
  touched_ = false;
  kept_ = Clock::now();
  if (!is_worth_keeping(document) && !typed) {
    if (!std::exchange(kept_text_, {}).empty()) journal_->close();
    return;
  }
  std::string now = recovery_text(document, typed, log);
  if (now == kept_text_) return;
  kept_text_ = std::move(now);
  journal_->keep(kept_text_);
}

void Autosave::close() {
  if (journal_) journal_->close();
}

// The newest that can be read; what cannot is not offered again.
void Autosave::look_for_offer(Document& document) {
  found_.reset();
  offered_.reset();
  while (auto found = journal_->find()) {
    try {
      offered_ = recovered(found->text, utf8_from(found->file));
      found_ = std::move(found);
      return;
    } catch (const InputError& error) {
      document.error = error.message();
      journal_->set_aside(*found);
    }
  }
}

std::optional<TypedLine> Autosave::take_offer(Document& document) {
  take_over(document, std::move(offered_->document));
  touched_ = true;
  kept_ = {};
  return std::move(offered_->typed);
}

std::string Autosave::take_trouble() {
  if (!journal_ || told_) return {};
  std::string trouble = journal_->trouble();
  told_ = !trouble.empty();
  return trouble;
}

void Autosave::drop_offer(Document& document) {
  keep(document, {}, {});
  journal_->wait();  // kept by this window before the old one's is let go of
  journal_->forget(*found_);
  look_for_offer(document);
}

}  // namespace headlight
