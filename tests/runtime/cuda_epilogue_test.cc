// Tests of biases that the library of products adds, above the double of NVIDIA's libraries, which
// needs no GPU (see cuda_session_test.cc).
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>

#include "ramet/backends/gpu/testing/fake_cuda.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

gpu::testing::FakeCuda& Fake() {
  void* const library = dlopen(RAMET_FAKE_CUDA, RTLD_NOW);
  return *reinterpret_cast<gpu::testing::FakeCuda* (*)()>(dlsym(library, "ramet_fake_cuda"))();
}

// The struct Broadcast of the kernels. Dimensions that are not used have size 0.
struct Broadcast {
  int dims[8], strides[3][8];

  int PositionOf(int operand, int i) const {
    int at = 0;
    for (int d = 7; d >= 0; --d) {
      if (dims[d] == 0) continue;
      at += i % dims[d] * strides[operand][d];
      i /= dims[d];
    }
    return at;
  }
};

// Runs the kernels that add floats, and update a variable, on the double of CUDA's driver. Other
// kernels do nothing.
std::function<void()> AddOnHost(const std::string& kernel, void** arguments) {
  const auto pointer = [&](int i) { return *static_cast<float**>(arguments[i]); };
  const auto number = [&](int i) { return *static_cast<int*>(arguments[i]); };
  float *const a = pointer(0), *const b = pointer(1), *const c = pointer(2);
  if (kernel == "apply") {
    float* const to = pointer(3);
    return [=, n = number(4)] {
      for (int i = 0; i < n; ++i) to[i] = a[i] - b[0] * c[i];
    };
  }
  if (kernel == "add_repeated") {
    return [=, inner = number(3), count = number(4), n = number(5)] {
      for (int i = 0; i < n; ++i) c[i] = a[i] + b[i / inner % count];
    };
  }
  if (kernel == "flat") {
    return [=, step_a = number(3), step_b = number(4), n = number(5)] {
      for (int i = 0; i < n; ++i) c[i] = a[i * step_a] + b[i * step_b];
    };
  }
  if (kernel == "broadcast") {
    return [=, plan = *static_cast<Broadcast*>(arguments[3]), n = number(4)] {
      for (int i = 0; i < n; ++i) c[i] = a[plan.PositionOf(0, i)] + b[plan.PositionOf(1, i)];
    };
  }
  return [] {};
}

// Returns a matrix of small integers.
Tensor Numbers(const Shape& shape, int first) {
  Tensor t(kFloat, shape);
  for (float& x : t.mutable_flat<float>()) x = static_cast<float>(first++ % 7 - 2);
  return t;
}

class CudaEpilogueTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("RAMET_GPU", "cuda", 1);
    setenv("RAMET_GPU_CACHE", "", 1);
    setenv("RAMET_CUDA_LIBRARY", RAMET_FAKE_CUDA, 1);
    setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
    Fake().devices = 3;
  }
  CudaEpilogueTest() : scope_(graph_), gpu_(scope_.Device("/gpu:0")) { Fake().launch = AddOnHost; }
  ~CudaEpilogueTest() override {
    EXPECT_FALSE(Fake().has_bad_access);
    Fake().launch = nullptr;
    Fake().cublas_workspace_bytes = 0;
  }

  Output Fed(const Tensor& value) {
    const Output fed = gpu_.Placeholder(StrCat("x", feeds_.size()), value.dtype(), value.shape());
    feeds_.push_back({fed, value});
    return fed;
  }
  Output Add(const std::string& op, const std::vector<Input>& inputs, AttrMap attrs = {}) {
    const Output added = AddOp(graph_, op, inputs, std::move(attrs)).output(0);
    EXPECT_TRUE(graph_.status().ok()) << graph_.status().ToString();
    return added;
  }

  struct Found {
    int64_t fused;     // products with a bias
    int64_t launches;  // of kernels and products, also in graphs
    Tensor value;
  };
  Found Run(Session& session, const Output& y) {
    std::vector<GraphElement> fed;
    for (const auto& [output, value] : feeds_) fed.push_back(output);
    const PlanReport report = ExplainRun(session, fed, y).value();
    const auto pass = std::ranges::find(report.passes, "epilogues", &PassEffect::name);
    const DeviceWork before = WorkOfDevice("GPU", 0).value();
    const auto run = session.Run(feeds_, y);
    EXPECT_TRUE(run.ok()) << run.status().ToString();
    const DeviceWork work = WorkOfDevice("GPU", 0).value() - before;
    const int64_t launches = work.launches - work.graph_launches + work.launches_in_graphs;
    return {pass->changes, launches, run.ok() ? *run : Tensor()};
  }
  // Runs with and without fused kernels, whose values are to be equal.
  Found Compare(const Output& y, SessionOptions options = {}) {
    options.allow_soft_placement = true;
    Session session = Session::Create(graph_, options).value();
    session.InitializeMissing().value();
    const Found found = Run(session, y);
    Session single = Session::Create(graph_, {.deterministic = true}).value();
    single.InitializeMissing().value();
    const Found separate = Run(single, y);
    EXPECT_EQ(separate.fused, 0);
    EXPECT_TRUE(found.value.BitwiseEquals(separate.value));
    return found;
  }
  void ExpectFused(const Output& y) {
    const Found found = Compare(y);
    EXPECT_EQ(found.fused, 1);
    EXPECT_EQ(found.launches, 1);
  }
  void ExpectSeparate(const Output& y) {
    const Found found = Compare(y);
    EXPECT_EQ(found.fused, 0);
    EXPECT_EQ(found.launches, 2);
  }

  Graph graph_;
  Scope scope_, gpu_;
  Feeds feeds_;
};

