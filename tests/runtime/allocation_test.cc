#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "mlp.h"

namespace {
std::atomic<int64_t> allocations = 0;
}

// Not inline: if only one of a pair is inlined, GCC warns about mismatched free.
[[gnu::noinline]] void* operator new(size_t bytes) {
  ++allocations;
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }

namespace ramet {
namespace {

// Counts calls of operator new, and allocations of the tensor pool from the system.
TEST(AllocationTest, ASteadyTrainingStepAllocatesNothing) {
  Graph g;
  testing::Mlp mlp(g, "", 784, 256);
  Session session = Session::Create(g, {.intra_op_parallelism_threads = 1}).value();
  session.Run(mlp.init).value();
  Callable step = session.MakeCallable({mlp.x, mlp.y}, {mlp.train}).value();
  std::vector<Tensor> feeds = {mlp.images, mlp.labels}, fetched(1);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(step.Run(feeds, fetched).ok());
  const int64_t before = allocations;
  const int64_t pool_before = GetHostAllocatorStats().system_allocations;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(step.Run(feeds, fetched).ok());
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(GetHostAllocatorStats().system_allocations - pool_before, 0);
}

TEST(AllocationTest, ASteadyInferenceAllocatesNothing) {
  Graph g;
  testing::Mlp mlp(g, "", 784, 256);
  Session session = Session::Create(g, {.intra_op_parallelism_threads = 1}).value();
  session.Run(mlp.init).value();
  Callable infer = session.MakeCallable({mlp.x}, {mlp.out}).value();
  std::vector<Tensor> feeds = {testing::PseudoRandom({1, 784}, 3)}, fetched(1);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(infer.Run(feeds, fetched).ok());
  const int64_t before = allocations;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(infer.Run(feeds, fetched).ok());
  EXPECT_EQ(allocations - before, 0);
}

// y of float x: a call, a branch, and a loop of 100 iterations.
constexpr char kCalls[] = R"(
  node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
  node { name: 'zero' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } }
         attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 } } } }
  node { name: 'call' op: 'PartitionedCall' input: 'x'
         attr { key: 'Tin' value { list { type: DT_FLOAT } } }
         attr { key: 'Tout' value { list { type: DT_FLOAT } } }
         attr { key: 'f' value { func { name: 'tanh' } } } }
  node { name: 'if' op: 'If' input: 'zero' input: 'x'
         attr { key: 'Tcond' value { type: DT_INT32 } }
         attr { key: 'Tin' value { list { type: DT_FLOAT } } }
         attr { key: 'Tout' value { list { type: DT_FLOAT } } }
         attr { key: 'then_branch' value { func { name: 'twice' } } }
         attr { key: 'else_branch' value { func { name: 'tanh' } } } }
  node { name: 'while' op: 'While' input: 'zero' input: 'x'
         attr { key: 'T' value { list { type: DT_INT32 type: DT_FLOAT } } }
         attr { key: 'cond' value { func { name: 'below' } } }
         attr { key: 'body' value { func { name: 'next' } } } }
  library {
    function {
      signature { name: 'tanh' input_arg { name: 'x' type: DT_FLOAT }
                  output_arg { name: 'y' type: DT_FLOAT } }
      node_def { name: 'n' op: 'Tanh' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
      ret { key: 'y' value: 'n:y:0' } }
    function {
      signature { name: 'twice' input_arg { name: 'x' type: DT_FLOAT }
                  output_arg { name: 'y' type: DT_FLOAT } }
      node_def { name: 'n' op: 'AddV2' input: 'x' input: 'x'
                 attr { key: 'T' value { type: DT_FLOAT } } }
      ret { key: 'y' value: 'n:z:0' } }
    function {
      signature { name: 'below' input_arg { name: 'i' type: DT_INT32 }
                  input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_BOOL } }
      node_def { name: 'end' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } }
                 attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape {}
                                                      int_val: 100 } } } }
      node_def { name: 'n' op: 'Less' input: 'i' input: 'end:output:0'
                 attr { key: 'T' value { type: DT_INT32 } } }
      ret { key: 'y' value: 'n:z:0' } }
    function {
      signature { name: 'next' input_arg { name: 'i' type: DT_INT32 }
                  input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'j' type: DT_INT32 }
                  output_arg { name: 'y' type: DT_FLOAT } }
      node_def { name: 'one' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } }
                 attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape {}
                                                      int_val: 1 } } } }
      node_def { name: 'm' op: 'AddV2' input: 'i' input: 'one:output:0'
                 attr { key: 'T' value { type: DT_INT32 } } }
      node_def { name: 'c' op: 'StatefulPartitionedCall' input: 'x'
                 attr { key: 'Tin' value { list { type: DT_FLOAT } } }
                 attr { key: 'Tout' value { list { type: DT_FLOAT } } }
                 attr { key: 'f' value { func { name: 'tanh' } } } }
      ret { key: 'j' value: 'm:z:0' } ret { key: 'y' value: 'c:output:0' } }
  }
  versions { producer: 2000 }
)";

void ExpectASteadyCallAllocatesNothing(const char* fetch) {
  Graph g;
  ASSERT_TRUE(ImportGraphDef(g, kCalls, {.name = ""}).ok());
  Session session = Session::Create(g, {.intra_op_parallelism_threads = 1}).value();
  Callable run = session.MakeCallable({"x:0"}, {fetch}).value();
  std::vector<Tensor> feeds = {testing::PseudoRandom({8, 16}, 3)}, fetched(1);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run.Run(feeds, fetched).ok());
  const int64_t before = allocations;
  const int64_t pool_before = GetHostAllocatorStats().system_allocations;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(run.Run(feeds, fetched).ok());
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(GetHostAllocatorStats().system_allocations - pool_before, 0);
}

TEST(AllocationTest, ASteadyCallAllocatesNothing) { ExpectASteadyCallAllocatesNothing("call:0"); }

TEST(AllocationTest, ASteadyBranchAllocatesNothing) { ExpectASteadyCallAllocatesNothing("if:0"); }

TEST(AllocationTest, ASteadyLoopAllocatesNothing) { ExpectASteadyCallAllocatesNothing("while:1"); }

}  // namespace
}  // namespace ramet
