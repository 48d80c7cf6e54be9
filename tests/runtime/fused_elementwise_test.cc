// Tests element-wise operations that are computed in one pass over memory. Their bits must be those
// of the separate steps, which deterministic sessions and traced runs use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kLarge = (3 << 20) / 4 + 5;  // elements; such results use non-temporal stores

Tensor Noise(const Shape& shape, uint32_t seed, DType dtype = kFloat) {
  std::mt19937 random(seed);
  Tensor t(kFloat, shape);
  for (float& x : t.mutable_flat<float>()) x = static_cast<float>(random()) / 3e8f - 7.0f;
  if (dtype == kFloat) return t;
  Graph g;
  return Session::Create(g)->Run(Cast(Constant(g, t), dtype)).value();
}

template <class T>
bool SameBits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// Compares bits, except those of NaNs: of two NaN operands, a result is either one.
bool SameNumbers(const Tensor& a, const Tensor& b) {
  const auto same = []<class T>(const T& x, const T& y) {
    return SameBits(x, y) || (x != x && y != y);
  };
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() == kFloat) return std::ranges::equal(a.flat<float>(), b.flat<float>(), same);
  if (a.dtype() == kDouble) return std::ranges::equal(a.flat<double>(), b.flat<double>(), same);
  return a.BitwiseEquals(b);
}

class FusedElementwiseTest : public ::testing::Test {
 protected:
  FusedElementwiseTest() : s(g) {}

  // Compares outputs and variables of a normal session, a traced run and a deterministic session.
  void Compare(const Feeds& feeds, const std::vector<Output>& fetches,
               const std::vector<Operation>& run = {}) {
    std::vector<GraphElement> asked(fetches.begin(), fetches.end());
    asked.insert(asked.end(), run.begin(), run.end());
    Session usual = NewSession(false), traced = NewSession(false), single = NewSession(true);
    for (int step = 0; step < 3; ++step) {
      const auto expected = single.Run(feeds, asked).value();
      const auto found = usual.Run(feeds, asked).value();
      RunMetadata metadata;
      const auto shown = traced.Run(feeds, asked, {.trace = true}, &metadata).value();
      for (size_t i = 0; i < fetches.size(); ++i) {
        EXPECT_TRUE(SameNumbers(found[i], expected[i])) << i;
        EXPECT_TRUE(shown[i].BitwiseEquals(expected[i])) << i;
      }
      for (const Variable& v : g.collections().Get<Variable>(graph_keys::kGlobalVariables)) {
        EXPECT_TRUE(usual.Value(v)->BitwiseEquals(single.Value(v).value())) << v.op_name();
        EXPECT_TRUE(traced.Value(v)->BitwiseEquals(single.Value(v).value())) << v.op_name();
      }
    }
  }
  Session NewSession(bool deterministic) {
    Session session = Session::Create(g, {.deterministic = deterministic}).value();
    session.InitializeMissing().value();
    return session;
  }
  Output Fed(const std::string& name, DType dtype = kFloat) {
    return s.Placeholder(name, dtype, Shape::Unknown());
  }
  Variable NewVariable(const std::string& name, const Tensor& value, bool resource) {
    return s.NewVariable(value, name, {.use_resource = resource});
  }
  // `op` is Assign, AssignAdd or AssignSub.
  Operation Update(const std::string& op, const Variable& v, const Output& value) {
    const bool resource = v.record().is_resource;
    return AddOp(g, resource ? op + "VariableOp" : op, {v.ref(), value});
  }
  const void* AddressOf(Session& session, const Variable& v) {
    return session.Value(v)->raw_data();
  }

  Graph g;
  Scope s;
};

