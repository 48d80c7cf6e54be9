#include "batching/batch_tensors.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace server {
namespace {

namespace rm = ramet;

// Copies elements of a flat dtype, or strings.
void CopyElements(const rm::Tensor& from, int64_t from_at, rm::Tensor* to, int64_t to_at,
                  int64_t count) {
  if (count <= 0) return;
  if (from.dtype() == rm::DType::kString) {
    const auto source = from.flat<std::string>().subspan(static_cast<size_t>(from_at));
    std::copy_n(source.begin(), count, to->mutable_data<std::string>() + to_at);
    return;
  }
  const size_t size = rm::DTypeSize(from.dtype());
  std::memcpy(static_cast<char*>(to->raw_data()) + static_cast<size_t>(to_at) * size,
              static_cast<const char*>(from.raw_data()) + static_cast<size_t>(from_at) * size,
              static_cast<size_t>(count) * size);
}

int64_t RowElements(const rm::Shape& shape) { return shape.Slice(1, shape.rank()).num_elements(); }

// Copies one row into a row of `to`, whose dimensions may be longer. The new elements there are
// copies of the first element of `from`.
class RowPadder {
 public:
  RowPadder(const rm::Tensor& from, rm::Tensor* to) : from_(from), to_(to) {}

  void Copy(int64_t from_row, int64_t to_row) {
    const int64_t row = RowElements(to_->shape());
    for (int64_t i = 0; i < row && from_.num_elements() > 0; ++i) {
      CopyElements(from_, 0, to_, to_row * row + i, 1);
    }
    CopyBox(1, from_row, to_row);
  }

 private:
  void CopyBox(int dim, int64_t from_at, int64_t to_at) {
    if (dim + 1 >= from_.rank()) {
      const int64_t count = dim < from_.rank() ? from_.dim(dim) : 1;
      const int64_t stride = dim < from_.rank() ? to_->dim(dim) : 1;
      return CopyElements(from_, from_at * count, to_, to_at * stride, count);
    }
    for (int64_t i = 0; i < from_.dim(dim); ++i) {
      CopyBox(dim + 1, from_at * from_.dim(dim) + i, to_at * to_->dim(dim) + i);
    }
  }

  const rm::Tensor& from_;
  rm::Tensor* const to_;
};

// Copies rows of one request's tensor into the batch.
void CopyRows(const rm::Tensor& from, int64_t count, rm::Tensor* to, int64_t to_row) {
  const int64_t row = RowElements(to->shape());
  if (RowElements(from.shape()) == row) {
    return CopyElements(from, 0, to, to_row * row, count * row);
  }
  RowPadder padder(from, to);
  for (int64_t i = 0; i < count; ++i) padder.Copy(i, to_row + i);
}

// One long request must not make many short ones long: padding may add this many bytes, or three
// times the size of the requests.
constexpr size_t kMaxPaddingBytes = size_t{64} << 20;

// Returns a tensor for all requests' tensors at `index`.
rm::StatusOr<rm::Tensor> AllocateJoined(std::span<const Rows* const> requests, size_t index,
                                        int64_t rows) {
  rm::Shape shape = (*requests[0])[index].shape();
  size_t bytes = 0;
  for (const Rows* request : requests) {
    bytes += (*request)[index].bytes();
    for (int i = 1; i < shape.rank(); ++i) {
      shape.set_dim(i, std::max(shape.dim(i), (*request)[index].dim(i)));
    }
  }
  shape.set_dim(0, rows);
  RAMET_RETURN_IF_ERROR(shape.Validate());
  const rm::DType dtype = (*requests[0])[index].dtype();
  const size_t row_bytes = static_cast<size_t>(RowElements(shape)) * rm::DTypeSize(dtype);
  if (row_bytes * static_cast<size_t>(rows) > 4 * bytes + kMaxPaddingBytes) {
    return rm::ResourceExhausted("the requests of the batch differ too much in size to pad them");
  }
  RAMET_ASSIGN_OR_RETURN(rm::Tensor joined, rm::Tensor::Allocate(dtype, shape));
  // A request without elements has none to pad with.
  const bool is_padded = joined.bytes() > bytes;
  if (is_padded) std::memset(joined.raw_data(), 0, joined.bytes());
  return joined;
}

}  // namespace

rm::StatusOr<int64_t> CountRows(const Rows& feeds) {
  for (const rm::Tensor& feed : feeds) {
    if (feed.rank() == 0) {
      return rm::InvalidArgument(
          "Batching Run() input tensors must have at least one dimension; found a scalar");
    }
    if (feed.dim(0) != feeds[0].dim(0)) {
      return rm::InvalidArgument(
          "Batching Run() input tensors must have equal 0th-dimension size; found ",
          feeds[0].dim(0), " and ", feed.dim(0));
    }
  }
  return feeds.empty() ? 0 : feeds[0].dim(0);
}

bool FitTogether(const Rows& a, const Rows& b, bool pads) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].dtype() != b[i].dtype() || a[i].rank() != b[i].rank()) return false;
    if (pads) continue;
    for (int k = 1; k < a[i].rank(); ++k) {
      if (a[i].dim(k) != b[i].dim(k)) return false;
    }
  }
  return true;
}

rm::StatusOr<Rows> JoinRows(std::span<const Rows* const> requests, int64_t rows) {
  Rows joined;
  for (size_t index = 0; index < requests[0]->size(); ++index) {
    RAMET_ASSIGN_OR_RETURN(rm::Tensor tensor, AllocateJoined(requests, index, rows));
    int64_t at = 0;
    for (const Rows* request : requests) {
      const rm::Tensor& part = (*request)[index];
      CopyRows(part, part.dim(0), &tensor, at);
      at += part.dim(0);
    }
    for (; at < rows; ++at) CopyRows((*requests.back())[index], 1, &tensor, at);
    joined.push_back(std::move(tensor));
  }
  return joined;
}

rm::StatusOr<Rows> SliceRows(const Rows& tensors, int64_t begin, int64_t count) {
  Rows slices;
  slices.reserve(tensors.size());
  for (const rm::Tensor& tensor : tensors) {
    rm::Shape shape = tensor.shape();
    shape.set_dim(0, count);
    RAMET_ASSIGN_OR_RETURN(rm::Tensor slice, rm::Tensor::Allocate(tensor.dtype(), shape));
    const int64_t row = RowElements(shape);
    CopyElements(tensor, begin * row, &slice, 0, count * row);
    slices.push_back(std::move(slice));
  }
  return slices;
}

rm::Status CheckResults(const Rows& results, int64_t rows) {
  for (const rm::Tensor& result : results) {
    if (result.rank() == 0) {
      return rm::FailedPrecondition(
          "Batched output tensor has 0 dimensions; a model with such an output cannot be batched");
    }
    if (result.dim(0) != rows) {
      return rm::FailedPrecondition(
          "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension sizes "
          "of the input tensors: ",
          result.dim(0), " instead of ", rows);
    }
  }
  return rm::OkStatus();
}

}  // namespace server
