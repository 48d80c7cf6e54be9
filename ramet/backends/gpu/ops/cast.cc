#include <memory>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/fused_elementwise.h"
#include "ramet/backends/gpu/ops/program_variants.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/op.h"

namespace ramet::gpu {
namespace {

// Definitions: FROM and TO, the tags of the dtypes, or of the parts of complex ones; FROM_PARTS and
// TO_PARTS, 2 for complex dtypes and 1 for others; CONVERT(x).
constexpr Program kCast = {"cast", R"(
KERNEL(cast)(GLOBAL const STORED(FROM)* x, GLOBAL STORED(TO)* y, index_t n) {
  FOR_EACH(i, n) {
    const VALUE(FROM) a = LOAD(FROM, x, i * FROM_PARTS);
    STORE(TO, y, i * TO_PARTS, CONVERT(a));
#if TO_PARTS == 2
    STORE(TO, y, i * 2 + 1, FROM_PARTS == 2 ? LOAD(FROM, x, i * FROM_PARTS + FROM_PARTS - 1) : 0);
#endif
  }
}
)"};

// Returns the dtype of the parts of a complex dtype, and any other dtype itself.
DType PartOf(DType dtype) {
  if (dtype == kComplex64) return kFloat;
  return dtype == kComplex128 ? kDouble : dtype;
}

bool IsNumber(DType dtype) { return !DialectTag(PartOf(dtype)).empty(); }

// Returns the conversion of `a`, which is element i of x or its real part. Floating numbers become
// integers through i64, so that a negative number becomes the unsigned integer that wraps around,
// as on the CPU.
std::string ConversionTo(DType from, DType to) {
  if (IsComplex(from) && to == kBool) return "((a) != 0 || LOAD(FROM, x, i * 2 + 1) != 0)";
  if (!IsFloating(PartOf(from)) || !IsInteger(to)) return "(a)";
  if (to == kUInt64) return "((a) < 0 ? (u64)(i64)(a) : (u64)(a))";
  return "((i64)(a))";
}

Definitions CastDefinitions(DType from, DType to) {
  return {{"FROM", std::string(DialectTag(PartOf(from)))},
          {"TO", std::string(DialectTag(PartOf(to)))},
          {"FROM_PARTS", IsComplex(from) ? "2" : "1"},
          {"TO_PARTS", IsComplex(to) ? "2" : "1"},
          {"CONVERT(a)", ConversionTo(from, to)}};
}

ElementwiseCode CastCode(DType from, DType to) {
  return {ElementwiseForm::kUnary, from, to, ConversionTo(from, to)};
}

StatusOr<std::unique_ptr<Kernel>> MakeCast(DType from, DType to);

class CastKernel : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const DType from = BaseType(node.attrs->GetOr("SrcT", DType::kInvalid));
    const DType to = BaseType(node.attrs->GetOr("DstT", DType::kInvalid));
    if (from != to && (!IsNumber(from) || !IsNumber(to))) {
      return Unimplemented("Cast ", DTypeName(from), " to ", DTypeName(to),
                           " is not supported on GPUs; place it on the CPU");
    }
    return MakeCast(from, to);
  }
  CastKernel(DType from, DType to) : to_(to), kernel_{kCast, "cast", CastDefinitions(from, to)} {}

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    if (x.dtype() == to_) {
      c.SetOutput(0, x);
      return OkStatus();
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, to_, x.shape()));
    const int64_t n = y->num_elements();
    return LaunchForEach(c, kernel_, n, {x, *y, Index{n}});
  }

 private:
  const DType to_;
  const KernelSpec kernel_;
};

// A cast between different dtypes that are not complex, which can be fused.
class FusableCast final : public CastKernel, public FusableElementwise {
 public:
  FusableCast(DType from, DType to) : CastKernel(from, to), code_(CastCode(from, to)) {}

 private:
  ElementwiseCode code() const override { return code_; }

  const ElementwiseCode code_;
};

StatusOr<std::unique_ptr<Kernel>> MakeCast(DType from, DType to) {
  if (from == to || IsComplex(from) || IsComplex(to)) {
    return std::unique_ptr<Kernel>(std::make_unique<CastKernel>(from, to));
  }
  return std::unique_ptr<Kernel>(std::make_unique<FusableCast>(from, to));
}

const KernelRegistrar cast_kernel("Cast",
                                  {"GPU", "", DType::kInvalid,
                                   [](const KernelNode& node) { return CastKernel::Make(node); },
                                   nullptr});

// Returns a fused kernel of the casts from a dtype to each other one and back.
ProgramVariant FusedCasts(DType from) {
  std::vector<CodePart> parts;
  FusedOperand last;
  const auto add = [&](const ElementwiseCode& code) {
    parts.push_back({code, {last}});
    last = {true, static_cast<int16_t>(parts.size() - 1)};
  };
  for (DType to : kAllTypes) {
    if (to == from) continue;
    add(CastCode(from, to));
    add(CastCode(to, from));
  }
  return FusedProgram(parts, {&from, 1}, 1);
}

}  // namespace

std::vector<ProgramVariant> CastVariants() {
  std::vector<DType> types(std::begin(kAllTypes), std::end(kAllTypes));
  types.insert(types.end(), {kComplex64, kComplex128});
  std::vector<ProgramVariant> all;
  for (DType dtype : kAllTypes) all.push_back(FusedCasts(dtype));
  for (DType from : types) {
    for (DType to : types) {
      if (from != to) all.push_back({&kCast, CastDefinitions(from, to)});
    }
  }
  return all;
}

}  // namespace ramet::gpu
