#include <algorithm>

#include "ramet/ops/array/move.h"
#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/sparse/serialized_tensor.h"
#include "ramet/ops/sparse/sparse.h"

namespace ramet {
namespace {

// The three parts of a sparse tensor whose rows are the elements of a dataset.
struct SparseRows {
  Tensor indices, values, shape;

  SparseView view() const { return {indices, values, shape}; }
};

// Passes on the rows of a sparse tensor as (indices, values, shape).
class SparseSliceIterator final : public DatasetIterator {
 public:
  SparseSliceIterator(DatasetPtr dataset, std::shared_ptr<const SparseRows> rows)
      : DatasetIterator(std::move(dataset)), rows_(std::move(rows)) {}

 protected:
  Status Produce(NextContext&, Element* element, bool* end) override {
    const SparseView s = rows_->view();
    *end = row_ >= s.dims()[0];
    if (*end) return OkStatus();
    // An index that is not in the shape belongs to no row.
    while (first_ < s.count() && s.row(first_)[0] < row_) ++first_;
    int64_t last = first_;
    while (last < s.count() && s.row(last)[0] == row_) ++last;
    ++row_;
    const int64_t first = std::exchange(first_, last);
    return CutRow(s, first, last, element);
  }

 private:
  static Status CutRow(const SparseView& s, int64_t first, int64_t last, Element* element) {
    const int64_t rank = s.rank() - 1;
    RAMET_ASSIGN_OR_RETURN(Tensor indices, Tensor::Allocate(kInt64, Shape{last - first, rank}));
    RAMET_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(s.values.dtype(), Shape{last - first}));
    int64_t* out = indices.mutable_data<int64_t>();
    for (int64_t i = first; i < last; ++i) out = std::copy_n(s.row(i) + 1, rank, out);
    CopyElements(s.values, first, values, 0, last - first);
    element->push_back(std::move(indices));
    element->push_back(std::move(values));
    element->push_back(Tensor::Vector(std::vector<int64_t>(s.dims().begin() + 1, s.dims().end())));
    return OkStatus();
  }

  const std::shared_ptr<const SparseRows> rows_;
  int64_t row_ = 0;
  int64_t first_ = 0;  // the first element that may belong to row_
};

Status CheckSliceParts(const SparseView& s) {
  if (s.indices.rank() != 2) {
    return InvalidArgument("Input indices must be a matrix. Got: ", s.indices.shape());
  }
  if (s.values.rank() != 1) {
    return InvalidArgument("Input values must be a vector. Got: ", s.values.shape());
  }
  if (s.shape.rank() != 1) {
    return InvalidArgument("Input shape must be a vector. Got: ", s.shape.shape());
  }
  if (s.values.dim(0) != s.count()) {
    return InvalidArgument("Number of values must match first dimension of indices. Got ",
                           s.values.dim(0), " values, indices shape: ", s.indices.shape());
  }
  if (s.shape.dim(0) != s.indices.dim(1)) {
    return InvalidArgument("Number of dimensions must match second dimension of indices. Got ",
                           s.shape.dim(0), " dimensions, indices shape: ", s.indices.shape());
  }
  if (s.shape.dim(0) > 0) return OkStatus();
  return InvalidArgument("The shape argument requires at least one element.");
}

Status CheckRowOrder(const SparseView& s) {
  int64_t previous = -1;
  for (int64_t i = 0; i < s.count(); ++i) {
    if (s.row(i)[0] < previous) {
      return Unimplemented(
          "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered "
          "input is not currently supported.");
    }
    previous = s.row(i)[0];
  }
  return DenseShapeOf(s.dims()).status();
}

StatusOr<std::shared_ptr<Dataset>> MakeSparseTensorSliceDataset(DatasetArgs& args) {
  const SparseView inputs = SparseInputs(args.context());
  RAMET_RETURN_IF_ERROR(CheckSliceParts(inputs));
  RAMET_RETURN_IF_ERROR(CheckRowOrder(inputs));
  auto rows = std::make_shared<SparseRows>();
  RAMET_ASSIGN_OR_RETURN(rows->indices, inputs.indices.Owned());
  RAMET_ASSIGN_OR_RETURN(rows->values, inputs.values.Owned());
  RAMET_ASSIGN_OR_RETURN(rows->shape, inputs.shape.Owned());
  const int64_t rank = inputs.rank() - 1, unknown = Shape::kUnknownDim;
  ElementSpec spec{{kInt64, inputs.values.dtype(), kInt64},
                   {Shape{unknown, rank}, Shape{unknown}, Shape{rank}}};
  const int64_t size = inputs.dims()[0];
  return Dataset::Make(
      std::move(spec), {},
      [rows](const DatasetPtr& dataset, NextContext&) -> StatusOr<IteratorPtr> {
        return std::make_unique<SparseSliceIterator>(dataset, rows);
      },
      size);
}

// Makes sparse tensors of batches of dense elements.
class SparseBatchIterator final : public DatasetIterator {
 public:
  SparseBatchIterator(DatasetPtr dataset, IteratorPtr input, int64_t size, Shape row)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        size_(size),
        row_(std::move(row)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    std::vector<Tensor> rows;
    int64_t count = 0;
    Shape largest = row_;
    while (!ended_ && std::ssize(rows) < size_) {
      Element next;
      RAMET_RETURN_IF_ERROR(input_->Next(c, &next, &ended_));
      if (ended_) break;
      RAMET_RETURN_IF_ERROR(Grow(next[0].shape(), &largest));
      count += next[0].num_elements();
      rows.push_back(std::move(next[0]));
    }
    *end = rows.empty();
    if (*end) return OkStatus();
    return Join(rows, count, largest, element);
  }

