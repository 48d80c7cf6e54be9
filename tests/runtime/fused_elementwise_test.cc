// Tests sums, differences and products of one shape, which are computed in one pass over memory.
// Their bits must be those of the separate steps, which deterministic sessions and traced runs use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
        EXPECT_TRUE(found[i].BitwiseEquals(expected[i])) << i;
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

TEST_F(FusedElementwiseTest, BroadcastsAreNotFused) {
  const Output x = Fed("x"), row = Fed("row"), column = Fed("column");
  Compare({{x, Noise({5, 300}, 1)}, {row, Noise({300}, 2)}, {column, Noise({5, 1}, 3)}},
          {x * row + x * column, row * 2.0 - column * 3.0});
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
