// Tests resource variables in sessions. The messages are TensorFlow's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

namespace ramet {
namespace {

using ::testing::HasSubstr;

class ResourceTest : public ::testing::Test {
 protected:
  Output Handle(std::string_view name, const Shape& shape, std::string_view shared = "w",
                DType dtype = kFloat) {
    return AddOp(g, "VarHandleOp", {},
                 {{"shape", shape}, {"dtype", dtype}, {"shared_name", shared}}, name)
        .output(0);
  }
  Output Read(const Output& handle, DType dtype = kFloat) {
    return AddOp(g, "ReadVariableOp", {handle}, {{"dtype", dtype}}).output(0);
  }
  Operation Assign(const Output& handle, const Input& value, bool validate = false) {
    return AddOp(g, "AssignVariableOp", {handle, value}, {{"validate_shape", validate}});
  }
  StatusOr<std::vector<Tensor>> Run(const Fetches& fetches) {
    if (!session) session.emplace(Session::Create(g).value());
    return session->Run(feeds, fetches);
  }
  Output Fed(const Tensor& value) {
    Output x = s.Placeholder("x", value.dtype());
    feeds.push_back({x, value});
    return x;
  }

  Graph g;
  Scope s{g};
  Feeds feeds;
  std::optional<Session> session;
};

Tensor Floats(std::initializer_list<float> values) { return Tensor::Vector<float>(values); }

TEST_F(ResourceTest, HandlesOfOneNameAreOneVariable) {
  Output a = Handle("a", {2}), b = Handle("b", {2}), other = Handle("c", {2}, "other");
  Run(Assign(a, Floats({1, 2}))).value();
  EXPECT_TRUE(Run(Read(b)).value()[0].BitwiseEquals(Floats({1, 2})));
  EXPECT_TRUE(IsFailedPrecondition(Run(Read(other)).status()));
}

// TensorFlow's handles without a name share one variable, whatever the names of their nodes.
TEST_F(ResourceTest, TheEmptyNameIsAName) {
  Output a = Handle("a", {1}, ""), b = Handle("b", {1}, "");
  Run(Assign(a, Floats({3}))).value();
  EXPECT_TRUE(Run(Read(b)).value()[0].BitwiseEquals(Floats({3})));
}

// TensorFlow creates a name for each execution of such a handle.
TEST_F(ResourceTest, AnonymousHandlesHaveOneVariableEach) {
  constexpr char kAnonymous[] = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";
  Output a = Handle("a", {1}, kAnonymous), b = Handle("b", {1}, kAnonymous);
  Scope here(g);
  Scope after = here.ControlDependencies({Assign(a, Floats({3}))});
  Output value = Read(a);
  Output of_a = AddOp(g, "VarIsInitializedOp", {a}).output(0);
  Output of_b = AddOp(g, "VarIsInitializedOp", {b}).output(0);
  const auto got = Run({value, of_a, of_b}).value();
  EXPECT_TRUE(got[0].BitwiseEquals(Floats({3})));
  EXPECT_TRUE(got[1].scalar<bool>());
  EXPECT_FALSE(got[2].scalar<bool>());
  Scope outside = after.ClearControlDependencies();
  EXPECT_TRUE(IsFailedPrecondition(Run(Read(a)).status()));
}

TEST_F(ResourceTest, SliceAssignmentsDoNotChangeHeldValues) {
  Output w = Handle("w", {3});
  Run(Assign(w, Floats({1, 2, 3}))).value();
  const Tensor before = Run(Read(w)).value()[0];
  const auto at = [](int32_t i) { return Tensor::Vector<int32_t>({i}); };
  Operation assign = AddOp(g, "ResourceStridedSliceAssign", {w, at(1), at(3), at(1), Tensor(9.0f)});
  ASSERT_TRUE(Run(assign).ok());
  EXPECT_TRUE(Run(Read(w)).value()[0].BitwiseEquals(Floats({1, 9, 9})));
  EXPECT_TRUE(before.BitwiseEquals(Floats({1, 2, 3})));
}

TEST_F(ResourceTest, AReferenceVariableOfTheSameNameIsDifferent) {
  Output handle = Handle("h", {1});
  Output ref = AddOp(g, "VariableV2", {}, {{"shape", Shape{1}}, {"dtype", kFloat}}, "w").output(0);
  Run(Assign(handle, Floats({3}))).value();
  EXPECT_TRUE(IsFailedPrecondition(Run(AddOp(g, "Identity", {ref}).output(0)).status()));
}

TEST_F(ResourceTest, AReadIsASnapshot) {
  Output w = Handle("w", {2});
  Run(Assign(w, Floats({1, 2}))).value();
  Output before = Read(w);
  Scope here(g);
  Operation add;
  {
    Scope after = here.ControlDependencies({before.op()});
    add = AddOp(g, "AssignAddVariableOp", {w, Floats({10, 10})});
  }
  Output later, sum;
  {
    Scope after = here.ControlDependencies({add});
    later = Read(w);
    sum = before + later;
  }
  auto got = Run({before, later, sum}).value();
  EXPECT_TRUE(got[0].BitwiseEquals(Floats({1, 2})));
  EXPECT_TRUE(got[1].BitwiseEquals(Floats({11, 12})));
  EXPECT_TRUE(got[2].BitwiseEquals(Floats({12, 14})));
  Run(add).value();
  EXPECT_TRUE(got[1].BitwiseEquals(Floats({11, 12}))) << "a fetched value changed";
}

TEST_F(ResourceTest, WithoutAValue) {
  Output w = Handle("w", {2});
  Output indices = Constant(g, Tensor::Vector<int32_t>({0}));
  Status read = Run(Read(w)).status();
  EXPECT_TRUE(IsFailedPrecondition(read));
  EXPECT_THAT(read.message(),
              HasSubstr("Could not find variable w. This could mean that the variable has been "
                        "deleted. In TF1, it can also mean the variable is uninitialized"));
  EXPECT_THAT(read.message(), HasSubstr("Resource localhost/w/N10tensorflow3VarE does not exist."));
  EXPECT_THAT(read.message(), HasSubstr("[[{{node ReadVariableOp}}]]"));
  for (const Operation& op : {AddOp(g, "AssignAddVariableOp", {w, Floats({1, 1})}),
                              AddOp(g, "ResourceGather", {w, indices}, {{"dtype", kFloat}}),
                              AddOp(g, "ResourceScatterAdd", {w, indices, Floats({1})}),
                              AddOp(g, "VariableShape", {w})}) {
    Status status = Run(op).status();
    EXPECT_TRUE(IsNotFound(status)) << op.name() << ": " << status.ToString();
    EXPECT_THAT(status.message(),
                HasSubstr("Resource localhost/w/N10tensorflow3VarE does not exist"));
  }
  EXPECT_TRUE(IsFailedPrecondition(Run(AddOp(g, "DisableCopyOnRead", {w})).status()));
  Output known = AddOp(g, "VarIsInitializedOp", {w}).output(0);
  EXPECT_FALSE(Run(known).value()[0].scalar<bool>());
  Run(Assign(w, Floats({1, 2}))).value();
  EXPECT_TRUE(Run(known).value()[0].scalar<bool>());
}

TEST_F(ResourceTest, Destroy) {
  Output w = Handle("w", {2});
  Operation lenient = AddOp(g, "DestroyResourceOp", {w});
  Operation strict = AddOp(g, "DestroyResourceOp", {w}, {{"ignore_lookup_error", false}});
  Run(Assign(w, Floats({1, 2}))).value();
  EXPECT_TRUE(Run(strict).ok());
  EXPECT_TRUE(IsFailedPrecondition(Run(Read(w)).status()));
  EXPECT_TRUE(Run(lenient).ok());
  Status status = Run(strict).status();
  EXPECT_TRUE(IsNotFound(status));
  EXPECT_THAT(status.message(), HasSubstr("Resource localhost/w/<unknown> does not exist."));
}

TEST_F(ResourceTest, TypesAndShapesAreChecked) {
  Output w = Handle("w", Shape::Unknown()), ints = Handle("i", Shape::Unknown(), "w", kInt32);
  Output one = Fed(Floats({1})), number = Fed(Tensor::Vector<int32_t>({1, 2}));
  Run(Assign(w, Floats({1, 2}))).value();
  EXPECT_THAT(Run(Read(ints, kInt32)).status().message(),
              HasSubstr("Trying to read variable with wrong dtype. Expected int32 got float"));
  EXPECT_THAT(Run(Assign(ints, number)).status().message(),
              HasSubstr("Trying to assign variable with wrong dtype. Expected float got int32"));
  EXPECT_THAT(Run(AddOp(g, "AssignAddVariableOp", {ints, number})).status().message(),
              HasSubstr("wrong dtype"));
  EXPECT_THAT(Run(AddOp(g, "ResourceScatterUpdate", {ints, number, number})).status().message(),
              HasSubstr("wrong dtype"));
  EXPECT_THAT(
      Run(Assign(w, one, true)).status().message(),
      HasSubstr("Trying to assign to variable with tensor with wrong shape. Expected [2] got [1]"));
  EXPECT_THAT(Run(AddOp(g, "AssignAddVariableOp", {w, one})).status().message(),
              HasSubstr("Cannot update variable with shape [2] using a Tensor with shape [1], "
                        "shapes must be equal."));
  EXPECT_THAT(
      Run(AddOp(g, "ResourceGather", {w, Tensor::Vector<int32_t>({5})}, {{"dtype", kFloat}}))
          .status()
          .message(),
      HasSubstr("indices[0] = 5 is not in [0, 2)"));
  EXPECT_TRUE(Run(Assign(w, one)).ok());
  EXPECT_TRUE(g.status().ok());
}

TEST_F(ResourceTest, ShapesAreKnownThroughTheHandle) {
  Output w = Handle("w", {3, 2});
  Output through = AddOp(g, "Identity", {w}).output(0);
  EXPECT_EQ(Read(through).shape(), (Shape{3, 2}));
  EXPECT_EQ(AddOp(g, "ResourceGather", {w, Tensor::Vector<int32_t>({0})}, {{"dtype", kFloat}})
                .output(0)
                .shape(),
            (Shape{1, 2}));
  EXPECT_EQ(AddOp(g, "VariableShape", {w}).output(0).shape(), Shape{2});
  Assign(w, Floats({1}));
  EXPECT_FALSE(g.status().ok()) << "a value with a shape different from the variable's";
}

TEST_F(ResourceTest, AHandleIsNotFetched) {
  Output w = Handle("w", {2});
  Run(Assign(w, Floats({1, 2}))).value();
  Status status = Run(w).status();
  EXPECT_TRUE(IsUnimplemented(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("w:0"));
}

TEST_F(ResourceTest, GradientsAreOfTheHandle) {
  VariableOptions options;
  options.use_resource = true;
  options.initializer = ConstantInit(Tensor::Of<float>({3, 1}, {1, 2, 3}));
  Variable v = s.GetVariable("v", {3, 1}, options);
  Output rows =
      AddOp(g, "ResourceGather", {v, Tensor::Vector<int32_t>({2, 2})}, {{"dtype", kFloat}})
          .output(0);
  auto dense = Gradients({ReduceSum(Square(v))}, {v}).value();
  auto sparse = Gradients({ReduceSum(rows)}, {v}).value();
  ASSERT_TRUE(sparse[0].sparse());
  session.emplace(Session::Create(g).value());
  session->InitializeMissing().value();
  auto got = Run({dense[0].values, sparse[0].values, sparse[0].indices}).value();
  EXPECT_TRUE(got[0].BitwiseEquals(Tensor::Of<float>({3, 1}, {2, 4, 6})));
  EXPECT_TRUE(got[1].BitwiseEquals(Tensor::Of<float>({2, 1}, {1, 1})));
  EXPECT_TRUE(got[2].BitwiseEquals(Tensor::Vector<int32_t>({2, 2})));
}

TEST_F(ResourceTest, OnTheSimulatedAccelerator) {
  Variable v;
  Operation train;
  {
    Scope there = s.Device("/device:SIM:0");
    VariableOptions options;
    options.use_resource = true;
    options.initializer = ConstantInit(Floats({1, -2}));
    v = there.GetVariable("v", {2}, options);
    train = Momentum(0.5, 0.5).Minimize(ReduceSum(Square(v)));
  }
  session.emplace(Session::Create(g).value());
  EXPECT_EQ(session->InitializeMissing().value(), 2);
  for (int i = 0; i < 2; ++i) Run(train).value();
  EXPECT_TRUE(session->Value(v).value().BitwiseEquals(Floats({-0.5, 1})));
  EXPECT_TRUE(Run(v).value()[0].BitwiseEquals(Floats({-0.5, 1})));
}

}  // namespace
}  // namespace ramet
