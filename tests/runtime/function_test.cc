// Tests function calls in a session: depth, termination, errors, traces, state, threads, devices.
// (tests/conformance tests the values.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/mman.h>

#include <functional>
#include <thread>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

std::string FloatConst(const std::string& name, const std::string& value) {
  return StrCat("node_def { name: '", name,
                "' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' "
                "value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: ",
                value, " } } } }");
}

std::string Type(const std::string& key) {
  return StrCat("attr { key: '", key, "' value { type: DT_FLOAT } }");
}

std::string Types(const std::string& key, const std::string& type = "DT_FLOAT") {
  return StrCat("attr { key: '", key, "' value { list { type: ", type, " } } }");
}

std::string Func(const std::string& key, const std::string& name) {
  return StrCat("attr { key: '", key, "' value { func { name: '", name, "' } } }");
}

// A function of x: float that returns y: float.
std::string Function(const std::string& name, const std::string& nodes, const std::string& result,
                     const std::string& type = "DT_FLOAT") {
  return StrCat("function { signature { name: '", name,
                "' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: ", type,
                " } } ", nodes, " ret { key: 'y' value: '", result, "' } } ");
}

std::string Library(const std::string& functions) { return StrCat("library { ", functions, "} "); }

std::string Binary(const std::string& name, const std::string& op, const std::string& x,
                   const std::string& y) {
  return StrCat("node_def { name: '", name, "' op: '", op, "' input: '", x, "' input: '", y, "' ",
                Type("T"), " } ");
}

std::string Unary(const std::string& name, const std::string& op, const std::string& x) {
  return StrCat("node_def { name: '", name, "' op: '", op, "' input: '", x, "' ", Type("T"), " } ");
}

constexpr char kX[] =
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "
    "versions { producer: 2000 } ";

std::string Call(const std::string& name, const std::string& function,
                 const std::string& input = "x",
                 const std::string& op = "StatefulPartitionedCall") {
  return StrCat("node { name: '", name, "' op: '", op, "' input: '", input, "' ", Types("Tin"),
                Types("Tout"), Func("f", function), " } ");
}

std::string Inside(std::string node) { return node.replace(0, 4, "node_def"); }

// f(x) is the sum of 1 to x, or an infinite recursion.
std::string Sum(bool ends) {
  const std::string choose = StrCat(
      "node_def { name: 'i' op: 'If' input: 'l:z:0' input: 'x' attr { key: 'Tcond' value { "
      "type: DT_BOOL } } ",
      Types("Tin"), Types("Tout"), Func("then_branch", "more"),
      Func("else_branch", ends ? "same" : "more"), " } ");
  return StrCat(
      kX,
      Library(StrCat(
          Function("f", FloatConst("z", "0.5") + Binary("l", "Greater", "x", "z:output:0") + choose,
                   "i:output:0"),
          Function("same", "", "x"),
          Function("more",
                   FloatConst("one", "1") + Binary("s", "Sub", "x", "one:output:0") +
                       Inside(Call("c", "f", "s:z:0")) + Binary("a", "AddV2", "x", "c:output:0"),
                   "a:z:0"))),
      Call("c", "f"));
}

std::string Loop(const std::string& body, const std::string& cond) {
  return StrCat("node { name: 'c' op: 'While' input: 'x' ", Types("T"), Func("cond", cond),
                Func("body", body), " } ");
}

class FunctionRunTest : public ::testing::Test {
 protected:
  Status Import(const std::string& text) {
    RAMET_RETURN_IF_ERROR(ImportGraphDef(graph_, text, {.name = ""}).status());
    RAMET_ASSIGN_OR_RETURN(auto session, Session::Create(graph_, options_));
    session_.emplace(std::move(session));
    return OkStatus();
  }

  StatusOr<float> Run(float x, const RunOptions& options = {}, RunMetadata* metadata = nullptr) {
    RAMET_ASSIGN_OR_RETURN(auto value,
                           session_->Run({{"x:0", Tensor(x)}}, "c:0", options, metadata));
    return value.scalar<float>();
  }

  Graph graph_;
  SessionOptions options_;
  std::optional<Session> session_;
};

TEST_F(FunctionRunTest, RecursionEnds) {
  ASSERT_TRUE(Import(Sum(true)).ok());
  for (int n : {0, 1, 10, 1000, 10}) {
    auto sum = Run(static_cast<float>(n));
    ASSERT_TRUE(sum.ok()) << sum.status().ToString();
    EXPECT_EQ(*sum, static_cast<float>(n) * static_cast<float>(n + 1) / 2);
  }
}

