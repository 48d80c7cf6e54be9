#include "ramet/format/slice_assembly.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ramet {
namespace {

constexpr int64_t kMaxComparisons = 50'000'000;

int64_t End(const TensorSlice::Extent& e) { return e.start + e.length; }

// Returns how many pairs a sweep along dimension d compares, except those with equal starts.
int64_t PairsAlong(std::span<const TensorSlice> slices, int d) {
  std::vector<int64_t> starts;
  for (const TensorSlice& s : slices) starts.push_back(s.extent(d).start);
  std::sort(starts.begin(), starts.end());
  int64_t pairs = 0;
  for (const TensorSlice& s : slices) {
    const auto begin = std::lower_bound(starts.begin(), starts.end(), s.extent(d).start);
    pairs += std::lower_bound(begin, starts.end(), End(s.extent(d))) - begin;
  }
  return pairs;
}

int BestSweep(std::span<const TensorSlice> slices) {
  int best = 0;
  int64_t fewest = INT64_MAX;
  for (int d = 0; d < slices[0].rank(); ++d) {
    const int64_t pairs = PairsAlong(slices, d);
    if (pairs < fewest) best = d;
    fewest = std::min(fewest, pairs);
  }
  return best;
}

bool ComesBefore(const TensorSlice& a, const TensorSlice& b) {
  const auto less = [](const TensorSlice::Extent& x, const TensorSlice::Extent& y) {
    return std::pair(x.start, x.length) < std::pair(y.start, y.length);
  };
  return std::ranges::lexicographical_compare(a.extents(), b.extents(), less);
}

}  // namespace

int64_t CommonElements(const TensorSlice& a, const TensorSlice& b) {
  int64_t n = 1;
  for (int d = 0; d < a.rank(); ++d) {
    const int64_t start = std::max(a.extent(d).start, b.extent(d).start);
    n *= std::max<int64_t>(0, std::min(End(a.extent(d)), End(b.extent(d))) - start);
  }
  return n;
}

TensorSlice CommonBox(const TensorSlice& a, const TensorSlice& b) {
  std::vector<TensorSlice::Extent> box;
  for (int d = 0; d < a.rank(); ++d) {
    const int64_t start = std::max(a.extent(d).start, b.extent(d).start);
    box.push_back({start, std::min(End(a.extent(d)), End(b.extent(d))) - start});
  }
  return TensorSlice(std::move(box));
}

TensorSlice BoxIn(const TensorSlice& inner, const TensorSlice& outer) {
  std::vector<TensorSlice::Extent> box = inner.extents();
  for (int d = 0; d < inner.rank(); ++d) box[d].start -= outer.extent(d).start;
  return TensorSlice(std::move(box));
}

Status CheckDisjoint(std::span<const TensorSlice> slices) {
  if (slices.size() < 2) return OkStatus();
  const int d = slices[0].rank() > 0 ? BestSweep(slices) : -1;
  std::vector<size_t> order(slices.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (d >= 0) {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return slices[a].extent(d).start < slices[b].extent(d).start;
    });
  }
  int64_t comparisons = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const TensorSlice& a = slices[order[i]];
    for (size_t j = i + 1; j < order.size(); ++j) {
      const TensorSlice& b = slices[order[j]];
      if (d >= 0 && b.extent(d).start >= End(a.extent(d))) break;
      if (++comparisons > kMaxComparisons) {
        return ResourceExhausted("a tensor in ", slices.size(),
                                 " slices has too many of them to check whether "
                                 "they overlap");
      }
      if (CommonElements(a, b) == 0) continue;
      return Internal("Overlapping slices: existing slice = ", slices[std::min(order[i], order[j])],
                      ", new slice = ", slices[std::max(order[i], order[j])]);
    }
  }
  return OkStatus();
}

StatusOr<DisjointBoxes> DisjointBoxes::Make(std::vector<TensorSlice> boxes) {
  RAMET_RETURN_IF_ERROR(CheckDisjoint(boxes));
  DisjointBoxes made;
  made.boxes_ = std::move(boxes);
  made.sorted_.resize(made.boxes_.size());
  std::iota(made.sorted_.begin(), made.sorted_.end(), size_t{0});
  std::ranges::stable_sort(made.sorted_, ComesBefore,
                           [&](size_t i) -> const TensorSlice& { return made.boxes_[i]; });
  return made;
}

std::vector<size_t> DisjointBoxes::Needed(const TensorSlice& box) const {
  const auto at = std::ranges::lower_bound(
      sorted_, box, ComesBefore, [&](size_t i) -> const TensorSlice& { return boxes_[i]; });
  if (at != sorted_.end() && boxes_[*at] == box) return {*at};
  std::vector<size_t> needed;
  for (size_t i = 0; i < boxes_.size(); ++i) {
    if (CommonElements(boxes_[i], box) > 0) needed.push_back(i);
  }
  return needed;
}

bool IsRunIn(const TensorSlice& inner, const TensorSlice& outer, int64_t* first) {
  int64_t stride = 1;
  bool partial = false;
  *first = 0;
  for (int d = inner.rank() - 1; d >= 0; --d) {
    const TensorSlice::Extent& in = inner.extent(d);
    const TensorSlice::Extent& out = outer.extent(d);
    if (in.start < out.start || End(in) > End(out)) return false;
    if (partial && in.length != 1) return false;
    if (in.length != out.length) partial = true;
    *first += (in.start - out.start) * stride;
    stride *= out.length;
  }
  return true;
}

}  // namespace ramet
