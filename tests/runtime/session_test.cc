#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> Floats(const Tensor& t) {
  auto flat = t.flat<float>();
  return {flat.begin(), flat.end()};
}

TEST(SessionTest, RunsWithFeeds) {
  Graph g;
  Scope s(g);
  Output x = s.Placeholder("x", kFloat, {-1});
  Output y = x * 2 + 1;
  Session session = Session::Create(g).value();
  EXPECT_THAT(Floats(session.Run({{x, Tensor::Vector<float>({1, 2})}}, y).value()),
              ElementsAre(3, 5));
  auto result = session.Run({{"x:0", Tensor::Vector<float>({4})}}, {"add:0", y.op()}).value();
  EXPECT_THAT(Floats(result[0]), ElementsAre(9));
  EXPECT_TRUE(result[1].empty());
}

TEST(SessionTest, OneFetchIsOneTensorAndAListIsAList) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, {});
  const Output y = Identity(x + 1, "y");
  const Variable v = s.GetVariable("v", {}, ConstantInit(7));
  Session session = Session::Create(g).value();
  session.Run(v.initializer()).value();
  const Feeds feeds = {{x, 1.0f}};

  EXPECT_EQ(session.Run(v).value().scalar<float>(), 7);
  EXPECT_EQ(session.Run(feeds, "y:0").value().scalar<float>(), 2);
  EXPECT_EQ(session.Run(feeds, std::string("y:0"), RunOptions()).value().scalar<float>(), 2);
  EXPECT_TRUE(session.Run(feeds, y.op()).value().empty());
  EXPECT_TRUE(IsNotFound(session.Run(feeds, "z:0").status()));

  EXPECT_EQ(session.Run(feeds, {y}).value().size(), 1);
  EXPECT_EQ(session.Run(feeds, {"y:0", "v"}).value().size(), 2);

  const TensorCallable one = session.MakeCallable({x}, y).value();
  EXPECT_EQ(one.Run({2.0f}).value().scalar<float>(), 3);
  EXPECT_TRUE(IsInvalidArgument(one.Run({}).status()));
  const Callable list = session.MakeCallable({x}, {y}).value();
  EXPECT_EQ(list.Run({2.0f}).value().size(), 1);
}

TEST(SessionTest, AnyTensorCanBeFed) {
  Graph g;
  Scope s(g);
  Output x = s.Placeholder("x", kFloat, {});
  Output twice = x * 2;
  Output y = twice + 1;
  Session session = Session::Create(g).value();
  EXPECT_EQ(session.Run({{twice, 10.0f}}, y).value().scalar<float>(), 11);
  EXPECT_EQ(session.Run({{twice, 10.0f}}, twice).value().scalar<float>(), 10);
}

TEST(SessionTest, OpsThatWaitForAFedPlaceholderRun) {
  Graph g;
  Scope s(g);
  Output x = s.Placeholder("x", kFloat, {2});
  Scope after = s.ControlDependencies({x.op()});
  Output y = Constant(g, 3.0f, "y");
  Session session = Session::Create(g).value();
  const Tensor result = session.Run({{x, Tensor::Vector<float>({1, 2})}}, y).value();
  EXPECT_THAT(Floats(result), ElementsAre(3));
  EXPECT_TRUE(IsInvalidArgument(session.Run(y).status()));
}

TEST(SessionTest, MissingFeedNamesThePlaceholder) {
  Graph g;
  Scope s(g);
  Output p = s.Placeholder("p", kFloat, {2});
  Session session = Session::Create(g).value();
  Status status = session.Run(p + 1).status();
  EXPECT_TRUE(IsInvalidArgument(status));
  EXPECT_THAT(status.message(),
              HasSubstr("You must feed a value for placeholder tensor 'p' with dtype "
                        "float and shape [2]"));
  EXPECT_THAT(status.message(), HasSubstr("[[{{node p}}]]"));
}