TEST_F(FunctionRunTest, RecursionWithoutEndIsAnError) {
  ASSERT_TRUE(Import(Sum(false)).ok());
  const Status status = Run(1).status();
  EXPECT_EQ(status.code(), Code::kResourceExhausted) << status.ToString();
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("is called at depth "),
                    HasSubstr("does the function call itself forever?"), HasSubstr("{{node c}}")));
  EXPECT_LT(status.message().size(), 5000);
  EXPECT_FALSE(Run(1).ok());
}

// Calls `function` on a thread with a stack of exactly this size. (pthread_attr_setstacksize would
// reuse the larger stack of an earlier thread.)
void CallOnStack(size_t bytes, std::function<void()> function) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  void* const stack =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  ASSERT_NE(stack, MAP_FAILED);
  ASSERT_EQ(pthread_attr_setstack(&attributes, stack, bytes), 0);
  auto call = [](void* f) -> void* {
    (*static_cast<std::function<void()>*>(f))();
    return nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, call, &function), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  munmap(stack, bytes);
}

TEST_F(FunctionRunTest, RecursionRespectsASmallStack) {
  ASSERT_TRUE(Import(Sum(false)).ok());
  CallOnStack(512 << 10, [this] {
    const Status status = Run(1).status();
    EXPECT_EQ(status.code(), Code::kResourceExhausted) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("the stack of this thread has no room for more"));
  });
}

// Each function is instantiated while the one before it runs.
TEST_F(FunctionRunTest, AChainOfFunctionsRespectsASmallStack) {
  std::string functions = Function("f0", "", "x");
  for (int i = 1; i < 500; ++i) {
    functions += Function(StrCat("f", i), Inside(Call("c", StrCat("f", i - 1))), "c:output:0");
  }
  ASSERT_TRUE(Import(kX + Library(functions) + Call("c", "f499")).ok());
  CallOnStack(512 << 10, [this] {
    const Status status = Run(1).status();
    EXPECT_EQ(status.code(), Code::kResourceExhausted) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("the stack of this thread has no room"));
  });
  EXPECT_TRUE(Run(1).ok());
}

TEST_F(FunctionRunTest, FunctionsAreNotInstantiatedAtTheEndOfTheStack) {
  ASSERT_TRUE(Import(kX + Library(Function("f", "", "x")) + Call("c", "f")).ok());
  CallOnStack(256 << 10, [this] {
    const Status status = InstantiateFunction(graph_, {"f", nullptr}).status();
    EXPECT_EQ(status.code(), Code::kResourceExhausted) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("the stack of this thread has no room"));
  });
  EXPECT_TRUE(InstantiateFunction(graph_, {"f", nullptr}).ok());
}

TEST_F(FunctionRunTest, GradientsAreNotBuiltAtTheEndOfTheStack) {
  ASSERT_TRUE(Import(Sum(true)).ok());
  CallOnStack(256 << 10, [this] {
    const Status status = Gradients({*graph_.Tensor("c:0")}, {*graph_.Tensor("x:0")}).status();
    EXPECT_EQ(status.code(), Code::kResourceExhausted) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("the stack of this thread has no room"));
  });
}

TEST_F(FunctionRunTest, RecursionIsLimitedOnALargeStack) {
  ASSERT_TRUE(Import(Sum(false)).ok());
  CallOnStack(size_t{512} << 20, [this] {
    const Status status = Run(1).status();
    EXPECT_EQ(status.code(), Code::kResourceExhausted) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("is called at depth 5001; the limit is 5000"));
  });
}

TEST_F(FunctionRunTest, AFunctionThatCallsItselfOnlyIsAnError) {
  ASSERT_TRUE(Import(kX + Library(Function("f", Inside(Call("again", "f")), "again:output:0")) +
                     Call("c", "f"))
                  .ok());
  EXPECT_EQ(Run(1).status().code(), Code::kResourceExhausted);
}

TEST_F(FunctionRunTest, ALoopWithoutEndObeysTimeoutAndCancellation) {
  ASSERT_TRUE(
      Import(kX +
             Library(
                 Function("same", "", "x") +
                 Function(
                     "yes",
                     "node_def { name: 't' op: 'Const' attr { key: 'dtype' value { type: DT_BOOL } "
                     "} attr { key: 'value' value { tensor { dtype: DT_BOOL tensor_shape {} "
                     "bool_val: true } } } }",
                     "t:output:0", "DT_BOOL")) +
             Loop("same", "yes"))
          .ok());
  EXPECT_TRUE(IsDeadlineExceeded(Run(1, {.timeout_in_ms = 20}).status()));
  auto token = std::make_shared<CancellationToken>();
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    token->Cancel();
  });
  EXPECT_TRUE(IsCancelled(Run(1, {.cancellation = token}).status()));
  canceller.join();
}

