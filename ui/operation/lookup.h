// Where a word's row comes from: the table of words and the table of places, the row that is taken among its
// neighbours.
#pragma once

#include "ui/operation/parts.h"

namespace headlight::operation {

struct Tables {
  RowLookup rows;
  Rect words, places;  ///< of their rows
  float line = 0;      ///< height of a row
  /// Where the row stands that is taken.
  Rect taken_word() const { return row_of(rows.words, words, rows.token); }
  Rect taken_place() const { return row_of(rows.places, places, rows.place); }

 private:
  Rect row_of(const std::vector<TableRow>& table, const Rect& at, Index number) const;
};

/// Beside one another at the top of `room`, which is as wide as the rows under them; its height without rows is 0.
Tables lay_out_tables(const Pen& pen, RowLookup rows, Rect room);
float height_of(const Pen& pen, const RowLookup& rows);
/// The largest magnitude in the tables' rows.
float largest_of(const RowLookup& rows);
/// The columns `cols` of the tables' rows, −`most` to `most` in colours; `names` pixels for those at the left.
/// `scale`: the words for the colours' scale, "" where the rows below have the same.
void put_tables(const Task& task, const Tables& tables, const Window& cols, float most, float names,
                const std::string& scale);

/// "1617  girl"
std::string name_in_table(const TableRow& row);

/// One row of numbers in the columns `cols`.
Block row_block(const Task& task, const std::vector<float>& numbers, const Window& cols, Rect rect, float most);

}  // namespace headlight::operation
