#include <algorithm>
#include <map>

#include "ramet/base/mutex.h"
#include "ramet/op/op.h"
#include "ramet/op/shared_name.h"
#include "ramet/ops/queue/session_resource.h"
#include "ramet/ops/sparse/pieces.h"

// Ops that keep sparse tensors in the session, so that a handle of each can pass through a queue.

namespace ramet {
namespace {

// A SparseTensorsMap holds sparse tensors by number. Each is taken once. Thread-safe.
class SparseTensorsMap final : public Resource {
 public:
  static constexpr std::string_view kKind = "sparse tensors map";
  explicit SparseTensorsMap(std::string name) : name_(std::move(name)) {}
  std::string_view type_name() const override { return kKind; }

  int64_t Add(SparsePiece piece) {
    MutexLock lock(mutex_);
    pieces_.emplace(next_, std::move(piece));
    return next_++;
  }

  // \error kInvalidArgument: "Unable to find SparseTensor: 7 in map: NAME".
  StatusOr<SparsePiece> Take(int64_t handle) {
    MutexLock lock(mutex_);
    const auto found = pieces_.find(handle);
    if (found == pieces_.end()) {
      return InvalidArgument("Unable to find SparseTensor: ", handle, " in map: ", name_);
    }
    SparsePiece piece = std::move(found->second);
    pieces_.erase(found);
    return piece;
  }

 private:
  const std::string name_;
  Mutex mutex_;
  int64_t next_ RAMET_GUARDED_BY(mutex_) = 0;
  std::map<int64_t, SparsePiece> pieces_ RAMET_GUARDED_BY(mutex_);
};

std::shared_ptr<SparseTensorsMap> FindMap(KernelContext& c, const SharedName& name) {
  return std::dynamic_pointer_cast<SparseTensorsMap>(c.env().resources->FindOrCreate(
      KindContainer(SparseTensorsMap::kKind, name.container), name.name,
      [&] { return std::make_shared<SparseTensorsMap>(name.name); }));
}

// The map outlives the run, so it keeps no borrowed memory.
StatusOr<SparsePiece> OwnedPiece(const SparsePiece& piece) {
  RAMET_ASSIGN_OR_RETURN(Tensor indices, piece.indices.Owned());
  RAMET_ASSIGN_OR_RETURN(Tensor values, piece.values.Owned());
  return SparsePiece{std::move(indices), std::move(values), piece.dims};
}

class AddSparseKernel final : public Kernel {
 public:
  explicit AddSparseKernel(SharedName name) : name_(std::move(name)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<AddSparseKernel>(SharedNameOf(node, true)));
  }

  Status Compute(KernelContext& c) override {
    const SparseView s = SparseInputs(c);
    RAMET_RETURN_IF_ERROR(CheckPieceRanks(s));
    RAMET_RETURN_IF_ERROR(CheckDims(s.dims()));
    RAMET_RETURN_IF_ERROR(CheckParts(s));
    RAMET_ASSIGN_OR_RETURN(SparsePiece piece,
                           OwnedPiece({s.indices, s.values, {s.dims().begin(), s.dims().end()}}));
    c.SetOutput(0, Tensor(FindMap(c, name_)->Add(std::move(piece))));
    return OkStatus();
  }

 private:
  // TensorFlow's messages differ from those of other sparse ops here.
  static Status CheckDims(std::span<const int64_t> dims) {
    for (const int64_t d : dims) {
      if (d < 0) return InvalidArgument("Dimension ", d, " must be >= 0");
    }
    if (DenseShapeOf(dims).ok()) return OkStatus();
    return InvalidArgument("Shape [", StrJoin(dims, ","),
                           "] would have more than 2**63 - 1 elements");
  }

  const SharedName name_;
};

class AddManySparseKernel final : public Kernel {
 public:
  explicit AddManySparseKernel(SharedName name) : name_(std::move(name)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<AddManySparseKernel>(SharedNameOf(node, true)));
  }

  Status Compute(KernelContext& c) override {
    const SparseView s = SparseInputs(c);
    RAMET_RETURN_IF_ERROR(CheckMany(s));
    RAMET_ASSIGN_OR_RETURN(Tensor * handles, c.Allocate(0, kInt64, Shape{s.dims()[0]}));
    const auto map = FindMap(c, name_);
    int64_t* numbers = handles->mutable_data<int64_t>();
    std::fill_n(numbers, handles->num_elements(), int64_t{-1});
    // Like TensorFlow, this numbers the rows with elements first.
    for (const bool empty : {false, true}) {
      RAMET_RETURN_IF_ERROR(
          ForEachPiece(c, s, [&](int64_t row, const SparsePiece& piece) -> Status {
            if ((piece.values.dim(0) == 0) != empty) return OkStatus();
            RAMET_ASSIGN_OR_RETURN(SparsePiece owned, OwnedPiece(piece));
            numbers[row] = map->Add(std::move(owned));
            return OkStatus();
          }));
    }
    return OkStatus();
  }

