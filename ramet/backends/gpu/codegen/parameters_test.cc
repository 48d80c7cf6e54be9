#include "ramet/backends/gpu/codegen/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ramet::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(OnlyReadParametersTest, ArePointersToConstants) {
  constexpr std::string_view kSource = R"(
FUNCTION void helper(GLOBAL f32* x) {}
KERNEL(other)(GLOBAL f32* x) {}
BOUNDED_KERNEL(bounded, 512, 2)(GLOBAL const f32* x, GLOBAL f32* y) {}
KERNEL(f)(GLOBAL const STORED(T)* RESTRICT a, GLOBAL STORED(T)* b,
          GLOBAL const f32* c, const Dims d, index_t n) {
  g(a, b);
}
)";
  EXPECT_THAT(OnlyReadParameters(kSource, "f"), ElementsAre(true, false, true, false, false));
  EXPECT_THAT(OnlyReadParameters(kSource, "other"), ElementsAre(false));
  EXPECT_THAT(OnlyReadParameters(kSource, "bounded"), ElementsAre(true, false));
  EXPECT_THAT(OnlyReadParameters(kSource, "g"), IsEmpty());
  EXPECT_THAT(OnlyReadParameters("KERNEL(f)() {}", "f"), IsEmpty());
  EXPECT_THAT(OnlyReadParameters("KERNEL(f)(GLOBAL const f32* x", "f"), ElementsAre(true));
}

TEST(OnlyReadParametersTest, MacrosStandForParameters) {
  constexpr std::string_view kSource = R"(
#define OPERANDS GLOBAL const f32* a, Steps s, GLOBAL const f32* b
#define OPERANDS GLOBAL f32* not_this
KERNEL(f)(OPERANDS, GLOBAL f32* y) {}
)";
  EXPECT_THAT(OnlyReadParameters(kSource, "f"), ElementsAre(true, false, true, false));
}

}  // namespace
}  // namespace ramet::gpu
