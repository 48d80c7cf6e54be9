#include "ramet/linalg/cpu_level.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg {
namespace {

int DetectedLevel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? 4 : v3 ? 3 : 2;
#else
  return 1;
#endif
}

int RequestedLevel() {
  const char* text = std::getenv("RAMET_CPU_LEVEL");
  const bool known = text != nullptr && std::strlen(text) == 1 && *text >= '2' && *text <= '4';
  return known ? *text - '0' : 4;
}

#define RAMET_ADD_LEVEL(LEVEL)     \
  LEVEL::AddUnary(table);          \
  LEVEL::AddBinary(table);         \
  LEVEL::AddReductions(table);     \
  LEVEL::AddSoftmax(table);        \
  LEVEL::AddOptimizers(table);     \
  LEVEL::AddConversions(table);    \
  LEVEL::AddProducts(table);       \
  LEVEL::AddDotProducts(table);    \
  LEVEL::AddPanels(table);         \
  LEVEL::AddDepthwise(table);      \
  LEVEL::AddDirectConv(table);     \
  LEVEL::AddFilterGradient(table); \
  LEVEL::AddPooling(table);        \
  LEVEL::AddBatchNorm(table);      \
  LEVEL::AddSelect(table);         \
  LEVEL::AddStrips(table)

KernelTable MakeTable([[maybe_unused]] int level) {
  KernelTable table;
  portable::AddRealFunctions(table);
  portable::AddIntegerUnary(table);
  portable::AddSignedBinary(table);
  portable::AddUnsignedBinary(table);
  portable::AddComplex(table);
  portable::AddIntegerReductions(table);
  portable::AddHalfOptimizers(table);
  portable::AddIntegerProducts(table);
  portable::AddIntegerPooling(table);
#if defined(__x86_64__)
  if (level == 2) {
    RAMET_ADD_LEVEL(level_v2);
  } else if (level == 3) {
    RAMET_ADD_LEVEL(level_v3);
  } else {
    RAMET_ADD_LEVEL(level_v4);
  }
#else
  RAMET_ADD_LEVEL(level_base);
#endif
  return table;
}

struct Level {
  int number;
  KernelTable table;
};

const Level& LevelOf(int number) {
  if (number == 2) {
    static const Level level{2, MakeTable(2)};
    return level;
  }
  if (number == 3) {
    static const Level level{3, MakeTable(3)};
    return level;
  }
  static const Level level{number, MakeTable(number)};
  return level;
}

std::atomic<const Level*> current = nullptr;

const Level& Current() {
  if (const Level* level = current.load(std::memory_order_acquire)) return *level;
  const Level& chosen = LevelOf(std::min(DetectedLevel(), RequestedLevel()));
  current.store(&chosen, std::memory_order_release);
  return chosen;
}

}  // namespace

int CpuLevel() { return Current().number; }

const KernelTable& Kernels() { return Current().table; }

int cpu_level_internal::OverrideForTest(int level) {
  current.store(&LevelOf(std::min(DetectedLevel(), level)), std::memory_order_release);
  return CpuLevel();
}

}  // namespace ramet::linalg
