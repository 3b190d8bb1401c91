#include "ui/session/laid_over.h"

#include "ui/document/beside.h"

namespace headlight {

void LaidOver::follow(Document& document) {
  const bool current = document.trace && document.computed == document.scenario;
  const bool other = document.own != own_ || document.trace != trace_;
  if (other && document.own && current) {
    own_ = document.own;
    trace_ = document.trace;
    comparer_.submit(document.trace, *document.own);
  } else if (!document.own && own_) {
    comparer_.stop();
    own_.reset();
    trace_.reset();
  }
  if (auto result = comparer_.take(); result && document.own == result->source && result->trace == document.trace) {
    show_beside(document, std::move(result));
  }
  document.searching = comparer_.progress();
}

void LaidOver::wait(Document& document) {
  follow(document);
  if (auto result = comparer_.wait()) show_beside(document, std::move(result));
  document.searching = comparer_.progress();
}

bool LaidOver::is_settled(const Document& document) const {
  if (!document.own) return true;
  return document.beside && !document.searching.busy && own_ == document.own && trace_ == document.trace;
}

}  // namespace headlight
