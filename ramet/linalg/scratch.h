#pragma once

#include <cstdint>

namespace ramet::linalg {

// What scratch memory is used for; a use does not outlive the function that asked for it.
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
  kRepeated,
  kWideX,
  kWideFilter,
  kWideY,
  kNormSums,
  kNormNumbers,
  kWindowSums
};
inline constexpr int kNumScratchUses = static_cast<int>(ScratchUse::kWindowSums) + 1;

// At least `bytes` bytes, aligned to 64, of the calling thread; the next call for the same use may
// take it away. Kept until the thread ends, so that steady state allocates nothing.
void* Scratch(ScratchUse use, int64_t bytes);

}  // namespace ramet::linalg
