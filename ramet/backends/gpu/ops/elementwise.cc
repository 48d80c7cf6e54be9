#include <algorithm>
#include <memory>
#include <string>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/broadcast.h"
#include "ramet/backends/gpu/ops/elementwise_table.h"
#include "ramet/backends/gpu/ops/program_variants.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/op.h"
#include "ramet/tensor/shape.h"

// Kernels of element-wise ops, generated from the table in elementwise_table.cc.

namespace ramet::gpu {
namespace {

using linalg::BroadcastPlan;

// Definitions: T and R, the tags of operands and result; EXPRESSION; IS_FLOAT, IS_DOUBLE; U, an
// unsigned type that is at least as wide as T and at least 32 bits wide.
constexpr std::string_view kUnarySource = R"(
typedef VALUE(T) V;
#if IS_DOUBLE
#define K(x) (x)
#else
#define K(x) ((V)x##f)
#endif
#if IS_FLOAT
#else
#define ADD(a, b) ((V)((U)(a) + (U)(b)))
#define SUB(a, b) ((V)((U)(a) - (U)(b)))
#define MUL(a, b) ((V)((U)(a) * (U)(b)))
#endif
KERNEL(unary)(GLOBAL const STORED(T)* x, GLOBAL STORED(R)* y, index_t n) {
  FOR_EACH(i, n) {
    const V a = LOAD(T, x, i);
    STORE(R, y, i, (EXPRESSION));
  }
}
)";

constexpr std::string_view kBinaryFunctions = R"(
#define SHIFT(b) ((b) < 0 ? 0 : (b) > (V)(sizeof(V) * 8 - 1) ? (int)(sizeof(V) * 8 - 1) : (int)(b))
#if IS_FLOAT
FUNCTION V floor_mod(V a, V b) {
  const V rest = fmod(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}
#endif
KERNEL(flat)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* y, GLOBAL STORED(R)* z,
             index_t step_x, index_t step_y, index_t n) {
  FOR_EACH(i, n) {
    const V a = LOAD(T, x, i * step_x);
    const V b = LOAD(T, y, i * step_y);
    STORE(R, z, i, (EXPRESSION));
  }
}
KERNEL(broadcast)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* y, GLOBAL STORED(R)* z,
                  Broadcast plan, index_t n) {
  FOR_EACH(i, n) {
    const V a = LOAD(T, x, broadcast_at(&plan, 0, i));
    const V b = LOAD(T, y, broadcast_at(&plan, 1, i));
    STORE(R, z, i, (EXPRESSION));
  }
}
)";

const Program& UnaryProgram() {
  static const Program program = {"unary", kUnarySource};
  return program;
}

const Program& BinaryProgram() {
  static const auto* const source = new std::string(StrCat(
      kBroadcastSource, kUnarySource.substr(0, kUnarySource.find("KERNEL")), kBinaryFunctions));
  static const Program program = {"binary", *source};
  return program;
}

std::string_view ExpressionFor(const ElementwiseRow& row, DType dtype) {
  if (dtype == kBool) return row.bools;
  return IsFloating(dtype) ? row.floats : row.ints;
}

bool IsUnsigned(DType dtype) {
  return dtype == kUInt8 || dtype == kUInt16 || dtype == kUInt32 || dtype == kUInt64;
}

bool HasKernelFor(const ElementwiseRow& row, DType dtype) {
  if (ExpressionFor(row, dtype).empty()) return false;
  if ((row.flags & kOnlyPlainFloats) && (dtype == kHalf || dtype == kBFloat16)) return false;
  return !(row.flags & kOnlySignedInts) || !IsUnsigned(dtype);
}

Definitions DefinitionsFor(const ElementwiseRow& row, DType dtype) {
  const std::string tag(DialectTag(dtype));
  return {{"T", tag},
          {"R", (row.flags & kReturnsBool) ? "b8" : tag},
          {"U", DTypeSize(dtype) == 8 ? "u64" : "u32"},
          {"IS_FLOAT", IsFloating(dtype) ? "1" : "0"},
          {"IS_DOUBLE", dtype == kDouble ? "1" : "0"},
          {"EXPRESSION", std::string(ExpressionFor(row, dtype))}};
}

class UnaryKernel final : public Kernel {
 public:
  UnaryKernel(const ElementwiseRow& row, DType dtype)
      : kernel_{UnaryProgram(), "unary", DefinitionsFor(row, dtype)},
        result_((row.flags & kReturnsBool) ? kBool : dtype) {}

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, result_, x.shape()));
    const int64_t n = y->num_elements();
    return LaunchForEach(c, kernel_, n, {x, *y, Index{n}});
  }

 private:
  const KernelSpec kernel_;
  const DType result_;
};

