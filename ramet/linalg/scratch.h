#pragma once

#include <cstdint>

namespace ramet::linalg {

// Distinguishes scratch buffers. A buffer is used only within the function that requested it.
enum class ScratchUse : int {
  kReducePing,
  kReducePong,
  kPartial,
  kWidened,
  kWidenedResult,
  kLabels,
  kGemmA,
  kGemmB,
  kGemmC,
  kColumns,
  kConvX,
  kConvFilter,
  kConvY,
  kConvPrimitive,
  kFilterPiece,
  kRepeated,
  kWideX,
  kWideFilter,
  kWideY,
  kNormSums,
  kNormNumbers,
  kWindowSums,
  kAxisTable,
  kResizedRows,
  kElementBlocks,
  kEpilogueNumbers
};
inline constexpr int kNumScratchUses = static_cast<int>(ScratchUse::kEpilogueNumbers) + 1;

// Returns at least `bytes` bytes, aligned to 64, that belong to the calling thread. The next call
// for the same use may invalidate them. Kept until the thread ends, so that nothing is allocated in
// the steady state.
void* Scratch(ScratchUse use, int64_t bytes);

}  // namespace ramet::linalg
