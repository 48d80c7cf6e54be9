#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ramet::linalg {

// An ElementLayout tells how operands that broadcast to one shape (NumPy's rule) are read in blocks
// of that shape. Adjacent dimensions along which all operands vary alike are collapsed. The last
// two dimensions left are the rows and columns of planes. A plain value without heap memory.
class ElementLayout {
 public:
  static constexpr int kMaxOperands = 32;
  static constexpr int kMaxOuterDims = 4;
  using Shape = std::span<const int64_t>;
  // The dimensions along which a value varies, as bits.
  enum Varies : uint8_t { kOuter = 1, kRow = 2, kColumn = 4 };

  // Lays out n elements in one row. Operand i has one element if bit i of `single` is set, and
  // otherwise n.
  static ElementLayout Flat(int64_t n, int num_operands, uint32_t single);
  // Lays out a shape of at least one element. With `whole_rows`, the columns are the last dimension
  // alone. Returns false if an operand does not broadcast to the shape, or if there are too many
  // dimensions.
  static bool Make(Shape shape, std::span<const Shape> operands, bool whole_rows,
                   ElementLayout* layout);

  int64_t planes() const { return planes_; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t size() const { return planes_ * rows_ * columns_; }
  uint8_t varies(int operand) const { return varies_[operand]; }
  // Returns the element of an operand with which plane `plane` starts.
  int64_t PlaneOffset(int operand, int64_t plane) const;
  // Returns the number of elements of a dense value that varies along these dimensions.
  int64_t SizeOf(uint8_t varies) const;

 private:
  // Adds a dimension outside of the others. The bits of `varying` are the operands.
  bool Prepend(int64_t size, uint32_t varying, bool alone);

  int64_t planes_ = 1;
  int64_t rows_ = 1;
  int64_t columns_ = 1;
  int num_dims_ = 0;  // with rows and columns
  uint32_t last_varying_ = 0;
  bool last_alone_ = false;
  std::array<uint8_t, kMaxOperands> varies_ = {};
  std::array<int64_t, kMaxOperands> sizes_;  // of the dimensions so far
  std::array<int64_t, kMaxOuterDims> outer_;
  std::array<std::array<int64_t, kMaxOperands>, kMaxOuterDims> strides_;
};

}  // namespace ramet::linalg
