#include <algorithm>

#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/dataset/parallel_map.h"
#include "ramet/ops/dataset/slices.h"

namespace ramet {
namespace {

// How a batch dataset joins the elements of a batch.
using JoinElements = std::function<StatusOr<Element>(std::span<const Element> elements)>;

class BatchIterator final : public DatasetIterator {
 public:
  BatchIterator(DatasetPtr dataset, IteratorPtr input, int64_t size, bool drop_remainder,
                JoinElements join)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        size_(size),
        drop_remainder_(drop_remainder),
        join_(std::move(join)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    bool input_ended = input_ == nullptr;
    std::vector<Element> batch;
    batch.reserve(static_cast<size_t>(std::min<int64_t>(size_, kReserved)));
    while (!input_ended && std::ssize(batch) < size_) {
      Element next;
      RAMET_RETURN_IF_ERROR(input_->Next(c, &next, &input_ended));
      if (!input_ended) batch.push_back(std::move(next));
    }
    if (input_ended) input_.reset();
    *end = batch.empty() || (drop_remainder_ && std::ssize(batch) < size_);
    if (*end) return OkStatus();
    RAMET_ASSIGN_OR_RETURN(*element, join_(batch));
    return OkStatus();
  }

 private:
  static constexpr int64_t kReserved = 1024;

  IteratorPtr input_;
  const int64_t size_;
  const bool drop_remainder_;
  const JoinElements join_;
};

struct BatchSize {
  int64_t size;
  bool drop_remainder;
};

StatusOr<BatchSize> BatchSizeOf(DatasetArgs& args, int size_input, int remainder_input) {
  RAMET_ASSIGN_OR_RETURN(const int64_t size, args.Int(size_input, "batch_size"));
  if (size <= 0) return InvalidArgument("Batch size must be greater than zero.");
  bool drop_remainder = false;
  if (remainder_input < args.context().num_inputs()) {
    RAMET_ASSIGN_OR_RETURN(drop_remainder, args.Bool(remainder_input, "drop_remainder"));
  }
  return BatchSize{size, drop_remainder};
}

StatusOr<std::shared_ptr<Dataset>> MakeBatches(const DatasetArgs& args, DatasetPtr input,
                                               BatchSize batch, JoinElements join) {
  const int64_t n = input->cardinality();
  const int64_t cardinality =
      n < 0 ? n : n / batch.size + (!batch.drop_remainder && n % batch.size != 0 ? 1 : 0);
  return Dataset::Make(args.spec(), {std::move(input)},
                       OverInput<BatchIterator>(batch.size, batch.drop_remainder, join),
                       cardinality);
}

StatusOr<std::shared_ptr<Dataset>> MakeBatchDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  RAMET_ASSIGN_OR_RETURN(const BatchSize batch, BatchSizeOf(args, 1, 2));
  return MakeBatches(args, std::move(input), batch, &Stack);
}

StatusOr<std::shared_ptr<Dataset>> MakeParallelBatchDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  RAMET_ASSIGN_OR_RETURN(const BatchSize batch, BatchSizeOf(args, 1, 3));
  return MakeBatches(args, std::move(input), batch, &Stack);
}

// The shapes and values that a PaddedBatchDataset pads to.
struct Padding {
  std::vector<Shape> shapes;
  Element values;
};

StatusOr<Padding> PaddingOf(DatasetArgs& args, int count) {
  Padding padding;
  for (int i = 0; i < count; ++i) {
    const Tensor& dims = args.input(2 + i);
    if (dims.rank() != 1) return InvalidArgument("All padded shapes must be vectors");
    std::vector<int64_t> values(dims.flat<int64_t>().begin(), dims.flat<int64_t>().end());
    for (int64_t& dim : values) dim = std::max<int64_t>(dim, -1);
    RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(values));
    padding.shapes.push_back(std::move(shape));
    const Tensor& value = args.input(2 + count + i);
    if (value.rank() != 0) {
      return InvalidArgument("All padding values must be scalars");
    }
    if (value.dtype() != args.spec().types[i]) {
      return InvalidArgument("Mismatched type between padding value ", i,
                             " and input dataset's component ", i, ": ", DTypeName(value.dtype()),
                             " vs. ", DTypeName(args.spec().types[i]));
    }
    RAMET_ASSIGN_OR_RETURN(Tensor owned, value.Owned());
    padding.values.push_back(std::move(owned));
  }
  return padding;
}

StatusOr<std::shared_ptr<Dataset>> MakePaddedBatchDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  RAMET_ASSIGN_OR_RETURN(const int64_t count, args.attrs().Get<int64_t>("N"));
  if (count != std::ssize(args.spec().types)) {
    return InvalidArgument("Number of padded shapes (", count,
                           ") must match the number of components in the input dataset's elements "
                           "(",
                           args.spec().types.size(), ")");
  }
  const int components = static_cast<int>(count);
  RAMET_ASSIGN_OR_RETURN(const BatchSize batch, BatchSizeOf(args, 1, 2 + 2 * components));
  RAMET_ASSIGN_OR_RETURN(Padding padding, PaddingOf(args, components));
  return MakeBatches(args, std::move(input), batch, [padding](std::span<const Element> elements) {
    return StackPadded(elements, padding.shapes, padding.values);
  });
}

