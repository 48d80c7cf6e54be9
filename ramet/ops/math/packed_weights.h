#pragma once

#include <cstdint>

#include "ramet/linalg/packed_gemm.h"
#include "ramet/tensor/kept_forms.h"

namespace ramet {

// The PackedWeights of a kernel multiply by a right operand that is packed once per version.
class PackedWeights {
 public:
  // Calls linalg::PackedGemm. `b` describes the matrix in `weights`. Returns false, with no side
  // effects, if packing does not pay.
  bool Multiply(int64_t m, const float* a, const Tensor& weights, const linalg::RightOperand& b,
                const linalg::PackedGemmOptions& options, float* c);

 private:
  FormUser form_;
};

}  // namespace ramet