TEST(SessionTest, AFedByteThatIsNotABoolIsRefused) {
  Graph g;
  Scope s(g);
  Output p = s.Placeholder("p", kBool, {2});
  Session session = Session::Create(g).value();
  Tensor bools = Tensor::Vector<uint8_t>({1, 2});
  EXPECT_THAT(
      session.Run({{p, Tensor(kBool, bools.shape(), bools.buffer())}}, p).status().message(),
      HasSubstr("neither 0 nor 1"));
}

TEST(SessionTest, WrongFeedsAreRefused) {
  Graph g;
  Scope s(g);
  Output p = s.Placeholder("p", kFloat, {2});
  Session session = Session::Create(g).value();
  EXPECT_THAT(session.Run({{p, Tensor::Vector<float>({1, 2, 3})}}, p + 1).status().message(),
              HasSubstr("Cannot feed value of shape (3,) for Tensor p:0, which has shape (2,)"));
  EXPECT_THAT(
      session.Run({{p, Tensor::Vector<int32_t>({1, 2})}}, p).status().message(),
      HasSubstr("Tensor p:0, specified in feeds, must be of dtype float, but a int32 tensor"));
  EXPECT_THAT(session.Run({{"p", Tensor::Vector<float>({1, 2})}}, p).status().message(),
              HasSubstr("it is an operation"));
  EXPECT_TRUE(IsNotFound(session.Run("q:0").status()));
}

TEST(SessionTest, UninitializedVariableErrorSuggestsFixes) {
  Graph g;
  Scope s(g);
  Variable v = s.GetVariable("v", {2}, Zeros());
  Session session = Session::Create(g).value();
  Status status = session.Run(v + 1).status();
  EXPECT_TRUE(IsFailedPrecondition(status));
  EXPECT_THAT(status.message(), HasSubstr("Attempting to use uninitialized value v"));
  EXPECT_THAT(status.message(), HasSubstr("restore a checkpoint or run its initializer"));
  EXPECT_THAT(session.UninitializedVariables(), ElementsAre("v"));
  EXPECT_EQ(session.InitializeMissing().value(), 1);
  EXPECT_EQ(session.InitializeMissing().value(), 0);
  EXPECT_THAT(Floats(session.Run(v + 1).value()), ElementsAre(1, 1));
}

TEST(SessionTest, ReportsUninitializedInTheGraph) {
  Graph g;
  Scope s(g);
  Variable a = s.GetVariable("a", {1}, Zeros());
  s.GetVariable("b", {1}, Zeros());
  Output report = s.ReportUninitializedVariables();
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  Session session = Session::Create(g).value();
  session.Run(a.initializer()).value();
  Tensor names = session.Run(report).value();
  ASSERT_EQ(names.num_elements(), 1);
  EXPECT_EQ(names.flat<std::string>()[0], "b");
}

TEST(SessionTest, SessionsOverOneGraphHaveTheirOwnVariables) {
  Graph g;
  Scope s(g);
  Variable v = s.GetVariable("v", {}, Zeros());
  Output add = AddOp(g, "AssignAdd", {v.ref(), 1.0f}).output(0);
  Session a = Session::Create(g).value();
  Session b = Session::Create(g).value();
  a.Run(v.initializer()).value();
  b.Run(v.initializer()).value();
  a.Run(add).value();
  a.Run(add).value();
  EXPECT_EQ(a.Run(v.value()).value().scalar<float>(), 2);
  EXPECT_EQ(b.Run(v.value()).value().scalar<float>(), 0);
}

// A reference names its variable. A read before an update, used after it, sees the new value. A
// fetched value never changes.
TEST(SessionTest, ReadsOfReferencesAsTensorFlow) {
  Graph g;
  Scope s(g);
  Variable v = s.GetVariable("v", {2}, Zeros());
  Output read = v.value();
  Output later;
  {
    Scope after_read = s.ControlDependencies({read.op()});
    Operation add = AddOp(g, "AssignAdd", {v.ref(), Tensor::Vector<float>({10, 10})});
    Scope after_add = after_read.ControlDependencies({add});
    later = AddOp(g, "Identity", {read}, {}, "later").output(0);
  }
  Session session = Session::Create(g).value();
  session.InitializeMissing().value();
  Tensor before = session.Run(read).value();
  EXPECT_THAT(Floats(session.Run(later).value()), ElementsAre(10, 10));
  EXPECT_THAT(Floats(before), ElementsAre(0, 0));
}