StatusOr<std::shared_ptr<Dataset>> MakeMapAndBatchDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset());
  RAMET_ASSIGN_OR_RETURN(auto f, args.Function("f", input->spec().types, args.spec().types));
  const int after = args.after_captured(1);
  RAMET_ASSIGN_OR_RETURN(const BatchSize batch, BatchSizeOf(args, after, after + 2));
  RAMET_ASSIGN_OR_RETURN(const int64_t calls, args.Int(after + 1, "num_parallel_calls"));
  if (calls < 1 && calls != -1) {
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  const int64_t cardinality = input->cardinality();
  ElementSpec mapped = args.spec();
  mapped.shapes.assign(mapped.types.size(), Shape::Unknown());
  RAMET_ASSIGN_OR_RETURN(DatasetPtr map,
                         Dataset::Make(std::move(mapped), {std::move(input)},
                                       ParallelMapFactory(f, ParallelCalls(calls)), cardinality));
  return MakeBatches(args, std::move(map), batch, &Stack);
}

// Passes on the rows of each element.
class UnbatchIterator final : public DatasetIterator {
 public:
  UnbatchIterator(DatasetPtr dataset, IteratorPtr input)
      : DatasetIterator(std::move(dataset)), input_(std::move(input)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    while (at_ >= rows_) {
      RAMET_RETURN_IF_ERROR(input_->Next(c, &batch_, end));
      if (*end) return OkStatus();
      RAMET_RETURN_IF_ERROR(CheckBatch());
    }
    for (const Tensor& component : batch_) {
      RAMET_ASSIGN_OR_RETURN(Tensor row, RowOf(component, at_));
      element->push_back(std::move(row));
    }
    ++at_;
    return OkStatus();
  }

 private:
  Status CheckBatch() {
    at_ = rows_ = 0;
    for (const Tensor& component : batch_) {
      if (component.rank() == 0)
        return InvalidArgument("Input element must have a batch dimension.");
      if (component.dim(0) != batch_[0].dim(0)) {
        return InvalidArgument(
            "Input element must have the same batch size in each component. "
            "Component 0 had size ",
            batch_[0].dim(0), " but component with shape ", component.shape(), " had size ",
            component.dim(0), ".");
      }
    }
    rows_ = batch_[0].dim(0);
    return OkStatus();
  }

  const IteratorPtr input_;
  Element batch_;
  int64_t at_ = 0, rows_ = 0;
};

StatusOr<std::shared_ptr<Dataset>> MakeUnbatchDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  return Dataset::Make(args.spec(), {std::move(input)}, OverInput<UnbatchIterator>());
}

RAMET_OP("BatchDataset")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc("Like BatchDatasetV2 with drop_remainder = false.")
    .HostMemory({"batch_size"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeBatchDataset>>();

RAMET_OP("BatchDatasetV2")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("parallel_copy: bool = false")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of batches: batch_size elements stacked along a new first dimension. The "
        "last batch may be smaller, or is dropped if drop_remainder is true. Error: batch_size is "
        "not positive; elements of a batch have different shapes.")
    .HostMemory({"batch_size", "drop_remainder"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeBatchDataset>>();

RAMET_OP("ParallelBatchDataset")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("num_parallel_calls: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("parallel_copy: bool = false")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("deterministic: string = 'default'")
    .Attr("metadata: string = ''")
    .Doc("Like BatchDatasetV2.")
    .HostMemory({"batch_size", "num_parallel_calls", "drop_remainder"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeParallelBatchDataset>>();

RAMET_OP("PaddedBatchDataset")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("padded_shapes: N * int64")
    .Input("padding_values: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .Attr("metadata: string = ''")
    .Doc("Like PaddedBatchDatasetV2 with drop_remainder = false.")
    .HostMemory({"batch_size", "padded_shapes", "padding_values"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakePaddedBatchDataset>>();

RAMET_OP("PaddedBatchDatasetV2")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("padded_shapes: N * int64")
    .Input("padding_values: Toutput_types")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("parallel_copy: bool = false")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Like BatchDatasetV2, for elements of different shapes. Component i is padded to "
        "padded_shapes[i] with padding_values[i]; a dimension of -1 becomes the largest in the "
        "batch. Error: an element is larger than its padded shape (kDataLoss) or has another rank.")
    .HostMemory({"batch_size", "padded_shapes", "padding_values", "drop_remainder"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakePaddedBatchDataset>>();

RAMET_OP("MapAndBatchDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("batch_size: int64")
    .Input("num_parallel_calls: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("preserve_cardinality: bool = false")
    .Attr("metadata: string = ''")
    .Doc("Makes the dataset of ParallelMapDatasetV2, then that of BatchDatasetV2.")
    .HostMemory({"other_arguments", "batch_size", "num_parallel_calls", "drop_remainder"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeMapAndBatchDataset>>();

RAMET_OP("UnbatchDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of the rows of each element. Error: a component is a scalar; the "
        "components of an element have different numbers of rows.")
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeUnbatchDataset>>();

}  // namespace
}  // namespace ramet
