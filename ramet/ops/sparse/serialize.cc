#include "ramet/base/coding.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/sparse/pieces.h"
#include "ramet/ops/sparse/serialized_tensor.h"
#include "ramet/tensor/tensor_proto.h"

// Serialized sparse tensors: three elements each, indices, values and shape, which are TensorProtos
// (strings) or the tensors themselves (variants).

namespace ramet {
namespace {

// Writes the elements to tensor_content, also strings: their lengths, then their bytes.
Status ToContentProto(const Tensor& part, TensorProto& proto) {
  proto.set_dtype(static_cast<DataType>(part.dtype()));
  ShapeToProto(part.shape(), proto.mutable_tensor_shape());
  if (IsVariant(part.dtype())) return Unimplemented("variants cannot be serialized to strings");
  if (part.dtype() != kString) {
    if (part.bytes() > 0) proto.set_tensor_content(part.raw_data(), part.bytes());
    return OkStatus();
  }
  std::string* content = proto.mutable_tensor_content();
  for (const std::string& text : part.flat<std::string>()) AppendVarint64(content, text.size());
  for (const std::string& text : part.flat<std::string>()) *content += text;
  return OkStatus();
}

Status WriteElement(const Tensor& part, Tensor& out, int64_t at) {
  if (out.dtype() == DType::kVariant) {
    RAMET_ASSIGN_OR_RETURN(Tensor owned, part.Owned());
    out.mutable_data<Variant>()[at] = Variant(std::make_shared<SerializedTensor>(std::move(owned)));
    return OkStatus();
  }
  TensorProto proto;
  RAMET_RETURN_IF_ERROR(ToContentProto(part, proto));
  if (proto.SerializeToString(&out.mutable_data<std::string>()[at])) return OkStatus();
  return InvalidArgument("a tensor of ", part.bytes(),
                         " bytes is too large for a TensorProto (limit 2 GiB)");
}

StatusOr<Tensor> ReadElement(const Tensor& serialized, int64_t at) {
  if (serialized.dtype() == DType::kVariant) {
    const auto* held = serialized.data<Variant>()[at].get<SerializedTensor>();
    if (held == nullptr) return InvalidArgument("Could not get a tensor from serialized_sparse");
    return held->tensor;
  }
  TensorProto proto;
  if (!proto.ParseFromString(serialized.data<std::string>()[at])) {
    return InvalidArgument("Could not parse serialized proto");
  }
  auto tensor = TensorFromProto(proto);
  if (!tensor.ok()) return InvalidArgument("Could not construct tensor from proto");
  return tensor;
}

Status WritePiece(const SparsePiece& piece, Tensor& out, int64_t row) {
  RAMET_RETURN_IF_ERROR(WriteElement(piece.indices, out, 3 * row));
  RAMET_RETURN_IF_ERROR(WriteElement(piece.values, out, 3 * row + 1));
  return WriteElement(Tensor::Vector(piece.dims), out, 3 * row + 2);
}

template <bool kMany>
class SerializeKernel final : public Kernel {
 public:
  explicit SerializeKernel(DType type) : type_(type) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<SerializeKernel>(node.output_types[0]));
  }

  Status Compute(KernelContext& c) override {
    const SparseView s = SparseInputs(c);
    RAMET_RETURN_IF_ERROR(CheckPieceRanks(s));
    if (kMany) return SerializeRows(c, s);
    RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, type_, Shape{3}));
    RAMET_RETURN_IF_ERROR(WriteElement(s.indices, *out, 0));
    RAMET_RETURN_IF_ERROR(WriteElement(s.values, *out, 1));
    return WriteElement(s.shape, *out, 2);
  }

 private:
  Status SerializeRows(KernelContext& c, const SparseView& s) {
    RAMET_RETURN_IF_ERROR(CheckPieceRank(s));
    RAMET_RETURN_IF_ERROR(DenseShapeOf(s.dims()).status());
    RAMET_RETURN_IF_ERROR(CheckParts(s));
    RAMET_RETURN_IF_ERROR(CheckOrdered(s));
    RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, type_, Shape{s.dims()[0], 3}));
    return ForEachPiece(
        c, s, [&](int64_t row, const SparsePiece& piece) { return WritePiece(piece, *out, row); });
  }

  const DType type_;
};

