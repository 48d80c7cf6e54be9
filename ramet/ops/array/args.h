#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "ramet/base/status.h"
#include "ramet/linalg/types.h"
#include "ramet/tensor/variant.h"

namespace ramet {

// A Dims is a short list of integers: the dimensions, strides, offsets or axes of one tensor. Up to
// Shape::kMaxRank values are stored inline; only longer lists (partial shapes) use the heap.
class Dims {
 public:
  Dims() = default;
  Dims(int size, int64_t value) {
    Reserve(size);
    std::fill_n(values_, size_ = size, value);
  }
  explicit Dims(std::span<const int64_t> values) { Assign(values); }
  Dims(const Dims& other) { Assign(other); }
  Dims& operator=(const Dims& other) {
    if (this != &other) Assign(other);
    return *this;
  }

  int size() const { return size_; }
  int64_t& operator[](int i) { return values_[i]; }
  int64_t operator[](int i) const { return values_[i]; }
  void Append(int64_t value) {
    if (size_ == capacity_) Reserve(2 * size_);
    values_[size_++] = value;
  }
  const int64_t* begin() const { return values_; }
  const int64_t* end() const { return values_ + size_; }
  operator std::span<const int64_t>() const {  // NOLINT: implicit on purpose
    return {values_, static_cast<size_t>(size_)};
  }

 private:
  void Assign(std::span<const int64_t> values) {
    Reserve(static_cast<int>(values.size()));
    size_ = static_cast<int>(values.size());
    std::copy_n(values.data(), size_, values_);
  }
  void Reserve(int capacity) {
    if (capacity <= capacity_) return;
    auto grown = std::make_unique<int64_t[]>(capacity);
    std::copy_n(values_, size_, grown.get());
    heap_ = std::move(grown);
    values_ = heap_.get();
    capacity_ = capacity;
  }

  int size_ = 0;
  int capacity_ = Shape::kMaxRank;
  int64_t in_place_[Shape::kMaxRank];
  int64_t* values_ = in_place_;
  std::unique_ptr<int64_t[]> heap_;
};

// Returns the strides, in elements, of a dense row-major tensor of this shape.
Dims RowMajorStrides(std::span<const int64_t> shape);
// Returns the product of dimensions [begin, end).
int64_t Product(const Shape& shape, int begin, int end);

inline linalg::Type LinalgType(DType t) { return static_cast<linalg::Type>(t); }

// Returns element i of a tensor of any integer dtype.
int64_t IntegerAt(const Tensor& t, int64_t i);
// Returns the only element of an integer tensor of rank 0, or of rank 1 with one element.
// \error kInvalidArgument: "NAME must be a scalar, but received tensor of shape: [2]".
StatusOr<int64_t> ScalarArg(const Tensor& t, std::string_view name);
// Returns the elements of an integer vector.
// \error kInvalidArgument: `t` is not a vector, is not of integers, or has more than Shape::kMaxRank
// elements.
StatusOr<Dims> VectorArg(const Tensor& t, std::string_view name);
// Returns the shape that an integer vector describes.
// \error kInvalidArgument: `t` is not a vector or has too many elements (see VectorArg).
// \error kInvalidArgument: a dimension is negative, or the number of elements overflows.
StatusOr<Shape> ShapeArg(const Tensor& t, std::string_view name);
// Returns `axis` as a non-negative axis of a tensor of rank `rank`.
// \error kInvalidArgument: "WHAT must be in the range [-2, 2), but is 3".
StatusOr<int> AxisArg(int64_t axis, int rank, std::string_view what);

// An element of 16 bytes.
struct Wide {
  uint64_t low, high;
};

// Calls f.operator()<U>() with a U as wide as an element of `dtype` (std::string for strings,
// Variant for variants). Ops that move elements without looking at them are written once with it.
template <class F>
auto DispatchElement(DType dtype, F&& f) {
  if (dtype == DType::kString) return f.template operator()<std::string>();
  if (IsVariant(dtype)) return f.template operator()<Variant>();
  switch (DTypeSize(dtype)) {
    case 1: return f.template operator()<uint8_t>();
    case 2: return f.template operator()<uint16_t>();
    case 4: return f.template operator()<uint32_t>();
    case 8: return f.template operator()<uint64_t>();
    default: return f.template operator()<Wide>();
  }
}

}  // namespace ramet
