#include "ramet/graph_def/function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/graph/add_op.h"
#include "ramet/graph/function_library.h"
#include "ramet/graph_def/attr_placeholders.h"
#include "ramet/graph_def/graph_def.h"
#include "ramet/graph_def/import.h"
#include "ramet/graph_def/import_testing.h"
#include "ramet/op/op.h"

namespace ramet {
namespace {

RAMET_OP("AddN")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Shape(UnknownShape);
RAMET_OP("Mul").Input("x: T").Input("y: T").Output("z: T").Attr("T: type").Shape(UnknownShape);
RAMET_OP("Neg").Input("x: T").Output("y: T").Attr("T: type").Shape(UnchangedShape);
RAMET_OP("Split")
    .Input("split_dim: int32")
    .Input("value: T")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .Shape(UnknownShape);

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// f(x: T, y: N * T) -> (sum: T, all: N * T), with T and N from attrs.
constexpr char kLibrary[] = R"pb(
  library {
    function {
      signature {
        name: 'f'
        input_arg { name: 'x' type_attr: 'T' }
        input_arg { name: 'ys' type_attr: 'T' number_attr: 'N' }
        output_arg { name: 'sum' type_attr: 'T' }
        output_arg { name: 'all' type_attr: 'T' number_attr: 'N' }
        attr { name: 'T' type: 'type' }
        attr {
          name: 'N'
          type: 'int'
          default_value { i: 2 }
        }
      }
      node_def {
        name: 'add'
        op: 'AddN'
        input: 'ys'
        attr {
          key: 'T'
          value { placeholder: 'T' }
        }
        attr {
          key: 'N'
          value { placeholder: 'N' }
        }
      }
      node_def {
        name: 'mul'
        op: 'Mul'
        input: 'add:sum:0'
        input: 'x'
        attr {
          key: 'T'
          value { placeholder: 'T' }
        }
      }
      node_def {
        name: 'split'
        op: 'Split'
        input: 'axis:output'
        input: 'mul:z:0'
        input: '^add'
        attr {
          key: 'T'
          value { placeholder: 'T' }
        }
        attr {
          key: 'num_split'
          value { placeholder: 'N' }
        }
        attr {
          key: '_class'
          value { list { s: 'loc:@elsewhere' } }
        }
      }
      node_def {
        name: 'axis'
        op: 'Const'
        attr {
          key: 'dtype'
          value { type: DT_INT32 }
        }
        attr {
          key: 'value'
          value {
            tensor {
              dtype: DT_INT32
              tensor_shape {}
              int_val: 0
            }
          }
        }
      }
      ret { key: 'sum' value: 'mul:z:0' }
      ret { key: 'all' value: 'split:output' }
    }
  }
)pb";

FunctionRef Ref(std::string name, AttrMap attrs = {}) {
  return {std::move(name), std::make_shared<const AttrMap>(std::move(attrs))};
}

std::vector<std::string> NamesOf(const std::vector<Output>& outputs) {
  std::vector<std::string> names;
  for (const Output& o : outputs) names.push_back(o.name());
  return names;
}

class FunctionTest : public ::testing::Test {
 protected:
  void Load(const std::string& text) {
    ASSERT_TRUE(ImportGraphDef(graph_, text, {.name = ""}).ok());
  }
  // Returns the error message for the body of 'f' with `from` replaced by `to`.
  std::string ErrorWith(const std::string& from, const std::string& to) {
    std::string text = kLibrary;
    EXPECT_NE(text.find(from), std::string::npos);
    text.replace(text.find(from), from.size(), to);
    Graph graph;
    if (!ImportGraphDef(graph, text, {.name = ""}).ok()) return "not imported";
    auto body = FindFunction(graph, Ref("f", {{"T", kFloat}}));
    return body.ok() ? "" : body.status().message();
  }
  Graph graph_;
};

TEST_F(FunctionTest, BodyIsAGraphWithAttrsSubstituted) {
  Load(kLibrary);
  auto body = FindFunction(graph_, Ref("f", {{"T", kDouble}, {"N", 3}}));
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  EXPECT_THAT(NamesOf((*body)->args), ElementsAre("x:0", "ys_0:0", "ys_1:0", "ys_2:0"));
  EXPECT_THAT(NamesOf((*body)->returns), ElementsAre("mul:0", "split:0", "split:1", "split:2"));
  EXPECT_THAT((*body)->return_names, ElementsAre("sum", "all", "all", "all"));
  EXPECT_EQ((*body)->args[2].dtype(), kDouble);
  EXPECT_EQ((*body)->graph->FindOperation("split")->control_inputs().size(), 1u);
}

// Returns a function whose attr is a function, and so on, with a placeholder at the end.
AttrValue NestedFunctions(int levels) {
  AttrValue outermost;
  AttrValue* value = &outermost;
  for (int i = 0; i < levels; ++i) value = &(*value->mutable_func()->mutable_attr())["f"];
  value->set_placeholder("T");
  return outermost;
}

TEST(AttrPlaceholdersTest, AreReplacedUpToADepth) {
  AttrProtoMap values;
  values["T"].set_type(DT_FLOAT);
  AttrValue value = NestedFunctions(3);
  ASSERT_TRUE(ReplacePlaceholders(values, &value).ok());
  EXPECT_THAT(value.ShortDebugString(), HasSubstr("type: DT_FLOAT"));
  AttrValue deep = NestedFunctions(60);
  EXPECT_THAT(ReplacePlaceholders(values, &deep).message(), HasSubstr("nested too deeply"));
}

// No node may be named after such an argument, not even with a number.
TEST_F(FunctionTest, ArgumentsWithIllegalNamesGetLegalOnes) {
  Load(R"pb(
    library {
      function {
        signature {
          name: 'f'
          input_arg { name: 'a b' type: DT_FLOAT }
          input_arg { name: 'c d' type: DT_FLOAT }
          output_arg { name: 'out' type: DT_FLOAT }
        }
        ret { key: 'out' value: 'c d' }
      }
    })pb");
  auto body = FindFunction(graph_, Ref("f"));
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  EXPECT_THAT(NamesOf((*body)->args), ElementsAre("arg:0", "arg_1:0"));
  EXPECT_THAT(NamesOf((*body)->returns), ElementsAre("arg_1:0"));
}

TEST_F(FunctionTest, IsInstantiatedOnceForTheSameAttrs) {
  Load(kLibrary);
  auto one = FindFunction(graph_, Ref("f", {{"T", kFloat}}));
  auto same = FindFunction(graph_, Ref("f", {{"T", kFloat}, {"N", 2}, {"_other", true}}));
  auto other = FindFunction(graph_, Ref("f", {{"T", kInt32}}));
  ASSERT_TRUE(one.ok() && same.ok() && other.ok());
  EXPECT_EQ(*one, *same);
  EXPECT_NE(*one, *other);
}

TEST_F(FunctionTest, ErrorsNameTheFunctionAndTheNode) {
  Load(kLibrary);
  EXPECT_THAT(FindFunction(graph_, Ref("ff")).status().message(), HasSubstr("Did you mean 'f'?"));
  EXPECT_THAT(FindFunction(graph_, Ref("f")).status().message(),
              HasSubstr("function 'f': attr 'T' is not given"));
  EXPECT_THAT(FindFunction(graph_, Ref("f", {{"T", "x"}})).status().message(), HasSubstr("'f'"));
  EXPECT_THAT(ErrorWith("input: 'add:sum:0'", "input: 'add:sum:1'"),
              HasSubstr("function 'f': node 'mul': input 'add:sum:1' is not found"));
  EXPECT_THAT(ErrorWith("input: 'add:sum:0'", "input: 'split:output:0'"), HasSubstr("cycle"));
  EXPECT_THAT(ErrorWith("name: 'add'", "name: 'axis'"), HasSubstr("'axis' is not unique"));
  EXPECT_THAT(ErrorWith("op: 'AddN'", "op: 'Adn'"), HasSubstr("Op type not registered 'Adn'"));
  EXPECT_THAT(ErrorWith("placeholder: 'N'", "placeholder: 'M'"),
              HasSubstr("function 'f': node 'add': attr 'N': the function has no attr 'M'"));
  EXPECT_THAT(ErrorWith("value: 'split:output' }", "value: 'mul:z' }"),
              HasSubstr("Return 'all' has 1 tensors, but the signature says 2"));
  EXPECT_THAT(ErrorWith("ret { key: 'sum'", "ret { key: 'some'"),
              HasSubstr("Return 'sum' is missing"));
  EXPECT_THAT(ErrorWith("value: 'mul:z:0'", "value: 'axis:output:0'"),
              HasSubstr("Return 'sum' is int32, but the signature says float"));
  EXPECT_THAT(ErrorWith("ret { key: 'sum'", "control_ret { key: 'c' value: 'q' } ret { key: 'sum'"),
              HasSubstr("names node 'q'"));
}

TEST_F(FunctionTest, PartOfAGraphBecomesAFunction) {
  const Output x =
      AddOp(graph_, "Placeholder", {}, {{"dtype", kFloat}, {"shape", Shape{2}}}, "X/in").output(0);
  const Output before = AddOp(graph_, "Neg", {x}).output(0);
  const Output split =
      AddOp(graph_, "Split", {Tensor(int32_t{0}), before}, {{"num_split", 2}}, "s/Split").output(1);
  const Output sum = AddOp(graph_, "AddV2", {split, before}).output(0);
  ASSERT_TRUE(graph_.status().ok()) << graph_.status().ToString();
  Graph other;
  ASSERT_TRUE(
      DefineFunction(other, graph_, {.name = "g", .args = {before}, .returns = {sum, before, sum}})
          .ok());
  auto body = FindFunction(other, Ref("g"));
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  EXPECT_THAT(NamesOf((*body)->args), ElementsAre("neg:0"));
  EXPECT_THAT(NamesOf((*body)->returns), ElementsAre("AddV2:0", "neg:0", "AddV2:0"));
  EXPECT_EQ((*body)->args[0].shape(), (Shape{2}));
  EXPECT_EQ((*body)->graph->FindOperation("AddV2")->input(0).name(), "s/Split:1");
  EXPECT_FALSE((*body)->graph->HasOperation("X/in"));
}

TEST_F(FunctionTest, SurvivesExportAndImport) {
  auto body = NewFunctionGraph(graph_);
  const Output x = AddOp(*body, "Placeholder", {}, {{"dtype", kFloat}}, "x").output(0);
  const Output y = AddOp(*body, "Neg", {x}).output(0);
  ASSERT_TRUE(DefineFunction(graph_, *body, {.name = "g", .args = {x}, .returns = {y}}).ok());
  const Output in = AddOp(graph_, "Placeholder", {}, {{"dtype", kFloat}}, "in").output(0);
  ASSERT_TRUE(AddOp(graph_, "g", {in}, {}, "call").valid()) << graph_.status().ToString();
  auto bytes = ExportGraphDef(graph_);
  ASSERT_TRUE(bytes.ok());
  Graph read;
  ASSERT_TRUE(ImportGraphDef(read, *bytes, {.name = ""}).ok());
  EXPECT_THAT(FunctionNames(read), ElementsAre("g"));
  EXPECT_EQ(read.FindOperation("call")->output(0).dtype(), kFloat);
  EXPECT_TRUE(FindFunction(read, Ref("g")).ok());
  EXPECT_EQ(ExportGraphDef(read).value(), *bytes);
}

TEST_F(FunctionTest, NamesAreUnique) {
  auto body = NewFunctionGraph(graph_);
  const Output x = AddOp(*body, "Placeholder", {}, {{"dtype", kFloat}}, "x").output(0);
  const Output y = AddOp(*body, "Neg", {x}).output(0);
  EXPECT_EQ(UniqueFunctionName(graph_, "g"), "g");
  ASSERT_TRUE(DefineFunction(graph_, *body, {.name = "g", .args = {x}, .returns = {y}}).ok());
  EXPECT_TRUE(DefineFunction(graph_, *body, {.name = "g", .args = {x}, .returns = {y}}).ok());
  EXPECT_FALSE(DefineFunction(graph_, *body, {.name = "g", .args = {x}, .returns = {x}}).ok());
  EXPECT_EQ(UniqueFunctionName(graph_, "g"), "g_1");
  EXPECT_FALSE(DefineFunction(graph_, *body, {.name = "Neg", .args = {x}, .returns = {y}}).ok());
  EXPECT_TRUE(SetGradientFunction(graph_, "g", "h").ok());
  EXPECT_FALSE(SetGradientFunction(graph_, "g", "i").ok());
  EXPECT_EQ(GradientFunctionName(graph_, "g"), "h");
}

TEST_F(FunctionTest, BodiesOutliveTheGraph) {
  std::shared_ptr<const FunctionBody> body;
  {
    Graph graph;
    ASSERT_TRUE(ImportGraphDef(graph, kLibrary, {.name = ""}).ok());
    body = *FindFunction(graph, Ref("f", {{"T", kFloat}}));
  }
  EXPECT_TRUE(HasFunction(*body->graph, "f"));
  EXPECT_TRUE(FindFunction(*body->graph, Ref("f", {{"T", kFloat}})).ok());
}

}  // namespace
}  // namespace ramet
