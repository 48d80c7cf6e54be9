#include "ramet/linalg/broadcast.h"

#include <algorithm>

namespace ramet::linalg {
namespace {

// Returns dimension i counted from the last, or 1.
int64_t DimFromEnd(BroadcastPlan::Shape shape, size_t i) {
  return i < shape.size() ? shape[shape.size() - 1 - i] : 1;
}

}  // namespace

// Adds an outer dimension. The arrays are innermost first until MakeN reverses them.
bool BroadcastPlan::Append(int64_t dim, std::span<const int64_t> strides) {
  if (dim == 1) return true;
  if (__builtin_mul_overflow(size_, dim, &size_)) return false;
  bool mergeable = ndims_ > 0;
  for (size_t o = 0; mergeable && o < strides.size(); ++o) {
    mergeable = strides[o] == strides_[o][ndims_ - 1] * dims_[ndims_ - 1];
  }
  if (mergeable) {
    dims_[ndims_ - 1] *= dim;
    return true;
  }
  dims_[ndims_] = dim;
  for (size_t o = 0; o < strides.size(); ++o) strides_[o][ndims_] = strides[o];
  ++ndims_;
  return true;
}

bool BroadcastPlan::MakeN(std::span<const Shape> shapes, BroadcastPlan* plan) {
  plan->size_ = 1;
  plan->ndims_ = 0;
  size_t rank = 0;
  for (const Shape& shape : shapes) rank = std::max(rank, shape.size());
  std::array<int64_t, kMaxOperands> dense = {1, 1, 1};
  bool ok = true;
  bool empty = false;
  for (size_t i = 0; ok && i < rank; ++i) {
    int64_t dim = 1;
    for (const Shape& shape : shapes) {
      const int64_t d = DimFromEnd(shape, i);
      ok = ok && (d == dim || d == 1 || dim == 1);
      if (d != 1) dim = d;
    }
    empty = empty || dim == 0;
    std::array<int64_t, kMaxOperands> strides = {};
    for (size_t o = 0; o < shapes.size(); ++o) {
      if (DimFromEnd(shapes[o], i) == 1) continue;
      strides[o] = dense[o];
      ok = ok && (empty || !__builtin_mul_overflow(dense[o], dim, &dense[o]));
    }
    ok = ok && (empty || plan->Append(dim, std::span(strides).first(shapes.size())));
  }
  if (!ok || empty || plan->ndims_ == 0) {
    *plan = Flat(ok && !empty ? 1 : 0);
    return ok;
  }
  std::reverse(plan->dims_.begin(), plan->dims_.begin() + plan->ndims_);
  for (auto& strides : plan->strides_)
    std::reverse(strides.begin(), strides.begin() + plan->ndims_);
  return true;
}

bool BroadcastPlan::Make(Shape a, Shape b, BroadcastPlan* plan) {
  const Shape shapes[] = {a, b};
  return MakeN(shapes, plan);
}

bool BroadcastPlan::Make(Shape a, Shape b, Shape c, BroadcastPlan* plan) {
  const Shape shapes[] = {a, b, c};
  return MakeN(shapes, plan);
}

BroadcastPlan BroadcastPlan::Flat(int64_t n) {
  BroadcastPlan plan;
  plan.size_ = n;
  plan.ndims_ = 1;
  plan.dims_[0] = n;
  for (auto& strides : plan.strides_) strides[0] = 1;
  return plan;
}

BroadcastPlan BroadcastPlan::ScalarLeft(int64_t n) {
  BroadcastPlan plan = Flat(n);
  if (n != 1) plan.strides_[0][0] = 0;
  return plan;
}

BroadcastPlan BroadcastPlan::ScalarRight(int64_t n) {
  BroadcastPlan plan = Flat(n);
  if (n != 1) plan.strides_[1][0] = 0;
  return plan;
}

bool BroadcastShape(BroadcastPlan::Shape a, BroadcastPlan::Shape b, std::span<int64_t> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t da = DimFromEnd(a, i);
    const int64_t db = DimFromEnd(b, i);
    if (da != db && da != 1 && db != 1) return false;
    out[out.size() - 1 - i] = da == 1 ? db : da;
  }
  return true;
}

}  // namespace ramet::linalg