TEST_F(FunctionRunTest, AnErrorNamesFunctionAndCaller) {
  const std::string check =
      "node_def { name: 'check' op: 'CheckNumerics' input: 'x' attr { key: 'T' value { type: "
      "DT_FLOAT } } attr { key: 'message' value { s: 'oops' } } } ";
  ASSERT_TRUE(Import(kX +
                     Library(Function("inner", check, "check:output:0") +
                             Function("outer", Inside(Call("mid", "inner")), "mid:output:0")) +
                     Call("c", "outer"))
                  .ok());
  EXPECT_TRUE(Run(1).ok());
  const Status status = Run(std::numeric_limits<float>::infinity()).status();
  EXPECT_EQ(status.message(),
            "oops : Tensor had Inf values\n\t [[{{function_node inner}}{{node check}}]]\n\t "
            "[[{{function_node outer}}{{node mid}}]]\n\t [[{{node c}}]]");
  EXPECT_EQ(*Run(2), 2);
}

TEST_F(FunctionRunTest, MissingFunctionsAreNamed) {
  ASSERT_TRUE(Import(kX + Call("c", "nobody") + Library(Function("somebody", "", "x"))).ok());
  EXPECT_THAT(Run(1).status().message(), AllOf(HasSubstr("nobody"), HasSubstr("{{node c}}")));
}

TEST_F(FunctionRunTest, SignatureMismatches) {
  const std::string function = Library(Function("f", Unary("n", "Neg", "x"), "n:y:0"));
  ASSERT_TRUE(Import(StrCat(kX, function, "node { name: 'c' op: 'PartitionedCall' input: 'x' ",
                            "input: 'x' attr { key: 'Tin' value { list { type: DT_FLOAT type: "
                            "DT_FLOAT } } } ",
                            Types("Tout"), Func("f", "f"), " } ",
                            "node { name: 'd' op: 'PartitionedCall' input: 'x' ", Types("Tin"),
                            Types("Tout", "DT_INT32"), Func("f", "f"), " } "))
                  .ok());
  EXPECT_THAT(Run(1).status().message(),
              HasSubstr("function 'f' takes 1 arguments, but is called with 2: [float, float]"));
  EXPECT_THAT(session_->Run({{"x:0", Tensor(1.0f)}}, "d:0").status().message(),
              HasSubstr("function 'f': Expected type int32 for return value 0 but got float."));
}

TEST_F(FunctionRunTest, AFunctionOfManyTypes) {
  const std::string twice =
      "library { function { signature { name: 'twice' input_arg { name: 'x' type_attr: 'T' } "
      "output_arg { name: 'y' type_attr: 'T' } attr { name: 'T' type: 'type' } } node_def { name: "
      "'a' op: 'AddV2' input: 'x' input: 'x' attr { key: 'T' value { placeholder: 'T' } } } ret { "
      "key: 'y' value: 'a:z:0' } } } ";
  auto call = [](const std::string& name, const std::string& type) {
    return StrCat("node { name: '", name, "' op: 'PartitionedCall' input: '",
                  name == "c" ? "x" : "n", "' ", Types("Tin", type), Types("Tout", type),
                  "attr { key: 'f' value { func { name: 'twice' attr { key: 'T' value { type: ",
                  type, " } } } } } } ");
  };
  ASSERT_TRUE(
      Import(kX + twice +
             "node { name: 'n' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 "
             "} } } " +
             call("c", "DT_FLOAT") + call("d", "DT_INT32") +
             "node { name: 'e' op: 'twice' input: 'n' attr { key: 'T' value { type: DT_INT32 "
             "} } } ")
          .ok());
  EXPECT_EQ(*Run(1.5f), 3);
  auto values = session_->Run({{"n:0", Tensor(4)}}, {"d:0", "e:0"});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_EQ((*values)[0].scalar<int>(), 8);
  EXPECT_EQ((*values)[1].scalar<int>(), 8);
}