TEST_F(FusedElementwiseTest, WeightedSums) {
  for (DType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
    const std::string scope(DTypeName(dtype));
    const Output x = Fed(scope + "x", dtype), y = Fed(scope + "y", dtype);
    const Output a = Fed(scope + "a", dtype), b = Fed(scope + "b", dtype);
    const Output sum = a * x + y * b;
    const Output difference = a * x - b * y;
    for (const Shape& shape :
         {Shape{0}, Shape{}, Shape{1, 1}, Shape{7}, Shape{3, 4099}, Shape{300'001}}) {
      Compare({{x, Noise(shape, 1, dtype)},
               {y, Noise(shape, 2, dtype)},
               {a, Noise({}, 3, dtype)},
               {b, Noise({}, 4, dtype)}},
              {sum, difference});
    }
  }
}

TEST_F(FusedElementwiseTest, ScalarsOfOtherRanksAndSumsOfScalars) {
  const Output x = Fed("x"), a = Fed("a"), b = Fed("b");
  const Output z = (a + b) * x - (b - a * b);
  for (const Shape& scalar : {Shape{}, Shape{1}, Shape{1, 1, 1}}) {
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 9000}}) {
      Compare({{x, Noise(shape, 1)}, {a, Noise({}, 2)}, {b, Noise(scalar, 3)}}, {z});
    }
  }
}

TEST_F(FusedElementwiseTest, BroadcastRowsAndColumns) {
  const Output x = Fed("x"), row = Fed("row"), column = Fed("column"), one = Fed("one");
  const Output y = (x * row + one) - Exp(column) * x;
  for (const int64_t rows : {1, 2, 5, 700}) {
    for (const int64_t columns : {1, 3, 64, 5001}) {
      Compare({{x, Noise({rows, columns}, 1)},
               {row, Noise({columns}, 2)},
               {column, Noise({rows, 1}, 3)},
               {one, Noise({1, 1}, 4)}},
              {y, (row * 2.0 - column * 3.0) * one, Tanh(row * one) * 2.0});
    }
  }
}

TEST_F(FusedElementwiseTest, BroadcastOfManyDimensions) {
  const Output x = Fed("x"), mask = Fed("mask"), bias = Fed("bias"), head = Fed("head");
  const Output y = Sigmoid((x + mask * -3.0) * head) + bias;
  for (const Shape& of_mask : {Shape{2, 1, 1, 33}, Shape{1, 1, 9, 33}, Shape{2, 1, 9, 1}}) {
    Compare({{x, Noise({2, 3, 9, 33}, 1)},
             {mask, Noise(of_mask, 2)},
             {bias, Noise({33}, 3)},
             {head, Noise({3, 1, 1}, 4)}},
            {y, y * x});
  }
  // More dimensions than a pass supports.
  Compare({{x, Noise({2, 3, 2, 3, 2, 3, 2, 3, 2}, 1)},
           {mask, Noise({2, 1, 2, 1, 2, 1, 2, 1, 2}, 2)},
           {bias, Noise({1, 3, 1, 3, 1, 3, 1, 3, 1}, 3)},
           {head, Noise({1}, 4)}},
          {y});
}

// Values of which vector loops and the scalar code at their ends may treat some differently.
Tensor Special(int64_t n, uint32_t seed, DType dtype) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float special[] = {NAN, kInf, -kInf, -0.0f, 0.0f, 1e-40f, -1e-45f, 3e38f, -1.0f, 0.5f};
  std::mt19937 random(seed);
  Tensor t(kFloat, Shape{n});
  for (float& x : t.mutable_flat<float>()) {
    x = random() % 3 == 0 ? special[random() % std::size(special)]
                          : static_cast<float>(random()) / 1e9f - 2.0f;
  }
  Graph g;
  return dtype == kFloat ? t : Session::Create(g)->Run(Cast(Constant(g, t), dtype)).value();
}

TEST_F(FusedElementwiseTest, AllOpsOfOneArgument) {
  for (DType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
    const Output x = Fed(std::string(DTypeName(dtype)) + "x", dtype);
    std::vector<Output> results;
    for (const char* op :
         {"Neg",   "Abs",   "Sign", "Square",   "Sqrt",    "Rsqrt", "Reciprocal", "Inv",
          "Exp",   "Expm1", "Log",  "Log1p",    "Tanh",    "Sin",   "Sigmoid",    "Cos",
          "Tan",   "Asin",  "Acos", "Atan",     "Sinh",    "Cosh",  "Asinh",      "Acosh",
          "Atanh", "Erf",   "Erfc", "Lgamma",   "Floor",   "Ceil",  "Round",      "Relu",
          "Relu6", "Elu",   "Selu", "Softplus", "Softsign"}) {
      results.push_back(AddOp(g, op, {x * -1.0}).output(0) * 0.5);
    }
    for (const char* op : {"IsNan", "IsInf", "IsFinite"}) {
      const Output is = AddOp(g, op, {x * 2.0}).output(0);
      results.push_back(AddOp(g, "LogicalNot", {is}).output(0));
      results.push_back(Cast(is, dtype) + x);
    }
    for (int64_t n : {1, 7, 2053}) Compare({{x, Special(n, 5, dtype)}}, results);
  }
}

