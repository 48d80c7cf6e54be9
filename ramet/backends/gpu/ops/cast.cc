#include <memory>

#include "ramet/backends/gpu/launch.h"
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

// Returns the conversion of `v`, which is element i of x or its real part. Floating numbers become
// integers through i64, so that a negative number becomes the unsigned integer that wraps around,
// as on the CPU.
std::string ConversionTo(DType from, DType to) {
  if (IsComplex(from) && to == kBool) return "((v) != 0 || LOAD(FROM, x, i * 2 + 1) != 0)";
  if (!IsFloating(PartOf(from)) || !IsInteger(to)) return "(v)";
  if (to == kUInt64) return "((v) < 0 ? (u64)(i64)(v) : (u64)(v))";
  return "((i64)(v))";
}

Definitions CastDefinitions(DType from, DType to) {
  return {{"FROM", std::string(DialectTag(PartOf(from)))},
          {"TO", std::string(DialectTag(PartOf(to)))},
          {"FROM_PARTS", IsComplex(from) ? "2" : "1"},
          {"TO_PARTS", IsComplex(to) ? "2" : "1"},
          {"CONVERT(v)", ConversionTo(from, to)}};
}

class CastKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const DType from = BaseType(node.attrs->GetOr("SrcT", DType::kInvalid));
    const DType to = BaseType(node.attrs->GetOr("DstT", DType::kInvalid));
    if (from != to && (!IsNumber(from) || !IsNumber(to))) {
      return Unimplemented("Cast ", DTypeName(from), " to ", DTypeName(to),
                           " is not supported on GPUs; place it on the CPU");
    }
    return std::unique_ptr<Kernel>(std::make_unique<CastKernel>(from, to));
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

const KernelRegistrar cast_kernel("Cast",
                                  {"GPU", "", DType::kInvalid,
                                   [](const KernelNode& node) { return CastKernel::Make(node); },
                                   nullptr});

}  // namespace

std::vector<ProgramVariant> CastVariants() {
  std::vector<DType> types(std::begin(kAllTypes), std::end(kAllTypes));
  types.insert(types.end(), {kComplex64, kComplex128});
  std::vector<ProgramVariant> all;
  for (DType from : types) {
    for (DType to : types) {
      if (from != to) all.push_back({&kCast, CastDefinitions(from, to)});
    }
  }
  return all;
}

}  // namespace ramet::gpu