// TensorFlow inlines the body of such a function into each call.
TEST_F(FunctionRunTest, EachCallHasItsOwnRandomNumbers) {
  const std::string random =
      "node_def { name: 's' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: "
      "'value' value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 0 } } } } } } node_def "
      "{ "
      "name: 'u' op: 'RandomUniform' input: 's:output:0' attr { key: 'T' value { type: DT_INT32 } "
      "} "
      "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'seed' value { i: 5 } } attr { "
      "key: 'seed2' value { i: 7 } } } ";
  std::string kept = Call("e", "f");
  kept.insert(kept.size() - 2, "attr { key: '_noinline' value { b: true } } ");
  std::string other = kept;
  other.replace(other.find("'e'"), 3, "'g'");
  ASSERT_TRUE(
      Import(kX +
             Library(Function("f", random + Binary("a", "AddV2", "x", "u:output:0"), "a:z:0")) +
             Call("c", "f") + Call("d", "f") + kept + other)
          .ok());
  auto run = [&] {
    return session_->Run({{"x:0", Tensor(3.0f)}}, {"c:0", "d:0", "e:0", "g:0"}).value();
  };
  const auto first = run(), second = run();
  EXPECT_FLOAT_EQ(first[0].scalar<float>(), 3.4474638f);
  EXPECT_FLOAT_EQ(first[1].scalar<float>(), 3.4474638f);
  EXPECT_FLOAT_EQ(second[0].scalar<float>(), 3.048307f);
  EXPECT_FLOAT_EQ(first[2].scalar<float>(), 3.4474638f);
  EXPECT_FLOAT_EQ(first[3].scalar<float>(), 3.048307f);
}

TEST_F(FunctionRunTest, ATraceHasTheStepsOfFunctions) {
  ASSERT_TRUE(Import(kX +
                     Library(Function("inner", Unary("n", "Neg", "x"), "n:y:0") +
                             Function("outer", Inside(Call("mid", "inner")), "mid:output:0")) +
                     Call("c", "outer"))
                  .ok());
  RunMetadata metadata;
  ASSERT_EQ(*Run(2, {.trace = true}, &metadata), -2);
  EXPECT_THAT(
      metadata.steps,
      ::testing::ElementsAre(AllOf(Field(&NodeStats::node, "c/mid/n"), Field(&NodeStats::op, "Neg"),
                                   Field(&NodeStats::inputs, ::testing::ElementsAre("c/mid/x"))),
                             Field(&NodeStats::node, "c/mid"), Field(&NodeStats::node, "c")));
}

TEST_F(FunctionRunTest, ManyThreadsCallAtOnce) {
  ASSERT_TRUE(Import(Sum(true)).ok());
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const int n = 10 * t + i;
        auto sum = Run(static_cast<float>(n));
        if (!sum.ok() || *sum != static_cast<float>(n * (n + 1) / 2)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(FunctionRunTest, FunctionsWorkOnVariablesOfAnAccelerator) {
  options_.device_count = {{"SIM", 1}};
  Scope s(graph_);
  Variable v;
  {
    Scope there = s.Device("/device:SIM:0");
    v = there.NewVariable(2.0f, "v", {.use_resource = true});
  }
  const std::string add = StrCat(
      "library { function { signature { name: 'f' input_arg { name: 'r' type: DT_RESOURCE } ",
      "input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } ",
      "control_output: 'add' } node_def { name: 'add' op: 'AssignAddVariableOp' input: 'r' ",
      "input: 'x' ", Type("dtype"),
      " } node_def { name: 'read' op: 'ReadVariableOp' input: ", "'r' input: '^add' ",
      Type("dtype"), " } ", Unary("n", "Neg", "read:value:0"),
      "ret { key: 'y' value: 'n:y:0' } control_ret { key: 'add' value: 'add' } } } ");
  const std::string call =
      StrCat("node { name: 'c' op: 'StatefulPartitionedCall' input: 'v' input: 'x' attr { key: ",
             "'Tin' value { list { type: DT_RESOURCE type: DT_FLOAT } } } ", Types("Tout"),
             Func("f", "f"), " } ");
  const std::string handle =
      "node { name: 'v' op: 'Placeholder' attr { key: 'dtype' value { type: DT_RESOURCE } } } ";
  ASSERT_TRUE(
      ImportGraphDef(graph_, kX + add + handle + call, {.name = "", .input_map = {{"v", v.ref()}}})
          .ok());
  session_.emplace(Session::Create(graph_, options_).value());
  ASSERT_TRUE(session_->Run(v.initializer()).ok());
  auto result = Run(3);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(*result, -5);
  EXPECT_EQ(session_->Value(v)->scalar<float>(), 5);
}

}  // namespace
}  // namespace ramet
