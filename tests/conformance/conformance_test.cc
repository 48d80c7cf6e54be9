// Compares every operation with real TensorFlow (tests/data/conformance) in three ways: the CPU
// kernel alone (also in place), in a graph with static shapes, and in a graph with unknown shapes.
// The graphs also compute the gradients and run on the device that RAMET_CONFORMANCE_DEVICE names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "allocations.h"
#include "case.h"
#include "device.h"
#include "ramet/gradients/gradients.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/scope.h"
#include "ramet/op/testing/kernel_tester.h"
#include "ramet/runtime/session.h"

namespace ramet::conformance {
namespace {

// Reports whether the kernels of a family must not allocate in the steady state.
bool CountsAllocations(std::string_view family) {
  constexpr std::string_view kFamilies[] = {"math", "nn", "conv", "pool", "norm"};
  return std::ranges::find(kFamilies, family) != std::end(kFamilies);
}

using ::testing::HasSubstr;

const std::vector<Case>& AllCases() {
  static const std::vector<Case>* const cases =
      new std::vector<Case>(LoadCases(RAMET_CONFORMANCE_DATA));
  return *cases;
}

std::string CaseName(const ::testing::TestParamInfo<int>& info) {
  const Case& c = AllCases()[info.param];
  return StrCat(c.family, "_", c.op, "_", c.line);
}

// Reports whether gradients flow through a dtype.
bool Differentiable(DType t) { return IsFloating(t) || IsComplex(t); }

void ExpectEqual(const Case& c, const std::vector<Tensor>& found,
                 const std::vector<Tensor>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    Status same = Compare(found[i], expected[i], c.tol.value_or(-1), c.atol.value_or(-1));
    EXPECT_TRUE(same.ok()) << "output " << i << ": " << same.message();
  }
}

class Conformance : public ::testing::TestWithParam<int> {
 protected:
  const Case& param() const { return AllCases()[GetParam()]; }
  bool HasRefs() const {
    return std::ranges::any_of(param().inputs, [](const Case::Input& in) { return in.is_ref; });
  }
};

// Returns a tester for the case with its own inputs.
std::unique_ptr<KernelTester> MakeTester(const Case& c) {
  auto tester = std::make_unique<KernelTester>(c.op);
  for (const auto& [name, value] : c.attrs) tester->Attr(name, value);
  for (const Case::Input& in : c.inputs) {
    Tensor copy = in.value.DeepCopy().value();
    in.is_ref ? tester->Ref(std::move(copy)) : tester->Input(std::move(copy));
  }
  return tester;
}

TEST_P(Conformance, Kernel) {
  const Case& c = param();
  auto made = MakeTester(c);
  KernelTester& tester = *made;
  auto outputs = tester.Run();
  if (!c.error.empty()) {
    ASSERT_FALSE(outputs.ok()) << "expected the error: " << c.error;
    EXPECT_THAT(outputs.status().message(), HasSubstr(c.error));
    return;
  }
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  ExpectEqual(c, *outputs, c.outputs);
  std::vector<Tensor> refs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (c.inputs[i].is_ref) refs.push_back(tester.variable(static_cast<int>(i)).Read());
  }
  ExpectEqual(c, refs, c.refs);
}

// Outputs are the same if they reuse the buffers of inputs that have no other users.
TEST_P(Conformance, KernelInPlace) {
  const Case& c = param();
  if (!c.error.empty() || HasRefs()) return;
  auto tester = MakeTester(c);
  for (size_t i = 0; i < c.inputs.size(); ++i) tester->Forwardable(static_cast<int>(i));
  auto outputs = tester->Run();
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  ExpectEqual(c, *outputs, c.outputs);
}

// After a kernel has run once, memory comes only from the tensors' pool. Strings are the exception.
TEST_P(Conformance, KernelAllocatesNothing) {
  const Case& c = param();
  const bool strings = std::ranges::any_of(
      c.inputs, [](const Case::Input& in) { return in.value.dtype() == kString; });
  if (!c.error.empty() || strings || !CountsAllocations(c.family)) return;
  auto tester = MakeTester(c);
  ASSERT_TRUE(tester->Run().ok());
  ASSERT_TRUE(tester->RunAgain().ok());
  const int64_t before = Allocations();
  ASSERT_TRUE(tester->RunAgain().ok());
  EXPECT_EQ(Allocations() - before, 0);
}

TEST_P(Conformance, Shapes) {
  const Case& c = param();
  if (!c.error.empty() || HasRefs()) return;
  auto tester = MakeTester(c);
  for (bool values_known : {true, false}) {
    auto shapes = tester->InferShapes(values_known);
    ASSERT_TRUE(shapes.ok()) << shapes.status().ToString();
    for (size_t i = 0; i < shapes->size(); ++i) {
      EXPECT_TRUE((*shapes)[i].IsCompatibleWith(c.outputs[i].shape()))
          << "output " << i << " is inferred to be " << (*shapes)[i].ToString() << ", but is "
          << c.outputs[i].shape().ToString();
    }
  }
}

// A graph with one operation and its gradients.
class OneOpGraph {
 public:
  OneOpGraph(const Case& c, bool shapes_known) : case_(c) {
    std::vector<Input> inputs;
    for (const Case::Input& in : c.inputs) {
      inputs_.push_back(AddInput(in.value, shapes_known));
      inputs.push_back(inputs_.back());
    }
    op_ = AddOp(graph_, c.op, inputs, c.attrs, "op");
  }

  Status status() const { return graph_.status(); }

