#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// A Shape is the list of a tensor's dimensions. A dimension may be unknown (-1), and so may the
// rank. Such partial shapes describe graph edges; the shape of a Tensor is always fully defined. A
// value type; up to six dimensions are stored inline, so that copies do not allocate.
//
// In a valid shape, the product of all known dimensions other than zero fits in int64. The product
// of any of its dimensions then fits too, so code may multiply them unchecked. Edits (the
// constructors, set_dim, Append, Concatenate) can make a shape invalid. Validate reports it, no
// Tensor has such a shape, and shape inference refuses it.
class RAMET_EXPORT Shape {
 public:
  static constexpr int kMaxRank = 254;
  static constexpr int64_t kUnknownDim = -1;

  // Makes a scalar's shape, of rank 0.
  Shape() : rank_(0) {}
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  // Each dim must be >= -1, and there must be at most kMaxRank. Use Make for values from outside.
  explicit Shape(std::span<const int64_t> dims);
  static Shape Unknown();
  // Returns a shape of rank `rank` with unknown dimensions.
  static Shape OfRank(int rank);
  // Checks `dims` and makes a shape.
  // \error kInvalidArgument: a dim is < -1, there are more than kMaxRank dims, or the product of
  //   the known dims other than zero overflows int64.
  static StatusOr<Shape> Make(std::span<const int64_t> dims);

  Shape(const Shape& other) { CopyFrom(other); }
  Shape(Shape&& other) noexcept { MoveFrom(other); }
  Shape& operator=(const Shape& other);
  Shape& operator=(Shape&& other) noexcept;
  ~Shape() { Clear(); }

  bool unknown_rank() const { return rank_ < 0; }
  // Returns the number of dimensions; -1 if unknown.
  int rank() const { return rank_; }
  int64_t dim(int i) const { return data()[i]; }
  void set_dim(int i, int64_t size) { mutable_data()[i] = size; }
  void Append(int64_t size);
  std::span<const int64_t> dims() const {
    return {data(), static_cast<size_t>(rank_ < 0 ? 0 : rank_)};
  }
  bool IsFullyDefined() const;
  // Returns the number of elements; -1 if not fully defined, INT64_MAX if the shape is invalid.
  int64_t num_elements() const;
  // Checks that the shape is valid.
  // \error kInvalidArgument: the product of the known dims other than zero overflows int64, a dim
  //   is < -1, or there are more than kMaxRank dims.
  Status Validate() const;

  bool operator==(const Shape& other) const;
  // Reports whether a tensor could have both shapes.
  bool IsCompatibleWith(const Shape& other) const;
  // Returns the shape with everything known from either shape.
  // \error kInvalidArgument: the shapes are not compatible.
  StatusOr<Shape> MergeWith(const Shape& other) const;
  // Returns this shape followed by `other`.
  Shape Concatenate(const Shape& other) const;
  // Returns dimensions [begin, end).
  Shape Slice(int begin, int end) const;
  // Returns text such as "[2,?,3]", "[]" for a scalar or "<unknown>".
  std::string ToString() const;

 private:
  static constexpr int kInline = 6;
  const int64_t* data() const { return rank_ > kInline ? heap_ : inline_; }
  int64_t* mutable_data() { return rank_ > kInline ? heap_ : inline_; }
  void CopyFrom(const Shape& other);
  void MoveFrom(Shape& other);
  void Clear();

  int32_t rank_;
  union {
    int64_t inline_[kInline];
    int64_t* heap_;
  };
};

// Returns the shape of an elementwise operation under TensorFlow's (NumPy's) broadcasting rules.
// The shapes may be partial.
// \error kInvalidArgument: "Incompatible shapes: [2] vs. [3]".
RAMET_EXPORT StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b);

// Computes a * b. Returns false on overflow or if a factor is negative.
inline bool MultiplyNonNegative(int64_t a, int64_t b, int64_t* product) {
  return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, product);
}

}  // namespace ramet
