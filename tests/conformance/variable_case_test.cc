// Compares the operations that read or update variables with real TensorFlow, in graphs on the
// device that RAMET_CONFORMANCE_DEVICE names. conformance_test.cc runs their CPU kernels alone.
#include <gtest/gtest.h>

#include <algorithm>

#include "case.h"
#include "device.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/scope.h"
#include "ramet/op/op.h"
#include "ramet/runtime/session.h"

namespace ramet::conformance {
namespace {

const std::vector<Case>& VariableCases() {
  static const std::vector<Case>* const cases = [] {
    auto* kept = new std::vector<Case>(LoadCases(RAMET_CONFORMANCE_DATA));
    std::erase_if(*kept, [](const Case& c) {
      const auto is_variable = [](const Case::Input& in) { return in.is_ref; };
      const auto has_no_value = [](const Case::Input& in) { return in.value.empty(); };
      return !c.error.empty() || std::ranges::none_of(c.inputs, is_variable) ||
             std::ranges::any_of(c.inputs, has_no_value);
    });
    return kept;
  }();
  return *cases;
}

// A graph with one operation, whose Ref and resource inputs are variables.
class VariableGraph {
 public:
  explicit VariableGraph(const Case& c) {
    const OpSchema& schema = OpRegistry::Global().Find(c.op)->schema();
    std::vector<Input> inputs;
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      const Tensor& value = c.inputs[i].value;
      if (!c.inputs[i].is_ref) {
        const Output x = scope_.Placeholder(StrCat("in", i), value.dtype(), Shape::Unknown());
        feeds_.push_back({x, value});
        inputs.push_back(x);
      } else if (i < schema.inputs.size() && schema.inputs[i].type == DType::kResource) {
        inputs.push_back(AddResource(StrCat("v", i), value));
      } else {
        inputs.push_back(AddReference(StrCat("v", i), value));
      }
    }
    op_ = AddOp(graph_, c.op, inputs, c.attrs, "op");
  }

  Status status() const { return graph_.status(); }

  // Runs the operation and returns the values of the variables.
  StatusOr<std::vector<Tensor>> Run() {
    RAMET_ASSIGN_OR_RETURN(Session session, Session::Create(graph_, TestedOptions()));
    RAMET_RETURN_IF_ERROR(session.Run(Fetches(initializers_)).status());
    RAMET_RETURN_IF_ERROR(session.Run(feeds_, Fetches({op_})).status());
    return session.Run(Fetches(reads_));
  }

 private:
  Output AddResource(const std::string& name, const Tensor& value) {
    const Operation handle =
        AddOp(graph_, "VarHandleOp", {},
              {{"dtype", value.dtype()}, {"shape", value.shape()}, {"shared_name", name}}, name);
    initializers_.push_back(AddOp(graph_, "AssignVariableOp",
                                  {handle.output(0), Constant(graph_, value, name + "_value")},
                                  {{"dtype", value.dtype()}}, name + "_assign"));
    reads_.push_back(AddOp(graph_, "ReadVariableOp", {handle.output(0)}, {{"dtype", value.dtype()}},
                           name + "_read")
                         .output(0));
    return handle.output(0);
  }

  Output AddReference(const std::string& name, const Tensor& value) {
    const Output variable =
        AddOp(graph_, "VariableV2", {}, {{"dtype", value.dtype()}, {"shape", value.shape()}}, name)
            .output(0);
    initializers_.push_back(AddOp(graph_, "Assign",
                                  {variable, Constant(graph_, value, name + "_value")}, {},
                                  name + "_assign"));
    reads_.push_back(variable);
    return variable;
  }

  Graph graph_;
  Scope scope_{graph_};
  Scope device_ = scope_.Device(TestedDevice());
  Operation op_;
  Feeds feeds_;
  std::vector<GraphElement> initializers_, reads_;
};

class VariableConformance : public ::testing::TestWithParam<int> {};

TEST_P(VariableConformance, Graph) {
  const Case& c = VariableCases()[GetParam()];
  VariableGraph graph(c);
  ASSERT_TRUE(graph.status().ok()) << graph.status().ToString();
  const auto found = graph.Run();
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  ASSERT_EQ(found->size(), c.refs.size());
  for (size_t i = 0; i < c.refs.size(); ++i) {
    const Status same = Compare((*found)[i], c.refs[i], c.tol.value_or(-1), c.atol.value_or(-1));
    EXPECT_TRUE(same.ok()) << "variable " << i << ": " << same.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, VariableConformance,
                         ::testing::Range(0, static_cast<int>(VariableCases().size())),
                         [](const auto& info) {
                           const Case& c = VariableCases()[info.param];
                           return StrCat(c.family, "_", c.op, "_", c.line);
                         });

}  // namespace
}  // namespace ramet::conformance