Status CheckSerialized(const Tensor& serialized) {
  const Shape& shape = serialized.shape();
  if (shape.rank() == 0) {
    return InvalidArgument("Serialized sparse should have non-zero rank ", shape);
  }
  if (shape.dim(shape.rank() - 1) != 3) {
    return InvalidArgument("Serialized sparse should have 3 as the last dimension ", shape);
  }
  for (int d = 0; d + 1 < shape.rank(); ++d) {
    if (shape.dim(d) > 0) continue;
    return InvalidArgument(
        "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension ",
        shape);
  }
  return OkStatus();
}

StatusOr<SparsePiece> ReadPiece(const Tensor& serialized, int64_t row) {
  SparsePiece piece;
  RAMET_ASSIGN_OR_RETURN(piece.indices, ReadElement(serialized, 3 * row));
  RAMET_ASSIGN_OR_RETURN(piece.values, ReadElement(serialized, 3 * row + 1));
  RAMET_ASSIGN_OR_RETURN(const Tensor shape, ReadElement(serialized, 3 * row + 2));
  if (piece.indices.rank() != 2 || piece.indices.dtype() != kInt64) {
    return InvalidArgument("Expected serialized_sparse[", row,
                           ", 0] to represent an index matrix but received shape ",
                           piece.indices.shape());
  }
  if (piece.values.rank() != 1) {
    return InvalidArgument("Expected serialized_sparse[", row,
                           ", 1] to represent a values vector but received shape ",
                           piece.values.shape());
  }
  if (shape.rank() != 1 || shape.dtype() != kInt64) {
    return InvalidArgument("Expected serialized_sparse[", row,
                           ", 1] to be a shape vector but its shape is ", shape.shape());
  }
  piece.dims.assign(shape.flat<int64_t>().begin(), shape.flat<int64_t>().end());
  return piece;
}

Status CheckPiece(const SparsePiece& piece, int64_t i, DType dtype) {
  if (piece.values.dtype() != dtype) {
    return InvalidArgument("Requested SparseTensor of type ", DTypeName(dtype),
                           " but SparseTensor[", i,
                           "].values.dtype() == ", DTypeName(piece.values.dtype()));
  }
  if (piece.indices.dim(0) != piece.values.dim(0)) {
    return InvalidArgument("Expected row counts of SparseTensor[", i, "].indices and SparseTensor[",
                           i, "].values to match but they do not: ", piece.indices.dim(0), " vs. ",
                           piece.values.dim(0));
  }
  if (piece.indices.dim(1) != std::ssize(piece.dims)) {
    return InvalidArgument(
        "Expected column counts of SparseTensor[", i, "].indices to match size of SparseTensor[", i,
        "].shape but they do not: ", piece.indices.dim(1), " vs. ", piece.dims.size());
  }
  return OkStatus();
}

class DeserializeKernel final : public Kernel {
 public:
  explicit DeserializeKernel(DType dtype) : dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const DType dtype, node.attrs->Get<DType>("dtype"));
    return std::unique_ptr<Kernel>(std::make_unique<DeserializeKernel>(dtype));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& serialized = c.input(0);
    RAMET_RETURN_IF_ERROR(CheckSerialized(serialized));
    const Shape batch = serialized.shape().Slice(0, serialized.rank() - 1);
    std::vector<SparsePiece> pieces;
    for (int64_t i = 0; i < batch.num_elements(); ++i) {
      RAMET_ASSIGN_OR_RETURN(SparsePiece piece, ReadPiece(serialized, i));
      RAMET_RETURN_IF_ERROR(CheckPiece(piece, i, dtype_));
      pieces.push_back(std::move(piece));
    }
    return StackPieces(c, pieces, batch, "shape");
  }

 private:
  const DType dtype_;
};

