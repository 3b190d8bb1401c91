// Matrices as textures: uploaded when first drawn, kept while they are drawn, never uploaded twice.
//
// A matrix with more cells than pixels is pooled first (core/rules/stage/pool.h). If it was drawn at the same size in
// the previous frame, it is pooled to one cell per pixel, so that a frame reads one cell per pixel for a matrix of any
// size. While the size changes, as during zooming, it is pooled to at most twice as many cells as pixels along each
// axis, and the shader takes the extreme of the cells under a pixel; such a level is uploaded again only when the size
// has doubled or halved. In a window, matrices that are computed when they are read are pooled on a separate thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/gl/gl_objects.h"
#include "core/base/tensor/tensor.h"
#include "core/figures/figure/colormap.h"
#include "ui/base/frame/matrix_painter.h"

namespace headlight {

/// The properties of a quad that its texels depend on, except the resolution. With row ranges, the texels are the
/// result of normalise_rows() for the kind of the colour map.
struct MatrixKey {
  explicit MatrixKey(const MatrixQuad& quad);
  bool matches(const MatrixQuad& quad) const;
  bool matches(const MatrixKey& other) const;
  template <typename Matrix>
  bool matches(const Matrix& other, ColormapKind other_kind) const;

  Tensor values, mask, kept;
  Index batch, head;
  bool show_leaks, row_ranges, means;
  ColormapKind kind;
};

/// A matrix at one resolution.
struct MatrixLevel {
  int rows = 0, cols = 0;
  float centre = 0;  ///< the reference value of pooling; unused without pooling
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

  /// From now on, no frame waits for a matrix that is computed when it is read: it appears in a later frame.
  void make_in_background();
  /// A frame postpones the remaining matrices once it has pooled and uploaded for this time, and at least one matrix.
  /// Unlimited by default.
  void set_frame_budget(std::chrono::milliseconds budget) { budget_ = budget; }
  /// Call once per frame: frees textures that have not been drawn for a few frames.
  void begin_frame();
  /// The quad's matrix, along each axis with at most one cell per pixel or, at a new size, 2 · size − 1 cells; all
  /// cells if it has fewer. `centre` as for pool(). Valid until the next call; null if it is postponed to a later
  /// frame.
  const MatrixLevel* find(const MatrixQuad& quad, int width, int height, float centre);
  /// Whether this frame postponed something; draw again soon.
  bool lacks() const { return lacks_; }

  /// The total number of uploads; for tests.
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
    std::size_t place = 0;  ///< the number of matrices drawn before it in the last frame that drew it
  };

  bool stays(Entry& entry, int width, int height);
  Entry& entry_of(const MatrixQuad& quad);
  Entry* replaceable(const MatrixKey& key);
  void replace_rows(Entry& entry, const MatrixKey& key);
  MatrixLevel& add_level(Entry& entry, int rows, int cols, float centre);

  class Background;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;   ///< index after the last entry found; frames mostly draw in the same order
  std::size_t place_ = 0;  ///< matrices drawn in this frame so far
  std::uint64_t frame_ = 0;
  std::uint64_t uploads_ = 0, uploaded_texels_ = 0;
  int largest_;
  std::chrono::steady_clock::duration budget_ = std::chrono::steady_clock::duration::max(), spent_{};
  bool lacks_ = false;
  std::unique_ptr<Background> background_;  ///< null: everything is done in the frame
};

}  // namespace headlight