TEST_F(CudaEpilogueTest, TheProductAddsABias) {
  const Output x = Fed(Numbers({4, 2}, 1)), w = Fed(Numbers({2, 3}, 2));
  const Output row = Fed(Numbers({3}, 3)), matrix = Fed(Numbers({1, 3}, 4));
  for (size_t bytes : {0, 500}) {
    Fake().cublas_workspace_bytes = bytes;
    ExpectFused(Add("BiasAdd", {MatMul(x, w), row}));
    ExpectFused(Add("Add", {MatMul(x, w), row}));
    ExpectFused(Add("AddV2", {MatMul(x, w), matrix}));
    ExpectFused(Add("AddV2", {row, MatMul(x, w)}));
  }
}

TEST_F(CudaEpilogueTest, TransposedProductsAddABias) {
  const Output row = Fed(Numbers({3}, 3));
  for (bool transpose_x : {false, true}) {
    for (bool transpose_w : {false, true}) {
      const Output x = Fed(Numbers(transpose_x ? Shape{2, 4} : Shape{4, 2}, 1));
      const Output w = Fed(Numbers(transpose_w ? Shape{3, 2} : Shape{2, 3}, 2));
      const Output product =
          Add("MatMul", {x, w}, {{"transpose_a", transpose_x}, {"transpose_b", transpose_w}});
      ExpectFused(Add("BiasAdd", {product, row}));
    }
  }
}

TEST_F(CudaEpilogueTest, OtherAddendsAreAddedByAKernel) {
  const Output x = Fed(Numbers({4, 2}, 1)), w = Fed(Numbers({2, 3}, 2));
  const Shape shapes[] = {{4, 3}, {1, 1}, {1}, {}, {4, 1}, {1, 1, 3}, {2, 1, 3}};
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape);
    ExpectSeparate(Add("AddV2", {MatMul(x, w), Fed(Numbers(shape, 3))}));
    ExpectSeparate(Add("AddV2", {Fed(Numbers(shape, 3)), MatMul(x, w)}));
  }
  const Output unknown = gpu_.Placeholder("unknown", kFloat, Shape::Unknown());
  feeds_.push_back({unknown, Numbers({3}, 3)});
  ExpectSeparate(Add("AddV2", {MatMul(x, w), unknown}));
  const Output any_w = gpu_.Placeholder("any_w", kFloat, {2, -1});
  feeds_.push_back({any_w, Numbers({2, 3}, 3)});
  ExpectSeparate(Add("AddV2", {MatMul(x, any_w), Fed(Numbers({3}, 3))}));
}