TEST(SessionTest, NodesAddedLaterAreSeen) {
  Graph g;
  Scope s(g);
  Output x = Constant(g, 1.0f, "x");
  Session session = Session::Create(g).value();
  EXPECT_EQ(session.Run(x).value().scalar<float>(), 1);
  EXPECT_EQ(session.Run(x + 1).value().scalar<float>(), 2);
  TensorCallable callable = session.MakeCallable({x}, x * 3).value();
  EXPECT_EQ(callable.Run({Tensor(2.0f)}).value().scalar<float>(), 6);
}

TEST(SessionTest, CreateReturnsBuildErrors) {
  Graph g;
  Scope s(g);
  Output bad = s.Placeholder("a", kFloat, {2}) + s.Placeholder("b", kFloat, {3});
  EXPECT_FALSE(bad.valid());
  Status status = Session::Create(g).status();
  EXPECT_TRUE(IsInvalidArgument(status));
  EXPECT_THAT(status.message(), HasSubstr("node 'add' (AddV2)"));
}

TEST(SessionTest, UnknownDeviceIsTensorFlowsErrorOrSoft) {
  Graph g;
  Scope s(g);
  Scope gpu = s.Device("/gpu:0");
  Output x = Constant(g, 1.0f, "x");
  {
    Session session = Session::Create(g).value();
    EXPECT_THAT(
        session.Run(x).status().message(),
        HasSubstr("Cannot assign a device for operation x: {{node x}} was explicitly assigned to "
                  "/device:GPU:0 but available devices are [ /job:localhost/replica:0/task:0/"
                  "device:CPU:0"));
  }
  Session soft = Session::Create(g, {.allow_soft_placement = true}).value();
  EXPECT_EQ(soft.Run(x).value().scalar<float>(), 1);
}

TEST(SessionTest, SeveralCpuDevices) {
  Graph g;
  Scope s(g);
  Scope cpu1 = s.Device("/cpu:1");
  Output x = Constant(g, 1.0f, "x") + 1;
  EXPECT_FALSE(Session::Create(g).value().Run(x).ok());
  Session session = Session::Create(g, {.device_count = {{"CPU", 2}}}).value();
  EXPECT_EQ(session.Run(x).value().scalar<float>(), 2);
}

TEST(SessionTest, ThreadsShareASession) {
  Graph g;
  Scope s(g);
  Output x = s.Placeholder("x", kFloat, {-1});
  Variable v = s.GetVariable("v", {}, Zeros());
  Output count = AddOp(g, "AssignAdd", {v.ref(), 1.0f}).output(0);
  Output y = x * 2;
  Session session = Session::Create(g).value();
  session.InitializeMissing().value();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        auto r =
            session.Run({{x, Tensor::Vector<float>({static_cast<float>(t)})}}, {y, count.op()});
        if (!r.ok() || (*r)[0].flat<float>()[0] != 2.0f * static_cast<float>(t)) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(session.Run(v.value()).value().scalar<float>(), 2000);
}

TEST(SessionTest, ACycleIsNamed) {
  Graph g;
  Scope s(g);
  Output x = Constant(g, 1.0f, "x");
  Operation a = AddOp(g, "Identity", {x}, {}, "a");
  Operation b = AddOp(g, "Identity", {a.output(0)}, {}, "b");
  ASSERT_TRUE(g.UpdateInput(a, 0, b.output(0)).ok());
  Session session = Session::Create(g).value();
  Status status = session.Run(b.output(0)).status();
  EXPECT_TRUE(IsInvalidArgument(status));
  EXPECT_THAT(status.message(), HasSubstr("contains a cycle with 2 nodes"));
}

