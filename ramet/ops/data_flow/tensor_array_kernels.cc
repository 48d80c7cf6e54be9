#include "ramet/ops/data_flow/tensor_array_kernels.h"

#include <numeric>

#include "ramet/ops/array/args.h"
#include "ramet/ops/data_flow/join.h"
#include "ramet/ops/data_flow/run_resource.h"
#include "ramet/ops/data_flow/tensor_array.h"

namespace ramet::tensor_array {
namespace {

using ArrayPtr = std::shared_ptr<TensorArray>;
using KernelPtr = std::unique_ptr<Kernel>;

StatusOr<ArrayPtr> Array(KernelContext& c) {
  return InputResourceAs<TensorArray>(c, "tensor array");
}

Status OutputFlow(KernelContext& c, int i) {
  RAMET_ASSIGN_OR_RETURN(Tensor * flow, c.Allocate(i, kFloat, Shape()));
  *flow->mutable_data<float>() = 0;
  return OkStatus();
}

class MakeArrayKernel final : public Kernel {
 public:
  MakeArrayKernel(TensorArrayOptions options, DType form)
      : options_(std::move(options)), form_(form) {}

  Status Compute(KernelContext& c) override {
    const Tensor& size = c.input(0);
    if (size.rank() != 0) {
      return InvalidArgument("TensorArray size must be scalar, but had shape: ", size.shape());
    }
    TensorArrayOptions options = options_;
    options.size = size.scalar<int32_t>();
    if (options.size < 0) return InvalidArgument("Size should be >= 0.");
    if (options.size > TensorArray::kMaxElements) {
      return ResourceExhausted("a TensorArray of ", options.size, " elements exceeds the limit of ",
                               TensorArray::kMaxElements);
    }
    const std::string name = UniqueResourceName(options_.name);
    options.name = name;
    RAMET_RETURN_IF_ERROR(OutputResource(c, form_, "_tensor_arrays", name,
                                         std::make_shared<TensorArray>(std::move(options))));
    return c.num_outputs() > 1 ? OutputFlow(c, 1) : OkStatus();
  }

 private:
  const TensorArrayOptions options_;
  const DType form_;
};

class GradientKernel final : public Kernel {
 public:
  GradientKernel(std::string source, DType form) : source_(std::move(source)), form_(form) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(ArrayPtr array, Array(c));
    Shape prepended;
    if (c.num_inputs() > 2) {
      RAMET_ASSIGN_OR_RETURN(prepended, ShapeArg(c.input(2), "shape_to_prepend"));
    }
    RAMET_ASSIGN_OR_RETURN(ArrayPtr gradient, array->GradientFor(source_, prepended));
    const std::string name = gradient->name();
    RAMET_RETURN_IF_ERROR(
        OutputResource(c, form_, "_tensor_array_grads", name, std::move(gradient)));
    return c.num_outputs() > 1 ? OutputFlow(c, 1) : OkStatus();
  }

 private:
  const std::string source_;
  const DType form_;
};

StatusOr<int64_t> Index(const Tensor& index) {
  if (index.rank() == 0) return index.scalar<int32_t>();
  return InvalidArgument("TensorArray index must be scalar, but had shape: ", index.shape());
}

StatusOr<std::vector<int64_t>> Indices(const Tensor& indices) {
  if (indices.rank() != 1) {
    return InvalidArgument("Expected indices to be a vector, but received shape: ",
                           indices.shape());
  }
  const auto values = indices.flat<int32_t>();
  return std::vector<int64_t>(values.begin(), values.end());
}

std::vector<int64_t> Numbered(int64_t n) {
  std::vector<int64_t> numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// The base of kernels that read tensors of a dtype and a partial shape.
class Reader : public Kernel {
 protected:
  Reader(const KernelNode& node, std::string_view shape_attr)
      : dtype_(node.output_types[0]),
        shape_(node.attrs->GetOr<Shape>(shape_attr, Shape::Unknown())) {}

  const DType dtype_;
  const Shape shape_;
};

class ReadKernel final : public Reader {
 public:
  explicit ReadKernel(const KernelNode& node) : Reader(node, "") {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const int64_t index, Index(c.input(1)));
    RAMET_ASSIGN_OR_RETURN(ArrayPtr array, Array(c));
    RAMET_RETURN_IF_ERROR(array->CheckRead(dtype_));
    RAMET_ASSIGN_OR_RETURN(auto values, array->Read(c.allocator(), {&index, 1}));
    c.SetOutput(0, std::move(values[0]));
    return OkStatus();
  }
};

// Gather, and Pack, which reads all elements and has no indices.
class GatherKernel final : public Reader {
 public:
  GatherKernel(const KernelNode& node, bool all) : Reader(node, "element_shape"), all_(all) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(ArrayPtr array, Array(c));
    RAMET_RETURN_IF_ERROR(array->CheckRead(dtype_));
    RAMET_RETURN_IF_ERROR(array->NarrowElementShape(shape_));
    std::vector<int64_t> indices;
    RAMET_ASSIGN_OR_RETURN(const int64_t size, array->Size());
    if (all_) {
      indices = Numbered(size);
    } else {
      RAMET_ASSIGN_OR_RETURN(indices, Indices(c.input(1)));
    }
    if (indices.empty()) return OutputNothing(c);
    RAMET_ASSIGN_OR_RETURN(auto values, array->Read(c.allocator(), indices));
    for (size_t i = 1; i < values.size(); ++i) {
      if (values[i].shape() == values[0].shape()) continue;
      return InvalidArgument(
          "TensorArray has inconsistent shapes.  Index 0 has shape: ", values[0].shape(),
          " but index ", i, " has shape: ", values[i].shape());
    }
    return OutputStack(c, dtype_, values[0].shape(), values);
  }

