// Symptom: the stack overflows, or time grows quadratically, on a graph that is one long chain.
// RAMET_CHAIN_LENGTH is its length (default 100,000; the long test: 1,000,000).

#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include <cstdlib>
#include <string>

namespace ramet {
namespace {

int Long() {
  const char* length = std::getenv("RAMET_CHAIN_LENGTH");
  return length == nullptr ? 100'000 : std::atoi(length);
}
constexpr int kLongBody = 100'000;

class LongChainTest : public ::testing::Test {
 protected:
  Output Chain(Output y, int length) {
    for (int i = 0; i < length; ++i) y = Neg(y);
    return y;
  }
  float Scalar(const StatusOr<Tensor>& value) {
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? value->scalar<float>() : 0;
  }

  Graph g;
  Scope s{g};
  Output x = s.Placeholder("x", kFloat, {});
};

TEST_F(LongChainTest, ManyOpsAreBuiltRunAndDifferentiated) {
  const Output y = Chain(x, Long());
  auto session = Session::Create(g).value();
  EXPECT_EQ(Scalar(session.Run({{x, 3.0f}}, y)), 3);
  const Output gradient = Gradients({y}, {x}).value()[0].values;
  EXPECT_GE(g.num_operations(), 2 * Long());
  EXPECT_EQ(Scalar(session.Run({{x, 3.0f}}, gradient)), 1);
  EXPECT_EQ(Scalar(session.Run({{y.op().input(0), 3.0f}}, y)), -3);
  EXPECT_EQ(session.Run(Fetches(y)).status().code(), Code::kInvalidArgument);
  session.Close();
}

TEST_F(LongChainTest, ManyOpsAreExportedAndImported) {
  const Output y = Chain(x, Long());
  const std::string bytes = ExportMetaGraph(g).value();
  Graph copy;
  ASSERT_TRUE(ImportMetaGraphBytes(copy, bytes, {.import_scope = "copy"}).ok());
  ASSERT_EQ(copy.num_operations(), g.num_operations());
  auto session = Session::Create(copy).value();
  EXPECT_EQ(Scalar(session.Run({{"copy/x:0", 3.0f}}, "copy/" + y.name())), 3);
}

TEST_F(LongChainTest, ManyOpsWaitForEachOther) {
  Operation last = NoOp(g);
  for (int i = 0; i < Long(); ++i) {
    Scope after = s.ControlDependencies({last});
    last = NoOp(g);
  }
  auto session = Session::Create(g).value();
  EXPECT_TRUE(session.Run(last).ok());
  const auto imported = [&] {
    Graph copy;
    return ImportGraphDef(copy, ExportGraphDef(g).value()).status();
  }();
  EXPECT_TRUE(imported.ok()) << imported.ToString();
}

TEST_F(LongChainTest, ALoopHasAHundredThousandOpsInItsBody) {
  const Outputs y = WhileLoop(
      s, [](const Outputs& v) { return Less(v[0], 3); },
      [&](const Outputs& v) {
        return Outputs{v[0] + 1, Chain(v[1], kLongBody)};
      },
      {0, x});
  const Output gradient = Gradients({y[1]}, {x}).value()[0].values;
  auto session = Session::Create(g).value();
  EXPECT_EQ(Scalar(session.Run({{x, 3.0f}}, y[1])), 3);
  EXPECT_EQ(Scalar(session.Run({{x, 3.0f}}, gradient)), 1);
}

TEST_F(LongChainTest, ABranchHasAHundredThousandOps) {
  const Output p = s.Placeholder("p", kBool, {});
  const Outputs y = Cond(
      s, p, [&] { return Outputs{Chain(x, kLongBody)}; }, [&] { return Outputs{x * 2}; });
  const Output gradient = Gradients({y[0]}, {x}).value()[0].values;
  auto session = Session::Create(g).value();
  EXPECT_EQ(Scalar(session.Run({{x, 3.0f}, {p, true}}, gradient)), 1);
  EXPECT_EQ(Scalar(session.Run({{x, 3.0f}, {p, false}}, gradient)), 2);
}

TEST_F(LongChainTest, AnErrorBeforeManyOpsNamesItsNode) {
  const Output a = s.Placeholder("a", kFloat), b = s.Placeholder("b", kFloat);
  const Output y = Chain(AddOp(g, "AddV2", {a, b}, {}, "where").output(0), Long());
  auto session = Session::Create(g).value();
  const Feeds wrong = {{a, Tensor::Vector<float>({1, 2})}, {b, Tensor::Vector<float>({1, 2, 3})}};
  const Status failed = session.Run(wrong, y).status();
  EXPECT_EQ(failed.code(), Code::kInvalidArgument);
  EXPECT_NE(failed.message().find("where"), std::string::npos) << failed.ToString();
  EXPECT_EQ(Scalar(session.Run({{a, 1.0f}, {b, 2.0f}}, y)), 3);
}

}  // namespace
}  // namespace ramet