TEST_F(FusedElementwiseTest, AllOpsOfTwoArguments) {
  for (DType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
    const std::string scope(DTypeName(dtype));
    const Output x = Fed(scope + "x", dtype), y = Fed(scope + "y", dtype);
    std::vector<Output> results;
    for (const char* op :
         {"Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "Maximum", "Minimum", "Pow",
          "SquaredDifference", "Atan2", "DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py"}) {
      results.push_back(AddOp(g, op, {x * -1.0, y}).output(0) * 0.5);
    }
    for (const char* op :
         {"ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad",
          "SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad"}) {
      results.push_back(AddOp(g, op, {x * 1.5, y}).output(0) + x);
    }
    for (const char* op : {"Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"}) {
      const Output chosen = AddOp(g, op, {x + y, y}).output(0);
      results.push_back(AddOp(g, "Select", {chosen, x, y}).output(0));
      results.push_back(AddOp(g, "SelectV2", {chosen, x, y * 2.0}).output(0));
    }
    results.push_back(AddOp(g, "AddN", {x, y, x * y, y}, {{"N", 4}}).output(0) - x);
    for (int64_t n : {1, 9, 2053}) {
      Compare({{x, Special(n, 5, dtype)}, {y, Special(n, 6, dtype)}}, results);
    }
  }
}

TEST_F(FusedElementwiseTest, IntegersAndCasts) {
  const Output x = Fed("x", kInt32), y = Fed("y");
  const Output sum = x * 3 + x;
  const Output quotient = AddOp(g, "FloorDiv", {sum, x}).output(0) + 1;
  const Output mixed = Cast(Cast(sum, kFloat) * y, kInt64);
  const Output condition = AddOp(g, "Less", {x, 2}).output(0);
  const Output scalar = AddOp(g, "SelectV2", {condition, 1.0f, 2.0f}).output(0) * y;
  for (int64_t n : {3, 5000}) {
    Tensor values(kInt32, Shape{n});
    int32_t next = 1;
    for (int32_t& v : values.mutable_flat<int32_t>()) v = next++ * 77777;
    Compare({{x, values}, {y, Noise({n}, 1)}}, {sum, quotient, mixed, scalar});
  }
}

// A softmax and a layer normalization as they are spelled out in graphs.
TEST_F(FusedElementwiseTest, ReductionsOfRows) {
  for (DType dtype : {kFloat, kDouble}) {
    const std::string scope(DTypeName(dtype));
    const Output x = Fed(scope + "x", dtype), gamma = Fed(scope + "gamma", dtype);
    const auto reduce = [&](const char* op, const Output& of, bool keep) {
      return AddOp(g, op, {of, -1}, {{"keep_dims", keep}}).output(0);
    };
    const Output shifted = Exp(x - reduce("Max", x, true));
    const Output softmax = shifted / reduce("Sum", shifted, true);
    const Output mean = reduce("Mean", x * 2.0, true);
    const Output variance =
        reduce("Mean", AddOp(g, "SquaredDifference", {x * 2.0, mean}).output(0), true);
    const Output norm = (x * 2.0 - mean) * AddOp(g, "Rsqrt", {variance + 1e-6}).output(0) * gamma;
    const Output loss = reduce("Sum", x * Log(softmax), false);
    const Output lowest = reduce("Min", x * x, false), product = reduce("Prod", x * 0.1, true);
    for (const Shape& shape : {Shape{1, 1}, Shape{7, 1}, Shape{1, 50}, Shape{3, 5, 64},
                               Shape{9, 3001}, Shape{2, 20000}, Shape{130, 4}, Shape{40}}) {
      const Feeds feeds = {{x, Noise(shape, 1, dtype)},
                           {gamma, Noise({shape.dim(shape.rank() - 1)}, 2, dtype)}};
      Compare(feeds, {softmax});
      Compare(feeds, {norm});
      Compare(feeds, {norm, variance, mean, loss, lowest, product});
    }
  }
}

