// Tests the first values of a clone's tables, and of state that has no value in the original.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

namespace ramet {
namespace {

using ::testing::ElementsAre;

class CloneTablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* type : {"HashTableV2", "MutableHashTableV2"}) {
      tables.push_back(AddOp(g, type, {}, {{"key_dtype", kInt64}, {"value_dtype", kFloat}}, type));
      fills.push_back(AddOp(g, "LookupTableImportV2",
                            {tables.back().output(0), Tensor::Vector<int64_t>({1, 2}),
                             Tensor::Vector<float>({10, 20})},
                            {}, StrCat(type, "/fill")));
      found.push_back(
          AddOp(g, "LookupTableFindV2",
                {tables.back().output(0), Tensor::Vector<int64_t>({2, 3}), Tensor(-1.0f)}, {},
                StrCat(type, "/found"))
              .output(0));
    }
    v = s.GetVariable("v", {}, ConstantInit(3.0));
    outputs = {found[0], found[1], Output(v)};
  }

  static std::vector<float> Run(Session& session, const Output& fetch) {
    auto run = session.Run(fetch);
    if (!run.ok()) return {};
    return {run->data<float>(), run->data<float>() + run->num_elements()};
  }

  std::vector<GraphElement> Elements() const { return {outputs.begin(), outputs.end()}; }

  Graph g, other;
  Scope s{g};
  std::vector<Operation> tables, fills;
  std::vector<Output> found, outputs;
  Variable v;
};

TEST_F(CloneTablesTest, InitOpRunsTheInitializersOfTables) {
  Cloned c = Clone(g, {.outputs = Elements()}).value();
  Session session = Session::Create(g).value();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(session.Run(c.init_op()).ok());
  EXPECT_THAT(Run(session, c.Transformed(found[0])), ElementsAre(20, -1));
  EXPECT_THAT(Run(session, c.Transformed(found[1])), ElementsAre(-1, -1));
  EXPECT_THAT(Run(session, c.Transformed(outputs[2])), ElementsAre(3));
}

TEST_F(CloneTablesTest, CurrentContentIsCopied) {
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Run({fills[0], fills[1], v.initializer()}).ok());
  Cloned here = Clone(g, {.outputs = Elements(), .initial = kCurrent}).value();
  Cloned there =
      Clone(g, {.outputs = Elements(), .into = &other, .initial = kCurrent, .session = session})
          .value();
  Session served = Session::Create(other).value();
  ASSERT_TRUE(session.Run(here.init_op()).ok());
  ASSERT_TRUE(served.Run(there.init_op()).ok());
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_THAT(Run(session, here.Transformed(found[i])), ElementsAre(20, -1));
    EXPECT_THAT(Run(served, there.Transformed(found[i])), ElementsAre(20, -1));
  }
}

TEST_F(CloneTablesTest, UninitializedStateStaysUninitialized) {
  Session session = Session::Create(g).value();
  Cloned here = Clone(g, {.outputs = Elements(), .initial = kCurrent}).value();
  Cloned there =
      Clone(g, {.outputs = Elements(), .into = &other, .initial = kCurrent, .session = session})
          .value();
  Session served = Session::Create(other).value();
  auto ran = session.Run(here.init_op());
  ASSERT_TRUE(ran.ok()) << ran.status().ToString();
  ASSERT_TRUE(served.Run(there.init_op()).ok());
  for (auto [from, clone] : {std::pair(&session, &here), std::pair(&served, &there)}) {
    EXPECT_TRUE(from->Value(clone->variables()[0].copy).value().empty());
    EXPECT_EQ(from->Run(clone->Transformed(found[0])).status().code(), Code::kFailedPrecondition);
    EXPECT_THAT(Run(*from, clone->Transformed(found[1])), ElementsAre(-1, -1));
  }
}

}  // namespace
}  // namespace ramet
