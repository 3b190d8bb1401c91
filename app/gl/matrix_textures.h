// Matrices as textures: uploaded when first drawn, kept while they are drawn, never uploaded twice.
//
// A matrix with more cells than pixels is pooled first (core/stage/pool.h): to one cell a pixel where it has been
// drawn at this size in the frame before, so that a steady frame reads one cell a pixel whatever the matrix's size.
// While the size changes, as in zooming, it is pooled to at most twice as many cells as pixels along each axis, and the
// shader takes the extreme of what is left under a pixel: such a level is uploaded anew only where that has doubled or
// halved. In a window, matrices that are computed as they are read are pooled on a thread of their own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/gl/gl_objects.h"
#include "core/figure/colormap.h"
#include "core/tensor/tensor.h"
#include "ui/frame/matrix_painter.h"

namespace headlight {

/// What of a quad the texels depend on, but for the resolution. With row ranges the texels are what normalise_rows()
/// gives for the kind of the colour map.
struct MatrixKey {
  explicit MatrixKey(const MatrixQuad& quad);
  bool matches(const MatrixQuad& quad) const;
  bool matches(const MatrixKey& other) const;

  Tensor values, mask, kept;
  Index batch, head;
  bool show_leaks, row_ranges, means;
  ColormapKind kind;
};

/// A matrix at one resolution.
struct MatrixLevel {
  int rows = 0, cols = 0;
  float centre = 0;  ///< what pooling measured from; of no meaning where nothing was pooled
  bool pooled = false;
  GlTexture cells;       ///< R32UI: a value's bits, or a NaN whose last three bits are the CellKind
  bool hatched = false;  ///< some cells are masked or −∞
  bool marked = false;   ///< some cells are NaN, +∞ or dropped
  std::uint64_t last_used = 0;
};

class MatrixTextures {
 public:
  MatrixTextures();
  ~MatrixTextures();

  /// From now on no frame waits for a matrix that is computed as it is read: it comes in a later one.
  void make_in_background();
  /// A frame that has pooled and uploaded one matrix at least, and for so long, leaves the rest to the next ones.
  /// Without end unless set.
  void set_frame_budget(std::chrono::milliseconds budget) { budget_ = budget; }
  /// Call once a frame: what has not been drawn for a few frames is given back.
  void begin_frame();
  /// The quad's matrix with no more cells an axis than pixels or, at a new size, than 2 · size − 1; all of its cells
  /// where it has fewer. `centre` as for pool(). Good until the next call; null where it is left to a later frame.
  const MatrixLevel* find(const MatrixQuad& quad, int width, int height, float centre);
  /// Whether this frame left something to the next ones; ask again soon.
  bool lacks() const { return lacks_; }

  /// Since the beginning; for tests.
  std::uint64_t uploads() const { return uploads_; }
  std::uint64_t uploaded_texels() const { return uploaded_texels_; }

 private:
  /// A size that a matrix was drawn at, in pixels.
  struct Size {
    int width, height;
    std::uint64_t last_used;
  };
  struct Entry {
    MatrixKey key;
    std::vector<MatrixLevel> levels;
    std::vector<Size> sizes;
    std::uint64_t last_used = 0;
    std::size_t place = 0;  ///< how many matrices were drawn before it in the last frame that drew it
  };

  bool stays(Entry& entry, int width, int height);
  Entry& entry_of(const MatrixQuad& quad);
  Entry* replaceable(const MatrixKey& key);
  void replace_rows(Entry& entry, const MatrixKey& key);
  MatrixLevel& add_level(Entry& entry, int rows, int cols, float centre);

  class Background;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;   ///< where the entry after the last one found lies; frames mostly draw in the same order
  std::size_t place_ = 0;  ///< matrices drawn in this frame so far
  std::uint64_t frame_ = 0;
  std::uint64_t uploads_ = 0, uploaded_texels_ = 0;
  int largest_;
  std::chrono::steady_clock::duration budget_ = std::chrono::steady_clock::duration::max(), spent_{};
  bool lacks_ = false;
  std::unique_ptr<Background> background_;  ///< null: everything is made in the frame
};

}  // namespace headlight