class BinaryKernel final : public Kernel {
 public:
  BinaryKernel(const ElementwiseRow& row, DType dtype, bool shapes_must_fit)
      : form_(row.form),
        flat_{BinaryProgram(), "flat", DefinitionsFor(row, dtype)},
        broadcast_{BinaryProgram(), "broadcast", DefinitionsFor(row, dtype)},
        result_((row.flags & kReturnsBool) ? kBool : dtype),
        unequal_if_incompatible_(shapes_must_fit ? -1 : row.op == "NotEqual") {}

  Status Compute(KernelContext& c) override {
    const Shape& x = c.input(0).shape();
    const Shape& y = c.input(1).shape();
    RAMET_RETURN_IF_ERROR(CheckShapes(x, y));
    if (x == y || form_ != ElementwiseForm::kBroadcast) return Flat(c, x, 1, 1);
    if (y.rank() == 0) return Flat(c, x, 1, 0);
    if (x.rank() == 0) return Flat(c, y, 0, 1);
    auto shape = BroadcastShapes(x, y);
    if (!shape.ok() && unequal_if_incompatible_ >= 0) return Incompatible(c);
    if (!shape.ok()) return shape.status();
    BroadcastPlan plan;
    if (!BroadcastPlan::Make(x.dims(), y.dims(), &plan)) {
      return InvalidArgument("the broadcast of ", x, " and ", y, " has too many elements");
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * z, Output(c, *shape));
    RAMET_ASSIGN_OR_RETURN(const LaunchArgument argument, BroadcastArgument(plan, 2));
    const int64_t n = z->num_elements();
    return LaunchForEach(c, broadcast_, n, {c.input(0), c.input(1), *z, argument, Index{n}});
  }

 private:
  Status CheckShapes(const Shape& x, const Shape& y) const {
    if (form_ == ElementwiseForm::kPairs && x.num_elements() != y.num_elements()) {
      return InvalidArgument(
          "The two arguments to a cwise op must have same number of elements, got ",
          x.num_elements(), " and ", y.num_elements());
    }
    if (form_ == ElementwiseForm::kSameShape && x != y) {
      return InvalidArgument("Inputs must have the same size and shape.  Input 0: ", x,
                             " != input 1: ", y);
    }
    return OkStatus();
  }

  StatusOr<Tensor*> Output(KernelContext& c, const Shape& shape) const {
    if (result_ != c.input(0).dtype()) return c.Allocate(0, result_, shape);
    return c.ForwardOrAllocate(0, {0, 1}, result_, shape);
  }

  Status Flat(KernelContext& c, const Shape& shape, int64_t step_x, int64_t step_y) const {
    RAMET_ASSIGN_OR_RETURN(Tensor * z, Output(c, shape));
    const int64_t n = z->num_elements();
    return LaunchForEach(c, flat_, n,
                         {c.input(0), c.input(1), *z, Index{step_x}, Index{step_y}, Index{n}});
  }

  // Tensors whose shapes do not broadcast are unequal as a whole.
  Status Incompatible(KernelContext& c) const {
    RAMET_ASSIGN_OR_RETURN(Tensor * z, AllocateHostOutput(c, 0, kBool, Shape()));
    *z->mutable_data<bool>() = unequal_if_incompatible_ == 1;
    return OkStatus();
  }

  const ElementwiseForm form_;
  const KernelSpec flat_, broadcast_;
  const DType result_;
  const int unequal_if_incompatible_;  // the result for such shapes, or -1 for an error
};

StatusOr<std::unique_ptr<Kernel>> MakeElementwise(const KernelNode& node) {
  const ElementwiseRow& row = ElementwiseRowOf(node.op);
  const DType dtype = BaseType(node.input_types[0]);
  if (row.form == ElementwiseForm::kUnary) {
    return std::unique_ptr<Kernel>(std::make_unique<UnaryKernel>(row, dtype));
  }
  const bool shapes_must_fit = node.attrs->GetOr<bool>("incompatible_shape_error", true);
  return std::unique_ptr<Kernel>(std::make_unique<BinaryKernel>(row, dtype, shapes_must_fit));
}

[[maybe_unused]] const bool elementwise_registered = [] {
  for (const ElementwiseRow& row : ElementwiseTable()) {
    for (DType dtype : kAllTypes) {
      if (!HasKernelFor(row, dtype)) continue;
      // The ops on bools only have no attr for the dtype.
      const bool untyped = row.floats.empty() && row.ints.empty();
      KernelRegistrar(row.op, {"GPU", untyped ? "" : "T", dtype, &MakeElementwise, nullptr});
    }
  }
  return true;
}();

}  // namespace

std::vector<ProgramVariant> ElementwiseVariants() {
  std::vector<ProgramVariant> all;
  for (const ElementwiseRow& row : ElementwiseTable()) {
    const bool is_unary = row.form == ElementwiseForm::kUnary;
    for (DType dtype : kAllTypes) {
      if (!HasKernelFor(row, dtype)) continue;
      all.push_back({is_unary ? &UnaryProgram() : &BinaryProgram(), DefinitionsFor(row, dtype)});
    }
  }
  return all;
}

}  // namespace ramet::gpu
