#include "ramet/tensor/shape.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace ramet {
namespace {

constexpr int64_t kOverflow = std::numeric_limits<int64_t>::max();

// Returns the product of the known dims other than zero, or kOverflow if it does not fit.
int64_t NonZeroProduct(std::span<const int64_t> dims, bool* has_zero) {
  int64_t product = 1;
  for (int64_t d : dims) {
    if (d == 0) *has_zero = true;
    if (d > 0 && !MultiplyNonNegative(product, d, &product)) return kOverflow;
  }
  return product;
}

}  // namespace

Shape::Shape(std::span<const int64_t> dims) : rank_(static_cast<int32_t>(dims.size())) {
  if (rank_ > kInline) heap_ = new int64_t[dims.size()];
  std::copy(dims.begin(), dims.end(), mutable_data());
}

Shape Shape::Unknown() {
  Shape s;
  s.rank_ = -1;
  return s;
}

Shape Shape::OfRank(int rank) {
  Shape s;
  s.rank_ = std::max(rank, 0);
  if (rank > kInline) s.heap_ = new int64_t[rank];
  std::fill_n(s.mutable_data(), s.rank_, kUnknownDim);
  return s;
}

StatusOr<Shape> Shape::Make(std::span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    return InvalidArgument("a shape of rank ", dims.size(), " exceeds the limit of ", kMaxRank);
  }
  Shape shape(dims);
  RAMET_RETURN_IF_ERROR(shape.Validate());
  return shape;
}

Shape& Shape::operator=(const Shape& other) {
  if (this != &other) {
    Clear();
    CopyFrom(other);
  }
  return *this;
}

Shape& Shape::operator=(Shape&& other) noexcept {
  if (this != &other) {
    Clear();
    MoveFrom(other);
  }
  return *this;
}

void Shape::CopyFrom(const Shape& other) {
  rank_ = other.rank_;
  if (rank_ > kInline) heap_ = new int64_t[rank_];
  if (rank_ > 0) std::memcpy(mutable_data(), other.data(), rank_ * sizeof(int64_t));
}

void Shape::MoveFrom(Shape& other) {
  rank_ = other.rank_;
  if (rank_ > kInline) {
    heap_ = other.heap_;
  } else if (rank_ > 0) {
    std::memcpy(inline_, other.inline_, rank_ * sizeof(int64_t));
  }
  other.rank_ = 0;
}

void Shape::Clear() {
  if (rank_ > kInline) delete[] heap_;
  rank_ = 0;
}

void Shape::Append(int64_t size) {
  if (rank_ < kInline) {
    inline_[rank_++] = size;
    return;
  }
  int64_t* grown = new int64_t[rank_ + 1];
  std::copy_n(data(), rank_, grown);
  grown[rank_] = size;
  if (rank_ > kInline) delete[] heap_;
  heap_ = grown;
  ++rank_;
}

bool Shape::IsFullyDefined() const {
  if (unknown_rank()) return false;
  auto all = dims();
  return std::none_of(all.begin(), all.end(), [](int64_t d) { return d < 0; });
}

int64_t Shape::num_elements() const {
  if (!IsFullyDefined()) return -1;
  bool has_zero = false;
  const int64_t product = NonZeroProduct(dims(), &has_zero);
  return has_zero && product != kOverflow ? 0 : product;
}

Status Shape::Validate() const {
  if (rank_ > kMaxRank) {
    return InvalidArgument("a shape of rank ", rank_, " exceeds the limit of ", kMaxRank);
  }
  for (int64_t d : dims()) {
    if (d < kUnknownDim) return InvalidArgument("a dimension of ", d, " is negative");
  }
  bool has_zero = false;
  if (NonZeroProduct(dims(), &has_zero) != kOverflow) return OkStatus();
  return InvalidArgument("the number of elements of shape ", *this, " overflows a 64-bit integer");
}

bool Shape::operator==(const Shape& other) const {
  return rank_ == other.rank_ && std::ranges::equal(dims(), other.dims());
}

bool Shape::IsCompatibleWith(const Shape& other) const {
  if (unknown_rank() || other.unknown_rank()) return true;
  if (rank_ != other.rank_) return false;
  for (int i = 0; i < rank_; ++i) {
    if (dim(i) >= 0 && other.dim(i) >= 0 && dim(i) != other.dim(i)) return false;
  }
  return true;
}

StatusOr<Shape> Shape::MergeWith(const Shape& other) const {
  if (unknown_rank()) return other;
  if (other.unknown_rank()) return *this;
  if (rank_ != other.rank_) {
    return InvalidArgument("Shapes must be equal rank, but are ", rank_, " and ", other.rank_);
  }
  Shape merged = *this;
  for (int i = 0; i < rank_; ++i) {
    if (merged.dim(i) < 0) merged.set_dim(i, other.dim(i));
    if (other.dim(i) < 0 || merged.dim(i) == other.dim(i)) continue;
    return InvalidArgument("Dimension ", i, " in both shapes must be equal, but are ", dim(i),
                           " and ", other.dim(i), ". Shapes are ", *this, " and ", other, ".");
  }
  return merged;
}

Shape Shape::Concatenate(const Shape& other) const {
  if (unknown_rank() || other.unknown_rank()) return Unknown();
  Shape result = *this;
  for (int64_t d : other.dims()) result.Append(d);
  return result;
}

Shape Shape::Slice(int begin, int end) const { return Shape(dims().subspan(begin, end - begin)); }

std::string Shape::ToString() const {
  if (unknown_rank()) return "<unknown>";
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += ",";
    text += dim(i) < 0 ? "?" : std::to_string(dim(i));
  }
  return text + "]";
}

StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  if (a.unknown_rank() || b.unknown_rank()) return Shape::Unknown();
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const int shift = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    int64_t x = longer.dim(i + shift), y = shorter.dim(i);
    if (x == y || y == 1) continue;
    if (x == 1 || (x < 0 && y > 1)) {
      result.set_dim(i + shift, y);
    } else if (x >= 0 && y >= 0) {
      return InvalidArgument("Incompatible shapes: ", a, " vs. ", b);
    }
  }
  return result;
}

}  // namespace ramet
