#include "ramet/format/bundle_box.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace ramet {
namespace {

constexpr int64_t kWindowBytes = 256 << 10;
// Runs that are farther apart are read separately.
constexpr int64_t kMaxGapBytes = 64 << 10;

// Iterates over the contiguous runs of bytes of a box in a row-major tensor, in ascending order. In
// the box's own tensor the runs are adjacent.
class BoxRuns {
 public:
  BoxRuns(const Shape& shape, const TensorSlice& box, size_t element_size) {
    if (shape.num_elements() == 0) {
      runs_ = 0;
      return;
    }
    int64_t stride = static_cast<int64_t>(element_size);
    run_bytes_ = stride;
    bool in_run = true;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      const TensorSlice::Extent& e = box.extent(d);
      next_ += e.start * stride;
      count_ *= e.length;
      if (in_run) {
        run_bytes_ *= e.length;
        in_run = e.length == shape.dim(d);
      } else {
        outer_.push_back({stride, e.length, 0});
      }
      stride *= shape.dim(d);
    }
    for (const Dim& dim : outer_) runs_ *= dim.length;
    if (count_ == 0) runs_ = 0;
  }

  bool done() const { return runs_ == 0; }
  int64_t begin() const { return next_; }
  int64_t end() const { return next_ + run_bytes_; }
  int64_t run_bytes() const { return run_bytes_; }
  // The position of the run in the box's own tensor.
  int64_t box_offset() const { return box_offset_; }
  // The gap between a run and the next one in the innermost row of runs.
  int64_t gap() const { return outer_.empty() ? 0 : outer_[0].stride - run_bytes_; }

  void Next() {
    --runs_;
    box_offset_ += run_bytes_;
    for (Dim& dim : outer_) {
      next_ += dim.stride;
      if (++dim.index < dim.length) return;
      next_ -= dim.stride * dim.length;
      dim.index = 0;
    }
  }

 private:
  struct Dim {
    int64_t stride, length, index;
  };
  // The innermost dimension first.
  std::vector<Dim> outer_;
  int64_t run_bytes_ = 0, next_ = 0, box_offset_ = 0;
  int64_t count_ = 1, runs_ = 1;
};

// Copies the part of the runs that lies in a piece [at, at + piece size) of the stored tensor.
void TakeFromPiece(std::string_view piece, int64_t at, BoxRuns* runs, char* out) {
  const int64_t piece_end = at + std::ssize(piece);
  for (; !runs->done() && runs->begin() < piece_end; runs->Next()) {
    const int64_t from = std::max(runs->begin(), at), to = std::min(runs->end(), piece_end);
    std::memcpy(out + runs->box_offset() + (from - runs->begin()), piece.data() + (from - at),
                static_cast<size_t>(to - from));
    if (runs->end() > piece_end) return;
  }
}

Status ReadVerified(const TensorDataSource& source, const BundleEntry& entry, BoxRuns runs,
                    char* out) {
  int64_t at = 0;
  return ReadDataPieces(source, entry, [&](std::string_view piece) {
    TakeFromPiece(piece, at, &runs, out);
    at += std::ssize(piece);
    return OkStatus();
  });
}

Status ReadRuns(const TensorDataSource& source, const BundleEntry& entry, BoxRuns runs, char* out) {
  const uint64_t base = static_cast<uint64_t>(entry.offset);
  const bool one_by_one = runs.run_bytes() >= kWindowBytes || runs.gap() > kMaxGapBytes;
  std::string window;
  while (!runs.done()) {
    const uint64_t at = base + static_cast<uint64_t>(runs.begin());
    if (one_by_one) {
      const size_t n = static_cast<size_t>(runs.run_bytes());
      RAMET_RETURN_IF_ERROR(source.file->Read(at, {out + runs.box_offset(), n}));
      runs.Next();
      continue;
    }
    const int64_t begin = runs.begin();
    window.resize(static_cast<size_t>(std::min(kWindowBytes, entry.size - begin)));
    RAMET_RETURN_IF_ERROR(source.file->Read(at, {window.data(), window.size()}));
    const int64_t end = begin + std::ssize(window);
    for (; !runs.done() && runs.begin() >= begin && runs.end() <= end; runs.Next()) {
      std::memcpy(out + runs.box_offset(), window.data() + (runs.begin() - begin),
                  static_cast<size_t>(runs.run_bytes()));
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<Tensor> ReadTensorBox(const TensorDataSource& source, const BundleEntry& entry,
                               const TensorSlice& box, Verify verify, Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const Shape shape, box.ShapeIn(entry.shape));
  if (entry.dtype == DType::kVariant) {
    return Unimplemented("key ", PrintableBundleKey(source.key),
                         ": slices of a tensor of dtype variant cannot be restored");
  }
  if (entry.dtype == DType::kString) {
    RAMET_ASSIGN_OR_RETURN(const Tensor whole, ReadTensorData(source, entry, HostAllocator()));
    RAMET_ASSIGN_OR_RETURN(Tensor part, Tensor::Allocate(entry.dtype, shape, allocator));
    const TensorSlice all = TensorSlice::Whole(entry.shape.rank()).Explicit(entry.shape);
    CopyOverlap(whole, all, box, &part);
    return part;
  }
  RAMET_ASSIGN_OR_RETURN(Tensor part, Tensor::Allocate(entry.dtype, shape, allocator));
  char* out = static_cast<char*>(part.raw_data());
  const BoxRuns runs(entry.shape, box, DTypeSize(entry.dtype));
  if (verify == Verify::kChecksum) {
    RAMET_RETURN_IF_ERROR(ReadVerified(source, entry, runs, out));
  } else {
    RAMET_RETURN_IF_ERROR(ReadRuns(source, entry, runs, out));
    ToHostElements(source, entry.dtype, {out, part.bytes()});
  }
  return part;
}

}  // namespace ramet