 private:
  static Status CheckMany(const SparseView& s) {
    RAMET_RETURN_IF_ERROR(CheckPieceRanks(s));
    if (s.values.dim(0) != s.indices.dim(0)) {
      return InvalidArgument("Number of values must match first dimension of indices. Got ",
                             s.values.dim(0), " values, indices shape: ", s.indices.shape());
    }
    if (s.shape.dim(0) != s.indices.dim(1)) {
      return InvalidArgument("Number of dimensions must match second dimension of indices. Got ",
                             s.shape.dim(0), " dimensions, indices shape: ", s.indices.shape());
    }
    RAMET_RETURN_IF_ERROR(CheckPieceRank(s));
    RAMET_RETURN_IF_ERROR(DenseShapeOf(s.dims()).status());
    return CheckOrdered(s);
  }

  const SharedName name_;
};

class TakeManySparseKernel final : public Kernel {
 public:
  TakeManySparseKernel(SharedName name, DType dtype) : name_(std::move(name)), dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const DType dtype, node.attrs->Get<DType>("dtype"));
    return std::unique_ptr<Kernel>(
        std::make_unique<TakeManySparseKernel>(SharedNameOf(node, true), dtype));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& handles = c.input(0);
    if (handles.rank() != 1) {
      return InvalidArgument("sparse_handles should be a vector but received shape ",
                             handles.shape());
    }
    if (handles.dim(0) == 0) {
      return InvalidArgument(
          "Must have at least 1 serialized SparseTensor, but input matrix has 0 rows");
    }
    const auto map = FindMap(c, name_);
    std::vector<SparsePiece> pieces;
    for (const int64_t handle : handles.flat<int64_t>()) {
      RAMET_ASSIGN_OR_RETURN(SparsePiece piece, map->Take(handle));
      if (piece.values.dtype() != dtype_) {
        return InvalidArgument("Requested SparseTensor of type ", DTypeName(dtype_),
                               " but SparseTensor[", pieces.size(),
                               "].values.dtype() == ", DTypeName(piece.values.dtype()));
      }
      pieces.push_back(std::move(piece));
    }
    return StackPieces(c, pieces, handles.shape(), "rank");
  }

 private:
  const SharedName name_;
  const DType dtype_;
};

Status AddSparseShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(SparseInputRank(c, 0).status());
  c.set_output(0, Shape());
  return OkStatus();
}

Status AddManySparseShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(SparseInputRank(c, 0).status());
  c.set_output(0, Shape{Shape::kUnknownDim});
  return OkStatus();
}

Status TakeManySparseShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  SetSparseOutputs(c, 0, Shape::kUnknownDim);
  return OkStatus();
}

#define RAMET_ADD_SPARSE(name)          \
  RAMET_OP(name)                        \
      .Input("sparse_indices: int64")   \
      .Input("sparse_values: T")        \
      .Input("sparse_shape: int64")     \
      .Attr("T: type")                  \
      .Attr("container: string = ''")   \
      .Attr("shared_name: string = ''") \
      .Stateful()

RAMET_ADD_SPARSE("AddSparseToTensorsMap")
    .Output("sparse_handle: int64")
    .Doc(
        "Adds a sparse tensor to the session's map named shared_name (default: the name of the "
        "node) and returns its number, a scalar. Error: the inputs are not the parts of a sparse "
        "tensor.")
    .Shape(AddSparseShape)
    .CpuKernelClass<AddSparseKernel>();

RAMET_ADD_SPARSE("AddManySparseToTensorsMap")
    .Output("sparse_handles: int64")
    .Doc(
        "Adds each row (slice along dimension 0) of a sparse tensor of rank 2 or more to the "
        "session's map named shared_name (default: the name of the node) and returns their "
        "numbers, a vector. Error: the inputs are not the parts of a sparse tensor; its elements "
        "are not sorted; an index is out of bounds.")
    .Shape(AddManySparseShape)
    .CpuKernelClass<AddManySparseKernel>();

RAMET_OP("TakeManySparseFromTensorsMap")
    .Input("sparse_handles: int64")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Doc(
        "Takes the sparse tensors with the numbers sparse_handles, a vector, out of the session's "
        "map named shared_name and stacks them along a new dimension 0; each dimension gets the "
        "largest size. Error: sparse_handles is empty; the map does not have a number; the "
        "ranks differ; the values have a different dtype.")
    .Shape(TakeManySparseShape)
    .CpuKernelClass<TakeManySparseKernel>();

}  // namespace
}  // namespace ramet
