// Ramet's types in streams, in fmt and, where the standard library has it, in std::format.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "ramet/fmt.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

class PrintingTest : public ::testing::Test {
 protected:
  template <class T>
  static std::string Streamed(const T& value) {
    std::ostringstream out;
    out << value;
    return out.str();
  }

  Graph g;
  Scope s{g};
  Output x = s.Placeholder("x", kFloat, {-1, 3});
  Variable w = s.GetVariable("w", {3, 2}, Zeros());
};

TEST_F(PrintingTest, Streams) {
  EXPECT_EQ(Streamed(x), "x:0 float[?,3]");
  EXPECT_EQ(Streamed(w), "w:0 float[3,2]");
  EXPECT_EQ(Streamed(w.ref()), "w:0 float_ref[3,2]");
  EXPECT_EQ(Streamed(x.op()), "x (Placeholder)");
  EXPECT_EQ(Streamed(Output()), "no tensor");
  EXPECT_EQ(Streamed(Operation()), "no operation");
  EXPECT_EQ(Streamed(Variable()), "no variable");
}

TEST_F(PrintingTest, Fmt) {
  EXPECT_EQ(fmt::format("{}|{}|{}", x, w, x.op()), "x:0 float[?,3]|w:0 float[3,2]|x (Placeholder)");
  EXPECT_EQ(fmt::format("{}|{:>6}|{:<6}|", Tensor(1.5f), kInt32, Shape{2}),
            "float[] 1.5| int32|[2]   |");
  EXPECT_EQ(fmt::format("{}", NotFound("no 'w'")), "NOT_FOUND: no 'w'");
}

#ifdef __cpp_lib_format
TEST_F(PrintingTest, StdFormat) {
  EXPECT_EQ(std::format("{}|{:>6}|{}", x, kInt32, Shape{2}), "x:0 float[?,3]| int32|[2]");
}
#endif

}  // namespace
}  // namespace ramet