// A graph with unknown ops is valid, but cannot run here.
TEST(SessionTest, ACycleOfUnknownOpsIsUnimplemented) {
  Graph g;
  OpSchema schema;
  schema.name = "Unheard";
  for (auto* args : {&schema.inputs, &schema.outputs}) {
    args->emplace_back().name = args == &schema.inputs ? "x" : "y";
    args->back().type = kFloat;
  }
  g.AddForeignOp(schema);
  Output x = Constant(g, 1.0f, "x");
  Operation merge = g.AddNode({.op = "Unheard", .name = "merge", .inputs = {x}}).value();
  Operation next = AddOp(g, "Identity", {merge.output(0)}, {}, "next");
  ASSERT_TRUE(g.UpdateInput(merge, 0, next.output(0)).ok());
  Session session = Session::Create(g).value();
  Status status = session.Run(next.output(0)).status();
  EXPECT_TRUE(IsUnimplemented(status));
  EXPECT_THAT(status.message(), HasSubstr("node 'merge': no kernel of op 'Unheard'"));
}

TEST(SessionTest, OpsWithoutReadersRunOnlyForTheirEffects) {
  Graph g;
  Scope s(g);
  Output x = s.Placeholder("x", kFloat, {-1});
  Output wrong = AddOp(g, "Reshape", {x, Tensor::Vector<int32_t>({7})}).output(0);
  Variable v = s.GetVariable("v", {}, Zeros());
  Operation count = AddOp(g, "AssignAdd", {v.ref(), 1.0f});
  Scope after = s.ControlDependencies({wrong.op(), count});
  Output y = Constant(g, 3.0f, "y");
  Session session = Session::Create(g).value();
  session.InitializeMissing().value();
  auto ran = session.Run({{x, Tensor::Vector<float>({1, 2})}}, y);
  ASSERT_TRUE(ran.ok()) << ran.status().ToString();
  EXPECT_EQ(session.Value(v)->scalar<float>(), 1);
  EXPECT_FALSE(session.Run({{x, Tensor::Vector<float>({1, 2})}}, wrong.op()).ok());
}

TEST(SessionTest, EditsAreSeenAtTheNextRun) {
  Graph g;
  Scope s(g);
  Output one = Constant(g, 1.0f, "one");
  Output two = Constant(g, 2.0f, "two");
  Operation y = AddOp(g, "Identity", {one}, {}, "y");
  Session session = Session::Create(g).value();
  EXPECT_EQ(session.Run(y.output(0)).value().scalar<float>(), 1);
  ASSERT_TRUE(g.UpdateInput(y, 0, two).ok());
  EXPECT_EQ(session.Run(y.output(0)).value().scalar<float>(), 2);
}

TEST(SessionTest, WaitingForAFedPlaceholderIsWaitingForNothing) {
  Graph g;
  Scope s(g);
  Output x = s.Placeholder("x", kFloat);
  Output after;
  {
    Scope waits = s.ControlDependencies({x.op()});
    after = Constant(g, Tensor(3.0f));
  }
  Session session = Session::Create(g).value();
  EXPECT_EQ(session.Run({{x, Tensor(1.0f)}}, after).value().scalar<float>(), 3.0f);
  EXPECT_TRUE(IsInvalidArgument(session.Run(after).status()));
}

TEST(SessionTest, ClosedAndEmpty) {
  Graph g;
  Session session = Session::Create(g).value();
  EXPECT_THAT(session.Run(Fetches({})).status().message(), HasSubstr("The Session graph is empty"));
  Output x = Constant(g, 1.0f, "x");
  session.Close();
  EXPECT_THAT(session.Run(x).status().message(), HasSubstr("Attempted to use a closed Session."));
}

TEST(SessionTest, AForkedChildRunsToo) {
  Graph g;
  Scope s(g);
  Output x = Constant(g, Tensor(kFloat, {300, 300}), "x");
  Output y = MatMul(x, x);
  Session session = Session::Create(g, {.intra_op_parallelism_threads = 2}).value();
  session.Run(y).value();
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(session.Run(y).ok() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace ramet