Status SerializeShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(SparseInputRank(c, 0).status());
  c.set_output(0, Shape{3});
  return OkStatus();
}

Status SerializeManyShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(SparseInputRank(c, 0).status());
  c.set_output(0, Shape{Shape::kUnknownDim, 3});
  return OkStatus();
}

Status DeserializeShape(ShapeContext& c) {
  const Shape& serialized = c.input(0);
  if (!serialized.unknown_rank()) RAMET_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
  if (serialized.rank() > 0) {
    RAMET_RETURN_IF_ERROR(Shape{serialized.dim(serialized.rank() - 1)}.MergeWith({3}).status());
  }
  SetSparseOutputs(c, 0, Shape::kUnknownDim);
  return OkStatus();
}

Status DeserializeManyShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape serialized, c.WithRank(0, 2));
  RAMET_RETURN_IF_ERROR(Shape{serialized.dim(1)}.MergeWith({3}).status());
  SetSparseOutputs(c, 0, Shape::kUnknownDim);
  return OkStatus();
}

#define RAMET_SERIALIZE(name)                \
  RAMET_OP(name)                             \
      .Input("sparse_indices: int64")        \
      .Input("sparse_values: T")             \
      .Input("sparse_shape: int64")          \
      .Output("serialized_sparse: out_type") \
      .Attr("T: type")                       \
      .Attr("out_type: {string, variant} = string")

RAMET_SERIALIZE("SerializeSparse")
    .Doc(
        "Returns a sparse tensor as a vector of its 3 parts, indices, values and shape: "
        "TensorProtos if out_type is string. Error: the indices are not a matrix, or the values "
        "or the shape not a vector.")
    .Shape(SerializeShape)
    .CpuKernelClass<SerializeKernel<false>>();

RAMET_SERIALIZE("SerializeManySparse")
    .Doc(
        "Returns each row (slice along dimension 0) of a sparse tensor of rank 2 or more as 3 "
        "parts, indices, values and shape, in a matrix [rows, 3]: TensorProtos if out_type is "
        "string. Error: the inputs are not the parts of a sparse tensor; its elements are not "
        "sorted; an index is out of bounds.")
    .Shape(SerializeManyShape)
    .CpuKernelClass<SerializeKernel<true>>();

RAMET_OP("DeserializeSparse")
    .Input("serialized_sparse: Tserialized")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .Attr("Tserialized: {string, variant} = string")
    .Doc(
        "Returns the sparse tensor whose 3 parts serialized_sparse holds. If serialized_sparse is "
        "not a vector, its last dimension holds the parts, and the sparse tensors are stacked "
        "along the leading dimensions; each dimension gets the largest size. Error: an element is "
        "not a serialized tensor; the parts do not fit together; the values have a different "
        "dtype; the ranks differ.")
    .Shape(DeserializeShape)
    .CpuKernelClass<DeserializeKernel>();

RAMET_OP("DeserializeManySparse")
    .Input("serialized_sparse: string")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .Doc(
        "Returns the sparse tensors that the rows of serialized_sparse, [n, 3], hold, stacked "
        "along a new dimension 0; each dimension gets the largest size. Error: an element is not a "
        "serialized tensor; the parts do not fit together; the values have a different dtype; the "
        "ranks differ.")
    .Shape(DeserializeManyShape)
    .CpuKernelClass<DeserializeKernel>();

}  // namespace

Tensor VariantsOf(std::vector<Tensor> parts) {
  Tensor made(DType::kVariant, Shape{std::ssize(parts)});
  Variant* out = made.mutable_data<Variant>();
  for (Tensor& part : parts) {
    *out++ = Variant(std::make_shared<SerializedTensor>(std::move(part)));
  }
  return made;
}

}  // namespace ramet