  StatusOr<std::vector<Tensor>> RunOutputs() {
    std::vector<GraphElement> fetches;
    for (const Output& o : op_.outputs()) fetches.push_back(o);
    if (fetches.empty()) fetches.push_back(op_);
    RAMET_ASSIGN_OR_RETURN(auto values, Run(fetches));
    values.resize(op_.num_outputs());
    return values;
  }

  // Returns one dense gradient per input, empty if there is none.
  StatusOr<std::vector<Tensor>> RunGradients() {
    std::vector<Output> ys;
    GradientsOptions options;
    for (size_t i = 0; i < case_.grad_ys.size(); ++i) {
      if (case_.grad_ys[i].empty()) continue;
      ys.push_back(op_.output(static_cast<int>(i)));
      options.grad_ys.push_back(Constant(graph_, case_.grad_ys[i], "grad_y"));
    }
    std::vector<GradientTarget> xs;
    for (const Output& in : inputs_) {
      if (Differentiable(in.dtype())) xs.push_back(in);
    }
    RAMET_ASSIGN_OR_RETURN(std::vector<Gradient> gradients, Gradients(ys, xs, options));
    std::vector<Tensor> values;
    size_t next = 0;
    for (const Output& in : inputs_) {
      values.emplace_back();
      if (!Differentiable(in.dtype())) continue;
      RAMET_ASSIGN_OR_RETURN(values.back(), ValueOf(gradients[next++]));
    }
    return values;
  }

 private:
  Output AddInput(const Tensor& value, bool shapes_known) {
    const std::string name = StrCat("in", inputs_.size());
    if (shapes_known && (IsInteger(value.dtype()) || value.dtype() == kBool)) {
      return Constant(graph_, value, name);
    }
    Output x =
        scope_.Placeholder(name, value.dtype(), shapes_known ? value.shape() : Shape::Unknown());
    feeds_.push_back({x, value});
    return x;
  }

  StatusOr<std::vector<Tensor>> Run(const std::vector<GraphElement>& fetches) {
    RAMET_ASSIGN_OR_RETURN(Session session, Session::Create(graph_, TestedOptions()));
    return session.Run(feeds_, Fetches(fetches));
  }

  StatusOr<Tensor> ValueOf(const Gradient& gradient) {
    if (!gradient.exists()) return Tensor();
    if (!gradient.sparse()) {
      RAMET_ASSIGN_OR_RETURN(auto values, Run({gradient.values}));
      return values[0];
    }
    RAMET_ASSIGN_OR_RETURN(auto parts,
                           Run({gradient.values, gradient.indices, gradient.dense_shape}));
    RAMET_ASSIGN_OR_RETURN(std::vector<int64_t> rows, IntegerValues(parts[1]));
    RAMET_ASSIGN_OR_RETURN(std::vector<int64_t> dims, IntegerValues(parts[2]));
    return Dense(parts[0], rows, Shape(dims));
  }

  static Tensor Dense(const Tensor& values, const std::vector<int64_t>& rows, const Shape& shape) {
    const std::vector<double> numbers = Numbers(values);
    const int64_t width = IsComplex(values.dtype()) ? 2 : 1;
    std::vector<double> sum(shape.num_elements() * width, 0.0);
    const size_t row_size = rows.empty() ? 0 : numbers.size() / rows.size();
    for (size_t i = 0; i < numbers.size(); ++i) {
      sum[rows[i / row_size] * row_size + i % row_size] += numbers[i];
    }
    return FromNumbers(values.dtype(), shape, sum);
  }

  const Case& case_;
  Graph graph_;
  Scope scope_{graph_};
  Scope device_ = scope_.Device(TestedDevice());
  std::vector<Output> inputs_;
  Operation op_;
  Feeds feeds_;
};

void CheckGradients(const Case& c, OneOpGraph& graph) {
  constexpr double kGradientFactor = 4;
  auto gradients = graph.RunGradients();
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  ASSERT_EQ(gradients->size(), c.gradients.size());
  for (size_t i = 0; i < c.gradients.size(); ++i) {
    ASSERT_EQ((*gradients)[i].empty(), c.gradients[i].empty()) << "gradient of input " << i;
    if (c.gradients[i].empty()) continue;
    const double tol = c.grad_tol.value_or(c.tol.value_or(-1));
    Status same =
        Compare((*gradients)[i], c.gradients[i], tol, c.atol.value_or(-1), kGradientFactor);
    EXPECT_TRUE(same.ok()) << "gradient of input " << i << ": " << same.message();
  }
}

void CheckInGraph(const Case& c, bool shapes_known) {
  OneOpGraph graph(c, shapes_known);
  if (!c.error.empty()) {
    // With static shapes, the error may occur at build time with different wording.
    Status found = graph.status();
    if (found.ok()) found = graph.RunOutputs().status();
    if (found.ok() && IgnoresError(c.error)) return;
    ASSERT_FALSE(found.ok()) << "expected the error: " << c.error;
    if (!shapes_known) {
      EXPECT_THAT(found.message(), HasSubstr(c.error));
    }
    return;
  }
  ASSERT_TRUE(graph.status().ok()) << graph.status().ToString();
  auto outputs = graph.RunOutputs();
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  ExpectEqual(c, *outputs, c.outputs);
  if (c.has_gradients && (shapes_known || !c.static_only)) CheckGradients(c, graph);
}

TEST_P(Conformance, GraphOfKnownShapes) {
  if (!HasRefs()) CheckInGraph(param(), true);
}

TEST_P(Conformance, GraphOfUnknownShapes) {
  if (!HasRefs()) CheckInGraph(param(), false);
}

INSTANTIATE_TEST_SUITE_P(Cases, Conformance,
                         ::testing::Range(0, static_cast<int>(AllCases().size())), CaseName);

}  // namespace
}  // namespace ramet::conformance
