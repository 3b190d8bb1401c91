// The sheets' pictures, kept while what they were made from stays the same.
#include "ui/pictures.h"

namespace headlight {

const ReachPicture& reach_picture(const Frame& frame, Rect area) {
  Pictures& kept = frame.pictures;
  const Index query = chosen_query(frame);
  if (!holds(kept.reach_key, frame, area) || kept.reach_query != query) {
    kept.reach = make_reach_picture(frame, area, query, kept.reach_numbers);
    kept.reach_key = sheet_key(frame, area);
    kept.reach_query = query;
  }
  return kept.reach;
}

const CostPicture& cost_picture(const Frame& frame, Rect area) {
  Pictures& kept = frame.pictures;
  if (!holds(kept.cost_key, frame, area)) {
    kept.cost = make_cost_picture(frame, area);
    kept.cost_key = sheet_key(frame, area);
  }
  return kept.cost;
}

const SidesPicture& sides_picture(const Frame& frame, Rect area) {
  Pictures& kept = frame.pictures;
  if (!holds(kept.sides_key, frame, area)) {
    kept.sides = make_sides_picture(frame, area);
    kept.sides_key = sheet_key(frame, area);
  }
  return kept.sides;
}

const ConventionsPicture& conventions_picture(const Frame& frame, Rect area) {
  Pictures& kept = frame.pictures;
  if (has_conventions(*frame.trace())) {
    kept.conventions_board.want(frame.document.trace, frame.view().batch, frame.view().head);
  } else {
    kept.conventions_board.drop();
  }
  const bool more = kept.conventions_board.advance();
  if (more || !holds(kept.conventions_key, frame, area)) {
    kept.conventions = make_conventions_picture(frame, area, kept.conventions_board);
    kept.conventions_key = sheet_key(frame, area);
  }
  return kept.conventions;
}

}  // namespace headlight