 private:
  Status OutputNothing(KernelContext& c) const {
    if (shape_.IsFullyDefined()) return OutputStack(c, dtype_, shape_, {});
    return Unimplemented("TensorArray has size zero, but element shape ", shape_,
                         " is not fully defined. Currently only static shapes are supported when "
                         "packing zero-size TensorArrays.");
  }

  const bool all_;
};

class ConcatKernel final : public Reader {
 public:
  explicit ConcatKernel(const KernelNode& node) : Reader(node, "element_shape_except0") {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(ArrayPtr array, Array(c));
    RAMET_RETURN_IF_ERROR(array->CheckRead(dtype_));
    RAMET_ASSIGN_OR_RETURN(const int64_t size, array->Size());
    if (size == 0 && !shape_.IsFullyDefined()) {
      return Unimplemented("TensorArray has size zero, but element_shape_except0 ", shape_,
                           " is not fully defined. Currently only static shapes are supported when "
                           "concatenating zero-size TensorArrays.");
    }
    RAMET_ASSIGN_OR_RETURN(auto values, array->Read(c.allocator(), Numbered(size)));
    Shape row = shape_;
    RAMET_RETURN_IF_ERROR(CheckRows(values, &row));
    RAMET_ASSIGN_OR_RETURN(Tensor * lengths, c.Allocate(1, kInt64, Shape{size}));
    for (int64_t i = 0; i < size; ++i) lengths->mutable_data<int64_t>()[i] = values[i].dim(0);
    return OutputConcat(c, dtype_, row, values);
  }

 private:
  static Status CheckRows(const std::vector<Tensor>& values, Shape* row) {
    for (size_t i = 0; i < values.size(); ++i) {
      const Shape& shape = values[i].shape();
      if (shape.rank() == 0) {
        return InvalidArgument("Concat saw a scalar shape at index ", i,
                               " but requires at least vectors.  Did you mean to call pack?");
      }
      const Shape rest = shape.Slice(1, shape.rank());
      if (i == 0) *row = rest;
      if (rest == *row) continue;
      return InvalidArgument(
          "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: ", *row,
          " but index ", i, " has (excepting dimension 0) shape: ", rest);
    }
    return OkStatus();
  }
};

Status WriteRows(KernelContext& c, TensorArray& array, std::span<const int64_t> indices,
                 const Tensor& value) {
  RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> rows, Rows(c, value));
  RAMET_RETURN_IF_ERROR(array.Write(c.allocator(), indices, rows));
  return OutputFlow(c, 0);
}

Status CheckUnpackable(const Tensor& value) {
  if (value.rank() > 0) return OkStatus();
  return InvalidArgument("Input value for unpack must be at least a vector but received shape: ",
                         value.shape());
}

Status CheckLengths(const Tensor& value, std::span<const int64_t> lengths) {
  int64_t sum = 0;
  for (int64_t length : lengths) {
    if (length < 0) {
      return InvalidArgument("Expected lengths to be non-negative, but received ", length);
    }
    if (__builtin_add_overflow(sum, length, &sum)) sum = -1;
    if (sum < 0) break;
  }
  if (sum == value.dim(0)) return OkStatus();
  return InvalidArgument(
      "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is ", sum,
      " and value's shape is: ", value.shape());
}

StatusOr<KernelPtr> Made(KernelPtr kernel) { return kernel; }

}  // namespace

StatusOr<KernelPtr> MakeArray(const KernelNode& node) {
  TensorArrayOptions options;
  RAMET_ASSIGN_OR_RETURN(options.dtype, node.attrs->Get<DType>("dtype"));
  options.name = node.attrs->GetOr<std::string>("tensor_array_name", "");
  if (options.name.empty()) options.name = node.name;
  options.element_shape = node.attrs->GetOr<Shape>("element_shape", Shape::Unknown());
  options.identical_element_shapes = node.attrs->GetOr<bool>("identical_element_shapes", false);
  options.dynamic_size = node.attrs->GetOr<bool>("dynamic_size", false);
  options.clear_after_read = node.attrs->GetOr<bool>("clear_after_read", true);
  return Made(std::make_unique<MakeArrayKernel>(std::move(options), node.output_types[0]));
}

