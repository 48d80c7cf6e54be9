#include "ramet/linalg/levels/optimizer_loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::RAMET_LEVEL {

void AddOptimizers(KernelTable& t) {
  AddOptimizersOf<float>(t, Type::kFloat);
  AddOptimizersOf<double>(t, Type::kDouble);
}

}  // namespace ramet::linalg::RAMET_LEVEL
