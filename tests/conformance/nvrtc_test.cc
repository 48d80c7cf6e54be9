// Compiles all kernels of the GPU backend for NVIDIA's GPUs, if NVRTC is installed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "ramet/backends/gpu/codegen/dialect.h"
#include "ramet/backends/gpu/driver/cuda/nvrtc.h"
#include "ramet/backends/gpu/testing/program_variants.h"
#include "ramet/base/strings.h"

namespace ramet::gpu {
namespace {

constexpr int kNewestDriver = 99000;  // accepts every version of NVRTC
constexpr int kNewestArch = 1000;     // accepts every oldest architecture

std::string SourceOf(const ProgramVariant& variant, bool has_large_indices) {
  std::string source = DialectPrelude(Language::kCudaCpp, true, has_large_indices);
  for (const auto& [name, value] : variant.definitions) {
    source += StrCat("#define ", name, " ", value, "\n");
  }
  return StrCat(source, variant.program->source);
}

std::string TextOf(const ProgramVariant& variant) {
  std::string text(variant.program->name);
  for (const auto& [name, value] : variant.definitions) text += StrCat(" ", name, "=", value);
  return text;
}

// Returns the architectures that RAMET_NVRTC asks for, such as "70,90": "all" means 70, 80, 90 and
// 100. This NVRTC may not support an old one; then the oldest that it supports is tested.
std::vector<int> ArchitecturesToTest(const cuda::Nvrtc& nvrtc) {
  std::string_view wanted = std::getenv("RAMET_NVRTC");
  if (wanted == "all") wanted = "70,80,90,100";
  std::vector<int> chosen;
  for (std::string_view text : StrSplit(wanted, ',')) {
    int64_t arch = 0;
    EXPECT_TRUE(ParseInt64(text, &arch)) << "RAMET_NVRTC is '" << wanted << "'";
    const int used = std::max(static_cast<int>(arch), nvrtc.architectures().front());
    if (used != arch) {
      std::printf(
          "sm_%d: NVRTC %d does not support it; its oldest architecture, sm_%d, is tested\n",
          static_cast<int>(arch), nvrtc.version() / 1000, used);
    }
    EXPECT_EQ(std::ranges::count(nvrtc.architectures(), used), 1) << "unknown: sm_" << used;
    chosen.push_back(used);
  }
  return chosen;
}

// Returns the programs to test: those of the name RAMET_NVRTC_PROGRAM, or all.
std::vector<ProgramVariant> VariantsToTest() {
  std::vector<ProgramVariant> variants = AllVariants();
  EXPECT_GT(variants.size(), 1000u);
  if (const char* const name = std::getenv("RAMET_NVRTC_PROGRAM")) {
    std::erase_if(variants, [&](const ProgramVariant& v) { return v.program->name != name; });
  }
  return variants;
}

TEST(NvrtcTest, CompilesEveryKernelForEveryDType) {
  const auto nvrtc = cuda::Nvrtc::Open(cuda::Nvrtc::DefaultFiles(), kNewestDriver, kNewestArch);
  if (!nvrtc.ok()) GTEST_SKIP() << "skipped: no NVRTC (the CUDA toolkit)";
  if (std::getenv("RAMET_NVRTC") == nullptr) {
    GTEST_SKIP() << "skipped: set RAMET_NVRTC to all or to 90; the test takes minutes";
  }
  const std::vector<ProgramVariant> variants = VariantsToTest();
  ASSERT_FALSE(variants.empty());
  const std::string options = DialectOptions(Language::kCudaCpp);
  for (int arch : ArchitecturesToTest(**nvrtc)) {
    for (const ProgramVariant& variant : variants) {
      const auto image = (*nvrtc)->Compile(SourceOf(variant, false), options, arch);
      EXPECT_TRUE(image.ok()) << TextOf(variant) << ": " << image.status().message();
      if (!image.ok()) continue;
      EXPECT_TRUE(image->starts_with("\177ELF")) << TextOf(variant) << ": no machine code";
    }
    std::printf("sm_%d: compiled %zu kernels\n", arch, variants.size());
  }
}

}  // namespace
}  // namespace ramet::gpu