// The kernels themselves do not run here.
TEST_F(CudaEpilogueTest, OtherTypesAreAddedByAKernel) {
  for (DType dtype : {kDouble, kHalf, kInt32}) {
    SCOPED_TRACE(DTypeName(dtype));
    const Output x = Fed(Tensor(dtype, Shape{4, 2})), w = Fed(Tensor(dtype, Shape{2, 3}));
    const Output y = Add("AddV2", {MatMul(x, w), Fed(Tensor(dtype, Shape{3}))});
    Session session = Session::Create(graph_).value();
    const Found found = Run(session, y);
    EXPECT_EQ(found.fused, 0);
    EXPECT_EQ(found.launches, 2);
  }
}

TEST_F(CudaEpilogueTest, ABiasMayBeAVariable) {
  const Output x = Fed(Numbers({4, 2}, 1)), w = Fed(Numbers({2, 3}, 2));
  for (bool resource : {false, true}) {
    const Variable bias = gpu_.NewVariable(Numbers({3}, 3), "bias", {.use_resource = resource});
    ExpectFused(Add("BiasAdd", {MatMul(x, w), bias}));
  }
}

// The update of the bias is held back until the library reads it.
TEST_F(CudaEpilogueTest, TheProductSeesEarlierUpdatesOfTheBias) {
  const Output x = Fed(Numbers({4, 2}, 1)), w = Fed(Numbers({2, 3}, 2));
  const Variable bias = gpu_.NewVariable(Tensor::Vector<float>({1, 2, 3}), "bias");
  const Output gradient = Fed(Tensor::Vector<float>({4, 4, 4}));
  const Operation update =
      AddOp(graph_, "ApplyGradientDescent", {bias.ref(), Constant(graph_, 0.5f), gradient});
  const Scope after = gpu_.ControlDependencies({update});
  const Output y = Add("BiasAdd", {MatMul(x, w), bias.ref()});
  const Found found = Compare(y);
  EXPECT_EQ(found.fused, 1);
  EXPECT_EQ(found.launches, 2);
}

// The updates write the bias that the product before has read.
TEST_F(CudaEpilogueTest, ProductsInGraphsComeBeforeUpdatesOfTheirBias) {
  const Output x = Fed(Numbers({1, 2}, 1)), w = Fed(Numbers({2, 3}, 2));
  const Variable bias = gpu_.NewVariable(Tensor::Vector<float>({0, 0, 0}), "bias");
  const Output plain = MatMul(x, w);
  const Output product = Add("BiasAdd", {MatMul(x, w), bias.ref()});
  const Scope after = gpu_.ControlDependencies({product.op()});
  const Output gradient = Fed(Tensor::Vector<float>({2, 4, 6}));
  const Operation update =
      AddOp(graph_, "ApplyGradientDescent", {bias.ref(), Constant(graph_, -0.5f), gradient});
  const Scope last = gpu_.ControlDependencies({update});
  const Output sum = Add("BiasAdd", {MatMul(x, w), bias.ref()});
  Session session = Session::Create(graph_).value();
  session.InitializeMissing().value();
  const Tensor before = session.Run(feeds_, plain).value();
  for (int i = 1; i < 6; ++i) {
    const DeviceWork start = WorkOfDevice("GPU", 0).value();
    const auto run = session.Run(feeds_, {product, sum}).value();
    const DeviceWork work = WorkOfDevice("GPU", 0).value() - start;
    EXPECT_EQ(work.launches, i < 4 ? work.launches : 1);
    for (int k = 0; k < 3; ++k) {
      const float now = before.data<float>()[k] + static_cast<float>((i - 1) * (k + 1));
      EXPECT_EQ(run[0].data<float>()[k], now);
      EXPECT_EQ(run[1].data<float>()[k], now + static_cast<float>(k + 1));
    }
  }
}

