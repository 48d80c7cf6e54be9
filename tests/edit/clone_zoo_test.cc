// Clones every golden model in the folder RAMET_ZOO. The clone, started from the original's values,
// computes the same bits, and neither changes the other.

#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include <algorithm>
#include <cstdlib>

#include "zoo_clones.h"

namespace ramet::zoo {
namespace {

class CloneZooTest : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CloneZooTest);

TEST_P(CloneZooTest, ComputesTheSameAndChangesAlone) {
  const Case c = LoadCase(GetParam()).value();
  if (!CanRun(c)) GTEST_SKIP() << "skipped: the model's files are missing";
  Graph graph;
  auto session = Load(c, graph);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  auto clone = Clone(graph, {.initial = kCurrent});
  ASSERT_TRUE(clone.ok()) << clone.status().ToString();
  for (const std::string& name : c.init_ops) ASSERT_TRUE(session->Run(Fetches(name)).ok());
  StartFrom(*session, *session, *clone, c);
  const auto before = Values(*session, *clone, true);
  ExpectSame(before, Values(*session, *clone, false), "first values");

  const auto original = Steps(*session, *clone, false).Run(c);
  ExpectSame(before, Values(*session, *clone, true), "clone, after the original's steps");
  const auto after = Values(*session, *clone, false);
  const auto cloned = Steps(*session, *clone, true).Run(c);
  ExpectSame(after, Values(*session, *clone, false), "original, after the clone's steps");
  const bool trains =
      std::ranges::any_of(c.steps, [](const Step& step) { return !step.targets.empty(); });
  EXPECT_EQ(trains && std::ranges::equal(before, after, SameBits), false) << "nothing was trained";
  ASSERT_EQ(original.size(), cloned.size());
  for (size_t i = 0; i < original.size(); ++i) {
    SCOPED_TRACE(c.steps[i].comment);
    ExpectSame(original[i], cloned[i], "fetch");
  }
  if (std::ranges::any_of(after, &Tensor::empty)) return;
  ASSERT_TRUE(session->Run(clone->UpdateOp().value()).ok());
  ExpectSame(after, Values(*session, *clone, true), "after the update");
}

TEST_P(CloneZooTest, ComputesTheSameInAnotherGraph) {
  const Case c = LoadCase(GetParam()).value();
  if (!CanRun(c)) GTEST_SKIP() << "skipped: the model's files are missing";
  Graph graph, other;
  auto session = Load(c, graph);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  for (const std::string& name : c.init_ops) ASSERT_TRUE(session->Run(Fetches(name)).ok());
  CloneInitial initial = session->UninitializedVariables().empty() ? kCurrent : kInitializer;
  auto clone = Clone(graph, {.into = &other,
                             .dst_scope = "there",
                             .initial = initial,
                             .session = [&](const Variable& v) { return session->Value(v); }});
  ASSERT_TRUE(clone.ok()) << clone.status().ToString();
  auto there = Session::Create(other, session->options());
  ASSERT_TRUE(there.ok()) << there.status().ToString();
  StartFrom(*session, *there, *clone, c);
  const auto original = Steps(*session, *clone, false).Run(c);
  const auto cloned = Steps(*there, *clone, true).Run(c);
  for (size_t i = 0; i < original.size(); ++i) ExpectSame(original[i], cloned[i], "fetch");
}

INSTANTIATE_TEST_SUITE_P(Cases, CloneZooTest, ::testing::ValuesIn(CaseFolders()),
                         [](const auto& info) { return NameOf(info.param); });

TEST(CloneZooFolderTest, HasCases) {
  if (std::getenv("RAMET_ZOO") == nullptr) GTEST_SKIP() << "skipped: RAMET_ZOO is not set";
  EXPECT_FALSE(CaseFolders().empty()) << "no case.json in the folders of RAMET_ZOO";
}

}  // namespace
}  // namespace ramet::zoo