StatusOr<KernelPtr> MakeGradient(const KernelNode& node) {
  RAMET_ASSIGN_OR_RETURN(std::string source, node.attrs->Get<std::string>("source"));
  return Made(std::make_unique<GradientKernel>(std::move(source), node.output_types[0]));
}

StatusOr<KernelPtr> MakeRead(const KernelNode& node) {
  return Made(std::make_unique<ReadKernel>(node));
}

StatusOr<KernelPtr> MakeGather(const KernelNode& node) {
  return Made(std::make_unique<GatherKernel>(node, false));
}

StatusOr<KernelPtr> MakePack(const KernelNode& node) {
  return Made(std::make_unique<GatherKernel>(node, true));
}

StatusOr<KernelPtr> MakeConcat(const KernelNode& node) {
  return Made(std::make_unique<ConcatKernel>(node));
}

Status Write(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const int64_t index, Index(c.input(1)));
  RAMET_ASSIGN_OR_RETURN(ArrayPtr array, Array(c));
  RAMET_RETURN_IF_ERROR(array->CheckWrite(c.input(2).dtype()));
  RAMET_RETURN_IF_ERROR(array->Write(c.allocator(), {&index, 1}, {&c.input(2), 1}));
  return OutputFlow(c, 0);
}

Status Scatter(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(ArrayPtr array, Array(c));
  const Tensor& value = c.input(2);
  RAMET_RETURN_IF_ERROR(array->CheckWrite(value.dtype()));
  RAMET_ASSIGN_OR_RETURN(auto indices, Indices(c.input(1)));
  RAMET_RETURN_IF_ERROR(CheckUnpackable(value));
  if (std::ssize(indices) != value.dim(0)) {
    return InvalidArgument("Expected len(indices) == values.shape[0], but saw: ", indices.size(),
                           " vs. ", value.dim(0));
  }
  RAMET_ASSIGN_OR_RETURN(const int64_t size, array->Size());
  const int64_t largest = indices.empty() ? -1 : *std::ranges::max_element(indices);
  if (largest >= size && !array->dynamic_size()) {
    return InvalidArgument("Max scatter index must be < array size (", largest, " vs. ", size, ")");
  }
  return WriteRows(c, *array, indices, value);
}

Status Unpack(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(ArrayPtr array, Array(c));
  const Tensor& value = c.input(1);
  RAMET_RETURN_IF_ERROR(array->CheckWrite(value.dtype()));
  RAMET_RETURN_IF_ERROR(CheckUnpackable(value));
  RAMET_ASSIGN_OR_RETURN(const int64_t size, array->Size());
  if (value.dim(0) != size && !(value.dim(0) > size && array->dynamic_size())) {
    return InvalidArgument("Input value must have first dimension equal to the array size (",
                           value.dim(0), " vs. ", size, ")");
  }
  if (value.dim(0) > TensorArray::kMaxElements) {
    return ResourceExhausted("a TensorArray of ", value.dim(0), " elements exceeds the limit of ",
                             TensorArray::kMaxElements);
  }
  return WriteRows(c, *array, Numbered(value.dim(0)), value);
}

Status Split(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(ArrayPtr array, Array(c));
  const Tensor &value = c.input(1), &sizes = c.input(2);
  RAMET_RETURN_IF_ERROR(array->CheckWrite(value.dtype()));
  if (sizes.rank() != 1) {
    return InvalidArgument("Expected lengths to be a vector, received shape: ", sizes.shape());
  }
  if (value.rank() == 0) {
    return InvalidArgument("Expected value to be at least a vector, but received shape: ",
                           value.shape());
  }
  const auto lengths = sizes.flat<int64_t>();
  RAMET_RETURN_IF_ERROR(CheckLengths(value, lengths));
  RAMET_ASSIGN_OR_RETURN(const int64_t size, array->Size());
  const int64_t n = std::ssize(lengths);
  if (n != size && !(n > size && array->dynamic_size())) {
    return InvalidArgument("TensorArray's size is not equal to the size of lengths (", size,
                           " vs. ", n,
                           "), and the TensorArray is not marked as dynamically resizeable");
  }
  RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> pieces, Pieces(c, value, lengths));
  RAMET_RETURN_IF_ERROR(array->Write(c.allocator(), Numbered(n), pieces));
  return OutputFlow(c, 0);
}

Status Size(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(ArrayPtr array, Array(c));
  RAMET_ASSIGN_OR_RETURN(const int64_t size, array->Size());
  RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, kInt32, Shape()));
  *out->mutable_data<int32_t>() = static_cast<int32_t>(size);
  return OkStatus();
}

Status Close(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(ArrayPtr array, Array(c));
  array->Close();
  return OkStatus();
}

}  // namespace ramet::tensor_array