TEST_F(CudaEpilogueTest, TheSumMayHaveSeveralReadersAndTheProductOne) {
  const Output x = Fed(Numbers({4, 2}, 1)), w = Fed(Numbers({2, 3}, 2));
  const Output row = Fed(Numbers({3}, 3));
  const Output product = MatMul(x, w), sum = Add("BiasAdd", {product, row});
  Session session = Session::Create(graph_).value();
  const Output v = Fed(Numbers({3, 3}, 4));
  const Output y = MatMul(MatMul(sum, v), sum, {.transpose_b = true});
  const Found found = Run(session, y);
  EXPECT_EQ(found.fused, 1);
  EXPECT_EQ(found.launches, 3);
  const auto both = session.Run(feeds_, {product, sum}).value();
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(both[0].data<float>()[i] + Numbers({3}, 3).data<float>()[i % 3],
              both[1].data<float>()[i]);
  }
}

// A tree adds the bias without a launch of its own.
TEST_F(CudaEpilogueTest, ABiasInATreeStaysThere) {
  const Output x = Fed(Numbers({4, 2}, 1)), w = Fed(Numbers({2, 3}, 2));
  const Output y = Relu(Add("BiasAdd", {MatMul(x, w), Fed(Numbers({3}, 3))}));
  Session session = Session::Create(graph_).value();
  const Found found = Run(session, y);
  EXPECT_EQ(found.fused, 0);
  EXPECT_EQ(found.launches, 2);
  Session without = Session::Create(graph_, {.disabled_passes = {"device_fusion"}}).value();
  const Found single = Run(without, y);
  EXPECT_EQ(single.fused, 1);
  EXPECT_EQ(single.launches, 2);
}

TEST_F(CudaEpilogueTest, ShapesThatDoNotFitAreErrorsOfTheNode) {
  const Output x = gpu_.Placeholder("x", kFloat, {-1, -1}), w = Fed(Numbers({2, 3}, 2));
  const Output product = AddOp(graph_, "MatMul", {x, w}, {}, "product").output(0);
  const Output y = Add("BiasAdd", {product, Fed(Numbers({3}, 3))});
  feeds_.push_back({x, Numbers({4, 5}, 1)});
  Session session = Session::Create(graph_).value();
  const Status status = session.Run(feeds_, y).status();
  EXPECT_TRUE(IsInvalidArgument(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("Matrix size-incompatible: In[0]: [4,5]"));
  EXPECT_THAT(status.message(), HasSubstr("{{node product}}"));
  feeds_.back().value = Numbers({0, 2}, 1);
  EXPECT_EQ(session.Run(feeds_, y)->shape(), Shape({0, 3}));
}

// The static shape of the variable is that of its declaration.
TEST_F(CudaEpilogueTest, AVariableOfAnotherShapeIsAddedByAKernel) {
  const Output x = Fed(Numbers({4, 2}, 1)), w = Fed(Numbers({2, 3}, 2));
  const Variable bias = gpu_.NewVariable(Numbers({3}, 3), "bias");
  const Output y = Add("AddV2", {MatMul(x, w), bias.ref()});
  const Output other = gpu_.Placeholder("other", kFloat, Shape::Unknown());
  const Operation assign =
      AddOp(graph_, "Assign", {bias.ref(), other}, {{"validate_shape", false}});
  Session session = Session::Create(graph_).value();
  ASSERT_TRUE(session.Run({{other, Tensor::Vector<float>({5})}}, assign).ok());
  const Found found = Run(session, y);
  EXPECT_EQ(found.fused, 1);
  EXPECT_EQ(found.launches, 2);
  const Tensor product = session.Run(feeds_, MatMul(x, w)).value();
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(found.value.data<float>()[i], product.data<float>()[i] + 5);
  }
}

// The second GPU opens its library here.
TEST_F(CudaEpilogueTest, WithoutALibraryNothingIsFused) {
  Fake().cublas_status = 1;
  Scope second = scope_.Device("/gpu:1");
  const Output x = second.Placeholder("x", kFloat, {4, 2}),
               w = second.Placeholder("w", kFloat, {2, 3});
  const Output row = second.Placeholder("row", kFloat, {3});
  const Output y = Add("BiasAdd", {MatMul(x, w), row});
  Session session = Session::Create(graph_).value();
  const PlanReport report = ExplainRun(session, {x, w, row}, y).value();
  EXPECT_EQ(std::ranges::find(report.passes, "epilogues", &PassEffect::name)->changes, 0);
  Fake().cublas_status = 0;
}

}  // namespace
}  // namespace ramet
