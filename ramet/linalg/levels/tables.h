#pragma once

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/levels/level.h"

namespace ramet::linalg {

// The functions with which each level fills a table, one per file.
#define RAMET_LEVEL_TABLES                    \
  void AddUnary(KernelTable& table);          \
  void AddBinary(KernelTable& table);         \
  void AddReductions(KernelTable& table);     \
  void AddSoftmax(KernelTable& table);        \
  void AddOptimizers(KernelTable& table);     \
  void AddConversions(KernelTable& table);    \
  void AddProducts(KernelTable& table);       \
  void AddDotProducts(KernelTable& table);    \
  void AddPanels(KernelTable& table);         \
  void AddDepthwise(KernelTable& table);      \
  void AddDirectConv(KernelTable& table);     \
  void AddFilterGradient(KernelTable& table); \
  void AddPooling(KernelTable& table);        \
  void AddBatchNorm(KernelTable& table);      \
  void AddSelect(KernelTable& table);         \
  void AddStrips(KernelTable& table);
namespace level_v2 {
RAMET_LEVEL_TABLES
}
namespace level_v3 {
RAMET_LEVEL_TABLES
}
namespace level_v4 {
RAMET_LEVEL_TABLES
}
namespace level_base {
RAMET_LEVEL_TABLES
}
#undef RAMET_LEVEL_TABLES

// Functions that are compiled once for all levels.
namespace portable {
void AddRealFunctions(KernelTable& table);
void AddIntegerUnary(KernelTable& table);
void AddSignedBinary(KernelTable& table);
void AddUnsignedBinary(KernelTable& table);
void AddComplex(KernelTable& table);
void AddIntegerReductions(KernelTable& table);
void AddHalfOptimizers(KernelTable& table);
void AddIntegerProducts(KernelTable& table);
void AddIntegerPooling(KernelTable& table);
}  // namespace portable

}  // namespace ramet::linalg
