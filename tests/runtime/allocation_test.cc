#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "mlp.h"

namespace {
std::atomic<int64_t> allocations = 0;
}

void* operator new(size_t bytes) {
  ++allocations;
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }

namespace ramet {
namespace {

// Counts what C++ code asks of operator new, and what the tensors' pool asks of the system.
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

}  // namespace
}  // namespace ramet
