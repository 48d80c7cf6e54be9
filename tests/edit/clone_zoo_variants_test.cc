// Clones every golden model in the folder RAMET_ZOO in a different dtype, and without the parts
// that only training needs. The inferred values stay the same within the precision of the dtype.

#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "zoo_clones.h"

namespace ramet::zoo {
namespace {

// Returns the steps of a case before the first one that changes state: inferences with the restored
// model.
std::vector<Step> Inferences(const Case& c) {
  std::vector<Step> steps;
  for (const Step& step : c.steps) {
    if (!step.targets.empty()) break;
    if (step.error_code.empty()) steps.push_back(step);
  }
  return steps;
}

// Returns the steps without the fetches of training steps, because a loss may use batch norms in
// training mode.
std::vector<Step> WithoutLosses(const Case& c) {
  std::set<std::string> losses;
  for (const Step& step : c.steps) {
    if (!step.targets.empty()) losses.insert(step.fetches.begin(), step.fetches.end());
  }
  std::vector<Step> steps = Inferences(c);
  for (Step& step : steps) {
    std::erase_if(step.fetches, [&](const std::string& name) { return losses.contains(name); });
  }
  std::erase_if(steps, [](const Step& step) { return step.fetches.empty(); });
  return steps;
}

// Relative to the largest element, or to one.
double Tolerance(DType dtype) {
  switch (dtype) {
    case kHalf: return 5e-3;
    case kBFloat16: return 5e-2;
    default: return 1e-5;
  }
}

double Scale(const Tensor& doubles) {
  double largest = 1;
  for (int64_t i = 0; i < doubles.num_elements(); ++i) {
    const double x = std::abs(doubles.data<double>()[i]);
    if (std::isfinite(x)) largest = std::max(largest, x);
  }
  return largest;
}

// Compares floating tensors of dtype `dtype` with the expected values rounded to it. Values beyond
// its range are infinite.
void ExpectNear(const Tensor& got, const Tensor& expected, DType dtype) {
  if (!IsFloating(expected.dtype()) || expected.dtype() == kDouble) {
    EXPECT_TRUE(SameBits(got, expected));
    return;
  }
  ASSERT_EQ(got.shape(), expected.shape());
  ASSERT_TRUE(IsFloating(got.dtype()));
  const Tensor g = Converted(got, kDouble);
  const Tensor e = Converted(Converted(expected, got.dtype()), kDouble);
  const double within = Tolerance(dtype) * Scale(e);
  for (int64_t i = 0; i < e.num_elements(); ++i) {
    const double a = g.data<double>()[i], b = e.data<double>()[i];
    const bool same = std::isnan(b) ? std::isnan(a) : std::isinf(b) ? a == b : false;
    EXPECT_TRUE(same || std::abs(a - b) <= within)
        << "element " << i << " is " << a << ", expected " << b << " within " << within;
  }
}

// The original and its clone in a different graph, with the same values.
class CloneZooVariant : public ::testing::Test {
 protected:
  void Make(const Case& c, CloneOptions options) {
    auto loaded = Load(c, graph);
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
    session = *std::move(loaded);
    for (const std::string& name : c.init_ops) ASSERT_TRUE(session->Run(Fetches(name)).ok());
    const bool whole = session->UninitializedVariables().empty();
    options.into = &other;
    options.initial = whole ? kCurrent : kInitializer;
    options.session = [&](const Variable& v) { return session->Value(v); };
    auto made = Clone(graph, options);
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    clone = *std::move(made);
    auto opened = Session::Create(other, session->options());
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    there = *std::move(opened);
    StartFrom(*session, *there, *clone, c);
  }

  Graph graph, other;
  std::optional<Session> session, there;
  std::optional<Cloned> clone;
};

class CloneZooDtypeTest : public CloneZooVariant,
                          public testing::WithParamInterface<std::tuple<std::string, DType>> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CloneZooDtypeTest);

TEST_P(CloneZooDtypeTest, InfersTheSameWithinTheDtype) {
  const auto& [folder, dtype] = GetParam();
  const Case c = LoadCase(folder).value();
  if (!CanRun(c)) GTEST_SKIP() << "skipped: the model's files are missing";
  ASSERT_NO_FATAL_FAILURE(Make(c, {.dtype = dtype}));
  for (const Step& step : Inferences(c)) {
    SCOPED_TRACE(step.comment);
    const auto original = Steps(*session, *clone, false).Run(step);
    const auto cloned = Steps(*there, *clone, true).Run(step);
    ASSERT_EQ(original.size(), cloned.size());
    for (size_t i = 0; i < original.size(); ++i) {
      SCOPED_TRACE(step.fetches[i]);
      ExpectNear(cloned[i], original[i], dtype);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CloneZooDtypeTest,
                         ::testing::Combine(::testing::ValuesIn(CaseFolders()),
                                            ::testing::Values(kHalf, kBFloat16, kDouble)),
                         [](const auto& info) {
                           return StrCat(NameOf(std::get<0>(info.param)), "_",
                                         DTypeName(std::get<1>(info.param)));
                         });

class CloneZooStripTest : public CloneZooVariant,
                          public testing::WithParamInterface<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CloneZooStripTest);

TEST_P(CloneZooStripTest, InfersTheSameWithoutTraining) {
  const Case c = LoadCase(GetParam()).value();
  if (!CanRun(c)) GTEST_SKIP() << "skipped: the model's files are missing";
  CloneOptions options{.strip_training = true};
  const std::vector<Step> steps = WithoutLosses(c);
  if (steps.empty()) GTEST_SKIP() << "skipped: every step trains";
  for (const Step& step : steps) {
    for (const std::string& name : step.fetches) options.outputs.emplace_back(name);
  }
  ASSERT_NO_FATAL_FAILURE(Make(c, options));
  for (const Operation& op : clone->operations()) {
    EXPECT_EQ(op.type().find("Apply"), std::string::npos) << op.name();
  }
  for (const Step& step : steps) {
    SCOPED_TRACE(step.comment);
    ExpectSame(Steps(*session, *clone, false).Run(step), Steps(*there, *clone, true).Run(step),
               "fetch");
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CloneZooStripTest, ::testing::ValuesIn(CaseFolders()),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace ramet::zoo