// The buffer of an input that is read again later in the pass must not be overwritten before.
TEST_F(FusedElementwiseTest, BuffersOfInputsAreReusedOnlyAfterTheirLastReader) {
  const Output fed = Fed("fed"), row = Fed("row");
  const Output x = AddOp(g, "Reshape", {Relu(fed), {-1}}).output(0);
  const Output a = x * 2.0;
  const Output b = a + x;
  const Output square = AddOp(g, "MatMul",
                              {AddOp(g, "Reshape", {a, {64, 64}}).output(0),
                               AddOp(g, "Reshape", {b, {64, 64}}).output(0)})
                            .output(0);
  Compare({{fed, Noise({64 * 64}, 1)}, {row, Noise({64}, 2)}},
          {square, (square + row) * row, a - b});
  // A row and a column of as many elements.
  const Output r = Relu(row), m = AddOp(g, "Reshape", {Relu(fed), {64, 64}}).output(0);
  const Output sums = AddOp(g, "Sum", {m * r, -1}, {{"keep_dims", true}}).output(0);
  Compare({{fed, Noise({64 * 64}, 1)}, {row, Noise({64}, 2)}}, {sums * 2.0, m * r - sums});
}

// A chain that is longer than a pass, of values with one element.
TEST_F(FusedElementwiseTest, ChainsOfScalars) {
  const Output x = Fed("x");
  Output y = x;
  for (int i = 0; i < 300; ++i) y = i % 2 ? AddOp(g, "Sin", {y}).output(0) : Exp(y) * 0.1;
  Compare({{x, Noise({}, 1)}}, {y});
  Compare({{x, Noise({1, 1}, 1)}}, {y});
  Compare({{x, Noise({5000}, 1)}}, {y, y * 2.0});
}

// The steps of a loop die together in its last iteration; a branch dies alone.
TEST_F(FusedElementwiseTest, LoopsAndBranches) {
  const Output x = Fed("x"), pred = Fed("pred", kBool);
  const Outputs loop = WhileLoop(
      s,
      [&](const Outputs& v) {
        return AddOp(g, "Less", {v[0], 5}).output(0);
      },
      [&](const Outputs& v) {
        const Output c = Sigmoid(v[1] + 1.0) * v[2] + Tanh(v[1]);
        return Outputs{v[0] + 1, Sigmoid(c) * Tanh(v[2]), c};
      },
      {Constant(g, 0), x * 0.5, x * 0.25});
  const auto dead_or_alive = [&](const Output& v, int branch) {
    return AddOp(g, "Switch", {v, pred}).output(branch);
  };
  const Output yes = Tanh(dead_or_alive(x, 1) * 2.0), no = Exp(dead_or_alive(x, 0) * 3.0);
  const Output merged = AddOp(g, "Merge", {no * 2.0, yes + 1.0}).output(0);
  const Outputs chosen = Cond(
      s, pred,
      [&] {
        return Outputs{Tanh(x * 2.0) + 1.0, x * 3.0 - 1.0};
      },
      [&] {
        return Outputs{Exp(x * 0.1) * x, x * 0.5 + x};
      });
  for (bool value : {false, true}) {
    Compare({{x, Noise({50}, 1)}, {pred, Tensor(value)}},
            {loop[1], loop[2], loop[1] * loop[2] + 1.0, merged * 0.5 + x, chosen[0] + chosen[1]});
  }
}

