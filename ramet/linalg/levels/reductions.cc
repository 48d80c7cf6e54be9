#include "ramet/linalg/levels/reduce_loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::RAMET_LEVEL {

void AddReductions(KernelTable& t) {
  AddReduction<float>(t);
  AddReduction<double>(t);
  t.Set(ReduceOp::kSumSquares, Type::kFloat, ReduceRows<SumSquares, float>,
        ReduceColumns<SumSquares, float>);
  t.Set(ReduceOp::kSumSquares, Type::kDouble, ReduceRows<SumSquares, double>,
        ReduceColumns<SumSquares, double>);
}

}  // namespace ramet::linalg::RAMET_LEVEL
