#include "ramet/ops/math/packed_weights.h"

namespace ramet {

bool PackedWeights::Multiply(int64_t m, const float* a, const Tensor& weights,
                             const linalg::RightOperand& b,
                             const linalg::PackedGemmOptions& options, float* c) {
  if (!linalg::PackingPays(m, b)) return false;
  if (options.pieces != nullptr && !linalg::IsWholePanels(options.piece_columns)) return false;
  const int64_t size = linalg::PackedSize(b);
  const Tensor packed =
      form_.Use(weights, {b.transposed, b.n, b.k}, size * sizeof(float), [&]() -> StatusOr<Tensor> {
        RAMET_ASSIGN_OR_RETURN(Tensor form, Tensor::Allocate(kFloat, Shape{size}));
        linalg::Pack(b, form.mutable_data<float>());
        return form;
      });
  linalg::PackedGemm(m, a, b, packed.empty() ? nullptr : packed.data<float>(), c, options);
  return true;
}

}  // namespace ramet