TEST_F(FusedElementwiseTest, ValuesWithOtherReadersAreKept) {
  const Output x = Fed("x"), y = Fed("y");
  const Output product = x * 0.1;
  const Output sum = product + y * 0.9;
  const Feeds feeds = {{x, Noise({1000}, 1)}, {y, Noise({1000}, 2)}};
  Compare(feeds, {sum});
  Compare(feeds, {sum, product});
  Compare(feeds, {sum, product + 1.0, Relu(product)});
}

// The gradient of a mean fills a tensor, and that of a sum of rows repeats its columns.
TEST_F(FusedElementwiseTest, FilledAndRepeatedOperands) {
  const Output x = Fed("x"), sizes = Fed("sizes", kInt32), times = Fed("times", kInt64);
  const Output column = Fed("column"), y = Tanh(x * 0.5);
  const Output filled = AddOp(g, "Fill", {sizes, 0.25f}).output(0);
  const Output wide = AddOp(g, "BroadcastTo", {column * 3.0, sizes}).output(0);
  const Output tiled = AddOp(g, "Tile", {column, times}).output(0);
  const Output zeros = AddOp(g, "ZerosLike", {y}).output(0);
  const Output ones = AddOp(g, "OnesLike", {x}).output(0);
  const Output positive = AddOp(g, "Greater", {x, zeros}).output(0);
  const std::vector<Output> results = {AddOp(g, "TanhGrad", {y, filled}).output(0) * 2.0,
                                       y * wide - filled, tiled * y,
                                       AddOp(g, "Select", {positive, ones - y, zeros}).output(0)};
  for (const Shape& shape : {Shape{1, 1}, Shape{3, 1}, Shape{1, 200}, Shape{7, 300}}) {
    const auto rows = static_cast<int32_t>(shape.dim(0)),
               columns = static_cast<int32_t>(shape.dim(1));
    Compare({{x, Noise(shape, 1)},
             {column, Noise({rows, 1}, 2)},
             {sizes, Tensor::Vector<int32_t>({rows, columns})},
             {times, Tensor::Vector<int64_t>({1, columns})}},
            results);
  }
  // Constant sizes.
  const Output constant = AddOp(g, "Fill", {Tensor::Vector<int64_t>({7, 300}), 0.5f}).output(0);
  const Output repeated = AddOp(g, "Tile", {column, Tensor::Vector<int32_t>({1, 300})}).output(0);
  Compare({{x, Noise({7, 300}, 1)}, {column, Noise({7, 1}, 2)}},
          {AddOp(g, "ReluGrad", {constant, x}).output(0) * 2.0, (repeated + x) * x});
}

// The gradient of the mean of a long chain, with the tensor that it starts from, is one step.
TEST_F(FusedElementwiseTest, GradientsAreOnePass) {
  const Output x = s.Placeholder("x", kFloat, Shape{3, 500});
  Output y = x;
  for (int i = 0; i < 6; ++i) y = Relu(y * (0.5 + i) + 0.25) + Tanh(y);
  const Output mean = AddOp(g, "Mean", {y, Tensor::Vector<int32_t>({0, 1})}).output(0);
  const Output gradient = Gradients({mean}, {x}).value()[0].values;
  Compare({{x, Noise({3, 500}, 1)}}, {gradient});
  Session session = NewSession(false);
  const PlanReport report = ExplainRun(session, {x}, gradient).value();
  EXPECT_EQ(report.steps, 1);
  EXPECT_GT(report.steps_compiled, 50);
}

// Sizes that the pass does not support have the results and errors of separate steps.
TEST_F(FusedElementwiseTest, FilledWithOtherSizes) {
  const Output x = Fed("x"), sizes = Fed("sizes", kInt32), value = Fed("value");
  const Output sum = AddOp(g, "Fill", {sizes, value}).output(0) * 2.0 + x;
  const auto feeds = [&](const Shape& shape, std::vector<int32_t> given) {
    return Feeds{
        {x, Noise(shape, 1)}, {value, Tensor(1.5f)}, {sizes, Tensor::Vector<int32_t>(given)}};
  };
  Compare(feeds({4, 5}, {4, 5}), {sum});
  Compare(feeds({5}, {4, 5}), {sum});
  Compare(feeds({4, 5}, {5}), {sum});
  Compare(feeds({4, 5}, {}), {sum});
  Compare(feeds({0}, {0}), {sum});
  Session session = NewSession(false);
  EXPECT_THAT(session.Run(feeds({4, 5}, {4, 6}), {sum}).status().message(),
              HasSubstr("Incompatible shapes"));
  EXPECT_THAT(session.Run(feeds({4, 5}, {-4, 5}), {sum}).status().message(), HasSubstr("must be"));
}