 private:
  // Sets the open dimensions of *largest to the larger ones of a row.
  Status Grow(const Shape& row, Shape* largest) const {
    if (row.rank() != row_.rank()) {
      return InvalidArgument("Input element had shape (", row,
                             ") that is incompatible with the row shape (", row_, ").");
    }
    for (int d = 0; d < row.rank(); ++d) {
      if (row_.dim(d) == Shape::kUnknownDim) {
        largest->set_dim(d, std::max(largest->dim(d), row.dim(d)));
      } else if (row.dim(d) > row_.dim(d)) {
        return DataLoss("Input element had shape (", row, ") that is larger than the row shape (",
                        row_, ").");
      }
    }
    return OkStatus();
  }

  static Status Join(const std::vector<Tensor>& rows, int64_t count, const Shape& largest,
                     Element* element) {
    const int64_t rank = largest.rank() + 1;
    RAMET_ASSIGN_OR_RETURN(Tensor indices, Tensor::Allocate(kInt64, Shape{count, rank}));
    RAMET_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(rows[0].dtype(), Shape{count}));
    int64_t at = 0;
    int64_t* out = indices.mutable_data<int64_t>();
    for (size_t i = 0; i < rows.size(); ++i) {
      const Tensor& row = rows[i];
      CopyElements(row, 0, values, at, row.num_elements());
      at += row.num_elements();
      for (int64_t k = 0; k < row.num_elements(); ++k, out += rank) {
        out[0] = static_cast<int64_t>(i);
        int64_t rest = k;
        for (int d = row.rank() - 1; d >= 0; rest /= row.dim(d--)) out[d + 1] = rest % row.dim(d);
      }
    }
    std::vector<int64_t> dims{std::ssize(rows)};
    dims.insert(dims.end(), largest.dims().begin(), largest.dims().end());
    element->push_back(VariantsOf({std::move(indices), std::move(values), Tensor::Vector(dims)}));
    return OkStatus();
  }

  const IteratorPtr input_;
  const int64_t size_;
  const Shape row_;
  bool ended_ = false;
};

StatusOr<std::shared_ptr<Dataset>> MakeDenseToSparseBatchDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset());
  if (input->spec().types.size() != 1) {
    return InvalidArgument("DenseToSparseDataset only supports inputs with a single component.");
  }
  RAMET_ASSIGN_OR_RETURN(const int64_t size, args.Int(1, "batch_size"));
  if (size <= 0) return InvalidArgument("Batch size must be greater than zero.");
  const Tensor& row_shape = args.input(2);
  if (row_shape.rank() != 1) return InvalidArgument("row_shape must be a vector");
  const auto dims = row_shape.flat<int64_t>();
  RAMET_ASSIGN_OR_RETURN(Shape row, Shape::Make(std::vector<int64_t>(dims.begin(), dims.end())));
  const int64_t n = input->cardinality();
  const int64_t cardinality = n < 0 ? n : n / size + (n % size != 0 ? 1 : 0);
  return Dataset::Make({{DType::kVariant}, {Shape{3}}}, {std::move(input)},
                       OverInput<SparseBatchIterator>(size, row), cardinality);
}

RAMET_OP("SparseTensorSliceDataset")
    .Input("indices: int64")
    .Input("values: Tvalues")
    .Input("dense_shape: int64")
    .Output("handle: variant")
    .Attr("Tvalues: type")
    .Stateful()
    .Doc(
        "Makes a dataset of the rows of a sparse tensor. An element has the parts of a row: "
        "indices, values and shape. Error: the parts do not fit together; the elements are not "
        "ordered by rows.")
    .HostMemory({"indices", "values", "dense_shape"})
    .Shape(ScalarShape)
    .CpuKernelClass<DatasetKernel<&MakeSparseTensorSliceDataset>>();

#define RAMET_DENSE_TO_SPARSE_BATCH(name)                                                     \
  RAMET_OP(name)                                                                              \
      .Input("input_dataset: variant")                                                        \
      .Input("batch_size: int64")                                                             \
      .Input("row_shape: int64")                                                              \
      .Output("handle: variant")                                                              \
      .Attr("output_types: list(type) >= 1")                                                  \
      .Attr("output_shapes: list(shape) >= 1")                                                \
      .Doc(                                                                                   \
          "Makes a dataset of sparse tensors of batch_size dense elements, whose shapes may " \
          "differ. A sparse tensor has the dimensions row_shape after that of the batch; -1 " \
          "becomes the largest size in the batch. Error: batch_size is not positive; an "     \
          "element has another rank than row_shape, or exceeds it (kDataLoss).")              \
      .HostMemory({"batch_size", "row_shape"})                                                \
      .Shape(DatasetShape)                                                                    \
      .CpuKernelClass<DatasetKernel<&MakeDenseToSparseBatchDataset>>()

RAMET_DENSE_TO_SPARSE_BATCH("DenseToSparseBatchDataset");
RAMET_DENSE_TO_SPARSE_BATCH("ExperimentalDenseToSparseBatchDataset");

}  // namespace
}  // namespace ramet
