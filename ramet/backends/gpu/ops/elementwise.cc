#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ramet/backends/gpu/kernels/kernels.h"
#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/broadcast.h"
#include "ramet/backends/gpu/ops/elementwise_table.h"
#include "ramet/backends/gpu/ops/fused_elementwise.h"
#include "ramet/backends/gpu/ops/program_variants.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/op.h"
#include "ramet/tensor/shape.h"

// Kernels of element-wise ops, generated from the table in elementwise_table.cc.

namespace ramet::gpu {
namespace {

using linalg::BroadcastPlan;

// Definitions: those of kElementwiseMacros; R, the tag of the result; EXPRESSION.
constexpr std::string_view kUnarySource = R"(
KERNEL(unary)(GLOBAL const STORED(T)* x, GLOBAL STORED(R)* y, index_t n) {
  FOR_EACH(i, n) {
    const V a = LOAD(T, x, i);
    STORE(R, y, i, (EXPRESSION));
  }
}
)";

// Without a definition of RANK, the kernel of operands that fit element by element.
constexpr std::string_view kBinarySource = R"(
#ifndef RANK
KERNEL(flat)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* y, GLOBAL STORED(R)* z,
             index_t step_x, index_t step_y, index_t n) {
  FOR_EACH(i, n) {
    const V a = LOAD(T, x, i * step_x);
    const V b = LOAD(T, y, i * step_y);
    STORE(R, z, i, (EXPRESSION));
  }
}
#else
KERNEL(broadcast)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* y, GLOBAL STORED(R)* z,
                  Broadcast plan, index_t n) {
  FOR_EACH(i, n) {
    const V a = LOAD(T, x, broadcast_at(plan, 0, i));
    const V b = LOAD(T, y, broadcast_at(plan, 1, i));
    STORE(R, z, i, (EXPRESSION));
  }
}
#endif
)";

const Program& UnaryProgram() {
  static const auto* const source = new std::string(StrCat(kElementwiseMacros, kUnarySource));
  static const Program program = {"unary", *source};
  return program;
}

const Program& BinaryProgram() {
  static const auto* const source =
      new std::string(StrCat(kBroadcastSource, kElementwiseMacros, kFloorMod, kBinarySource));
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
  Definitions definitions = ElementwiseDefinitions(dtype);
  definitions.emplace_back("R", (row.flags & kReturnsBool) ? "b8" : DialectTag(dtype));
  definitions.emplace_back("EXPRESSION", ExpressionFor(row, dtype));
  return definitions;
}

Definitions BroadcastDefinitions(const ElementwiseRow& row, DType dtype, int rank) {
  Definitions definitions = DefinitionsFor(row, dtype);
  definitions.emplace_back("RANK", StrCat(rank));
  return definitions;
}

ElementwiseCode CodeFor(const ElementwiseRow& row, DType dtype) {
  return {row.form, dtype, (row.flags & kReturnsBool) ? kBool : dtype,
          std::string(ExpressionFor(row, dtype))};
}

class UnaryKernel final : public Kernel, public FusableElementwise {
 public:
  UnaryKernel(const ElementwiseRow& row, DType dtype)
      : kernel_{UnaryProgram(), "unary", DefinitionsFor(row, dtype)}, code_(CodeFor(row, dtype)) {}

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, code_.result, x.shape()));
    const int64_t n = y->num_elements();
    return LaunchForEach(c, kernel_, n, {x, *y, Index{n}});
  }

 private:
  ElementwiseCode code() const override { return code_; }

  const KernelSpec kernel_;
  const ElementwiseCode code_;
};

class BinaryKernel : public Kernel {
 public:
  BinaryKernel(const ElementwiseRow& row, DType dtype, bool shapes_must_fit)
      : form_(row.form),
        flat_{BinaryProgram(), "flat", DefinitionsFor(row, dtype)},
        broadcasts_(Broadcasts(row, dtype)),
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
    return LaunchForEach(c, broadcasts_[RankIndex(plan.ndims())], n,
                         {c.input(0), c.input(1), *z, argument, Index{n}});
  }

 private:
  // Returns a kernel for each of kCompiledRanks.
  static std::vector<KernelSpec> Broadcasts(const ElementwiseRow& row, DType dtype) {
    std::vector<KernelSpec> kernels;
    for (int rank : kCompiledRanks) {
      kernels.push_back({BinaryProgram(), "broadcast", BroadcastDefinitions(row, dtype, rank)});
    }
    return kernels;
  }

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
  const KernelSpec flat_;
  const std::vector<KernelSpec> broadcasts_;
  const DType result_;
  const int unequal_if_incompatible_;  // the result for such shapes, or -1 for an error
};

// Its output is always in the memory of the device, so that it can be fused.
class FusableBinaryKernel final : public BinaryKernel, public FusableElementwise {
 public:
  FusableBinaryKernel(const ElementwiseRow& row, DType dtype)
      : BinaryKernel(row, dtype, true), code_(CodeFor(row, dtype)) {}

 private:
  ElementwiseCode code() const override { return code_; }

  const ElementwiseCode code_;
};

StatusOr<std::unique_ptr<Kernel>> MakeElementwise(const KernelNode& node) {
  const ElementwiseRow& row = ElementwiseRowOf(node.op);
  const DType dtype = BaseType(node.input_types[0]);
  if (row.form == ElementwiseForm::kUnary) {
    return std::unique_ptr<Kernel>(std::make_unique<UnaryKernel>(row, dtype));
  }
  const bool shapes_must_fit = node.attrs->GetOr<bool>("incompatible_shape_error", true);
  if (!shapes_must_fit) {
    return std::unique_ptr<Kernel>(std::make_unique<BinaryKernel>(row, dtype, false));
  }
  return std::unique_ptr<Kernel>(std::make_unique<FusableBinaryKernel>(row, dtype));
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

// Returns a fused kernel of all ops on a dtype. Each uses the result of the one before.
ProgramVariant FusedOps(DType dtype) {
  std::vector<CodePart> parts;
  FusedOperand last;
  const auto add = [&](const ElementwiseCode& code) {
    std::vector<FusedOperand> operands = {last};
    if (code.form != ElementwiseForm::kUnary) operands.push_back({false, 1});
    parts.push_back({code, std::move(operands), parts.empty()});
    last = {true, static_cast<int16_t>(parts.size() - 1)};
  };
  for (const ElementwiseRow& row : ElementwiseTable()) {
    if (!HasKernelFor(row, dtype)) continue;
    const ElementwiseCode code = CodeFor(row, dtype);
    add(code);
    if (code.result != dtype) add({ElementwiseForm::kUnary, code.result, dtype, "a"});
  }
  const DType inputs[] = {dtype, dtype};
  return FusedProgram(parts, inputs, 1);
}

}  // namespace

std::vector<ProgramVariant> ElementwiseVariants() {
  std::vector<ProgramVariant> all;
  for (DType dtype : kAllTypes) all.push_back(FusedOps(dtype));
  for (const ElementwiseRow& row : ElementwiseTable()) {
    const bool is_unary = row.form == ElementwiseForm::kUnary;
    for (DType dtype : kAllTypes) {
      if (!HasKernelFor(row, dtype)) continue;
      all.push_back({is_unary ? &UnaryProgram() : &BinaryProgram(), DefinitionsFor(row, dtype)});
      if (!is_unary) all.push_back({&BinaryProgram(), BroadcastDefinitions(row, dtype, 2)});
    }
  }
  return all;
}

}  // namespace ramet::gpu