// A long sum takes several passes.
TEST_F(FusedElementwiseTest, ManyTerms) {
  const Output x = Fed("x");
  Output sum = x;
  for (int i = 0; i < 40; ++i) sum = sum * 0.75 + (x - sum * i);
  Output flat = x;
  for (int i = 0; i < 40; ++i) flat = flat + x * (0.25 * i);
  Compare({{x, Noise({3000}, 1)}}, {sum, flat});
}

// One product can be added to the other one, but not each to the other.
TEST_F(FusedElementwiseTest, TheSumOfTwoMatrixProducts) {
  const Output x = Fed("x"), y = Fed("y");
  const Output sum = MatMul(x, x) + MatMul(y, y);
  Session session = NewSession(false);
  const Tensor ones = Tensor::Of<float>({40, 40}, {1.0f}),
               twos = Tensor::Of<float>({40, 40}, {2.0f});
  const Tensor expected = Tensor::Of<float>({40, 40}, {200.0f});
  EXPECT_TRUE(session.Run({{x, ones}, {y, twos}}, sum).value().BitwiseEquals(expected));
}

// A value that a later pass reads must not be overwritten by an earlier step.
TEST_F(FusedElementwiseTest, AnUnfusedSumKeepsValuesReadLater) {
  const Output fed = Fed("fed"), row = Fed("row");
  const Output x = Relu(fed);
  const Output late = x * 3.0;
  const Output sum = x * 2.0 + row;
  Compare({{fed, Noise({4, 2000}, 1)}, {row, Noise({1, 2000}, 2)}}, {sum, late + Relu(sum)});
}

TEST_F(FusedElementwiseTest, AssignedInPlace) {
  for (bool resource : {false, true}) {
    const std::string kind = resource ? "resource" : "ref";
    Variable v = NewVariable(kind, Noise({kLarge}, 1), resource);
    const Output x = Fed(kind + "x");
    const Operation mixed = Update("Assign", v, x * 0.1 + Output(v) * 0.9);
    const Operation moved = Update("AssignSub", v, (Output(v) - x) * 0.01);
    const Operation added = Update("AssignAdd", v, x * 0.5);
    const Feeds feeds = {{x, Noise({kLarge}, 2)}};
    Compare(feeds, {}, {mixed});
    Compare(feeds, {}, {moved});
    Compare(feeds, {}, {added});
    Session session = NewSession(false);
    session.Run(feeds, mixed).value();  // the first value is also that of a constant
    const void* address = AddressOf(session, v);
    for (const Operation& update : {mixed, moved, added}) {
      session.Run(feeds, update).value();
      EXPECT_EQ(AddressOf(session, v), address) << kind << update.name();
    }
  }
}

// The assigned value repeats a smaller one, so that the pass computes fewer elements than it has.
TEST_F(FusedElementwiseTest, AssignedFills) {
  for (bool resource : {false, true}) {
    const std::string kind = resource ? "resource" : "ref";
    Variable v = NewVariable(kind, Noise({30, 40}, 1), resource);
    const Output sizes = Constant(g, Tensor::Vector<int32_t>({30, 40}));
    const Output factor = Fed(kind + "factor"), column = Fed(kind + "column");
    const Output filled = AddOp(g, "Fill", {sizes, 2.0f}).output(0) * factor;
    const Output tiled =
        AddOp(g, "Tile", {column, Tensor::Vector<int32_t>({1, 40})}).output(0) * factor;
    const Feeds feeds = {{factor, Tensor(1.5f)}, {column, Noise({30, 1}, 2)}};
    for (const char* op : {"Assign", "AssignAdd", "AssignSub"}) {
      Compare(feeds, {}, {Update(op, v, filled)});
      Compare(feeds, {}, {Update(op, v, tiled)});
    }
  }
}

TEST_F(FusedElementwiseTest, HeldValuesDoNotChange) {
  Variable v = NewVariable("v", Noise({kLarge}, 1), false);
  const Operation update = Update("Assign", v, Output(v) * 0.9 + 0.25);
  Session session = NewSession(false), single = NewSession(true);
  const Tensor held = session.Value(v).value(), copy = held.DeepCopy().value();
  session.Run(update).value();
  single.Run(update).value();
  EXPECT_TRUE(held.BitwiseEquals(copy));
  EXPECT_TRUE(session.Value(v)->BitwiseEquals(single.Value(v).value()));
  EXPECT_FALSE(session.Value(v)->BitwiseEquals(copy));
}

// Tests updates that read other variables, and updates of several variables in one run.
TEST_F(FusedElementwiseTest, SeveralVariables) {
  for (bool resource : {false, true}) {
    const std::string kind = resource ? "resource" : "ref";
    Variable v = NewVariable(kind + "v", Noise({100}, 1), resource);
    Variable w = NewVariable(kind + "w", Noise({100}, 2), resource);
    const Operation to_v = Update("Assign", v, Output(w) * 0.1 + Output(v) * 0.9);
    const Scope after = s.ControlDependencies({to_v});
    const Operation to_w = Update("AssignSub", w, (Output(w) - Output(v)) * 0.5);
    Compare({}, {}, {to_v, to_w});
  }
}

// The product uses the value before the addition.
TEST_F(FusedElementwiseTest, EffectsInBetweenPreventFusing) {
  Variable v = NewVariable("v", Noise({100}, 1), false);
  const Output before = Output(v) * 0.5;
  Operation added;
  {
    const Scope after = s.ControlDependencies({before.op()});
    added = Update("AssignAdd", v, Fed("x"));
  }
  const Scope after = s.ControlDependencies({added});
  const Operation update = Update("Assign", v, before + 1.0);
  Compare({{"x:0", Noise({100}, 2)}}, {}, {update});
}

TEST_F(FusedElementwiseTest, NewShapesAndFirstValuesAreNotFused) {
  Variable v = NewVariable("v", Noise({100}, 1), false);
  const Output x = Fed("x");
  const Output value = x * 0.5 + 1.0;
  const Operation any = AddOp(g, "Assign", {v.ref(), value}, {{"validate_shape", false}});
  Compare({{x, Noise({7, 3}, 2)}}, {}, {any});
  Session session = Session::Create(g).value();
  session.Run({{x, Noise({100}, 2)}}, any).value();
  EXPECT_EQ(session.Value(v)->num_elements(), 100);
}

TEST_F(FusedElementwiseTest, ErrorsNameTheirNode) {
  const Output x = Fed("x"), y = Fed("y");
  const Output left = AddOp(g, "Mul", {x, y}, {}, "left").output(0);
  const Output right = AddOp(g, "Mul", {x, Constant(g, 2.0f)}, {}, "right").output(0);
  const Output sum = AddOp(g, "AddV2", {left, right}, {}, "sum").output(0);
  Variable v = NewVariable("v", Noise({2}, 1), false);
  const Operation update = AddOp(g, "AssignSub", {v.ref(), sum}, {}, "update");
  Session session = NewSession(false);
  const auto message = [&](const Shape& of_x, const Shape& of_y, const GraphElement& run) {
    return session.Run({{x, Noise(of_x, 1)}, {y, Noise(of_y, 2)}}, run).status().message();
  };
  EXPECT_THAT(message({2}, {3}, sum), HasSubstr("{{node left}}"));
  EXPECT_THAT(message({2}, {3}, update), HasSubstr("{{node left}}"));
  EXPECT_THAT(message({3}, {3}, update), HasSubstr("{{node update}}"));
  Session empty = Session::Create(g).value();
  EXPECT_THAT(empty.Run({{x, Noise({2}, 1)}, {y, Noise({2}, 2)}}, update).status().message(),
              HasSubstr("Attempting to use uninitialized value v"));
}

}  // namespace
}  // namespace ramet
