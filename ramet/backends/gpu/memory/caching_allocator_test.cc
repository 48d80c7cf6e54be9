#include "ramet/backends/gpu/memory/caching_allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/tensor/memory_owners.h"

namespace ramet::gpu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kMiB = uint64_t{1} << 20;

// A device with memory for a number of bytes, which counts its blocks.
class CountingDevice final : public DriverDevice {
 public:
  explicit CountingDevice(size_t bytes) : left_(bytes) { info_.name = "counting"; }
  const DriverDeviceInfo& info() const override { return info_; }
  StatusOr<std::unique_ptr<DriverMemory>> Allocate(size_t bytes) override {
    if (bytes > left_) return ResourceExhausted("the device is full");
    ++allocations;
    left_ -= bytes;
    return std::unique_ptr<DriverMemory>(std::make_unique<Block>(*this, bytes));
  }
  StatusOr<std::unique_ptr<DriverQueue>> MakeQueue() override { return Unimplemented("-"); }
  StatusOr<std::unique_ptr<DriverModule>> Compile(const std::string&, const std::string&) override {
    return Unimplemented("-");
  }
  StatusOr<std::unique_ptr<DriverModule>> Load(std::string_view, const std::string&) override {
    return Unimplemented("-");
  }

  int allocations = 0;

 private:
  class Block final : public DriverMemory {
   public:
    Block(CountingDevice& device, size_t bytes) : device_(device), bytes_(bytes) {}
    ~Block() override { device_.left_ += bytes_; }

   private:
    CountingDevice& device_;
    const size_t bytes_;
  };

  DriverDeviceInfo info_;
  size_t left_;
};

class NoMemory final : public DeviceMemory {
 public:
  Tensor View(const Tensor& t) const override { return t; }
  Tensor Unview(const Tensor& t) const override { return t; }
};

class CachingAllocatorTest : public ::testing::Test {
 protected:
  NoMemory memory_;
  CountingDevice device_{16 * kMiB};
  CachingAllocator allocator_{"GPU:0", device_, &memory_, 8 * kMiB};
};

TEST_F(CachingAllocatorTest, BuffersNameTheirMemoryAndDifferInAddress) {
  const BufferPtr a = allocator_.Allocate(100).value();
  const BufferPtr b = allocator_.Allocate(0).value();
  EXPECT_EQ(a->memory(), &memory_);
  EXPECT_FALSE(a->host_accessible());
  EXPECT_NE(a->data(), b->data());
  EXPECT_EQ(a->size(), 100u);
}

TEST_F(CachingAllocatorTest, FreedBlocksServeBuffersOfSimilarSize) {
  for (size_t bytes : {1000u, 1024u, 1000u}) {
    allocator_.Allocate(bytes).value();
    allocator_.EndPeriod();
  }
  EXPECT_EQ(device_.allocations, 1);
  EXPECT_EQ(allocator_.usage().in_use, 0u);
  EXPECT_EQ(allocator_.usage().kept, 1024u);
  EXPECT_EQ(allocator_.usage().peak, 1024u);
}

TEST_F(CachingAllocatorTest, TheOldestFreeBlockIsUsedFirst) {
  const auto allocate = [&] { return Tensor::Allocate(kFloat, {10}, &allocator_).value(); };
  const auto id = [](const Tensor& t) { return GpuBuffer::BlockOf(t).id(); };
  Tensor tensors[] = {allocate(), allocate(), allocate()};
  const uint64_t ids[] = {id(tensors[0]), id(tensors[1]), id(tensors[2])};
  for (const int freed : {1, 2, 0}) tensors[freed] = Tensor();
  allocator_.EndPeriod();
  for (Tensor& tensor : tensors) tensor = allocate();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(id(tensors[i]), ids[i]);
}

TEST_F(CachingAllocatorTest, ABlockThatAPeriodUsedIsUsedAgainLast) {
  const auto allocate = [&] { return Tensor::Allocate(kFloat, {kMiB / 4}, &allocator_).value(); };
  const auto id = [](const Tensor& t) { return GpuBuffer::BlockOf(t).id(); };
  std::vector<Tensor> held = {allocate(), allocate()};
  const uint64_t first = id(held[0]), second = id(held[1]);
  held.clear();
  allocator_.EndPeriod();
  EXPECT_EQ(id(allocate()), first);
  EXPECT_EQ(id(allocate()), second);  // which was not used
  EXPECT_EQ(device_.allocations, 2);
  for (int i = 2; i < 8; ++i) EXPECT_NE(id(allocate()), first);  // new ones
  EXPECT_EQ(device_.allocations, 8);
  EXPECT_EQ(id(allocate()), first);  // a size has at most 8 MiB of new blocks
  EXPECT_EQ(id(allocate()), second);
}

// The driver may be full before the limit is reached.
TEST_F(CachingAllocatorTest, AFullDeviceKeepsItsBlocksIfOneIsFree) {
  int released = 0;
  CachingAllocator large("GPU:0", device_, &memory_, 1024 * kMiB, [&] { ++released; });
  const BufferPtr held = large.Allocate(15 * kMiB).value();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(large.Allocate(kMiB).ok());
  EXPECT_EQ(released, 0);
  EXPECT_EQ(large.usage().kept, kMiB);
  EXPECT_EQ(device_.allocations, 2);
}

TEST_F(CachingAllocatorTest, LargeBlocksAreUsedAgainAtOnce) {
  CachingAllocator large("GPU:0", device_, &memory_, 1024 * kMiB);
  for (int i = 0; i < 3; ++i) large.Allocate(9 * kMiB).value();
  EXPECT_EQ(device_.allocations, 1);
}

TEST_F(CachingAllocatorTest, SaysSoBeforeBlocksAreDestroyed) {
  int calls = 0, allocations = 0;
  CachingAllocator allocator("GPU:0", device_, &memory_, 8 * kMiB, [&] {
    ++calls;
    allocations = device_.allocations;
  });
  allocator.Allocate(5 * kMiB).value();
  EXPECT_EQ(calls, 0);
  allocator.Allocate(6 * kMiB).value();  // needs the memory of the first one
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(allocations, 1);
}

TEST_F(CachingAllocatorTest, KeptBlocksMakeRoomForOtherSizes) {
  for (size_t size = kMiB; size <= 5 * kMiB; size += kMiB) allocator_.Allocate(size).value();
  EXPECT_TRUE(allocator_.Allocate(8 * kMiB).ok());
}

TEST_F(CachingAllocatorTest, TheLimitIsAnErrorThatSaysWhatToDo) {
  const BufferPtr held = allocator_.Allocate(6 * kMiB).value();
  const Status status = allocator_.Allocate(3 * kMiB).status();
  EXPECT_TRUE(IsResourceExhausted(status));
  EXPECT_THAT(status.message(), HasSubstr("out of memory on GPU:0 (counting): 3145728 bytes were "
                                          "requested, but 6291456 of 8388608 are in use"));
  EXPECT_THAT(status.message(), HasSubstr("per_process_gpu_memory_fraction"));
  EXPECT_TRUE(IsResourceExhausted(allocator_.Allocate(size_t{1} << 60).status()));
  EXPECT_TRUE(allocator_.Allocate(kMiB).ok());
}

class NamedOwner final : public OwnerScope {
 public:
  explicit NamedOwner(std::string name) : name_(std::move(name)) {}
  std::string Name() const override { return name_; }

 private:
  const std::string name_;
};

TEST_F(CachingAllocatorTest, AFullDeviceListsWhatHoldsItsMemory) {
  Tensor weights, a, b;
  {
    const NamedOwner owner("node 'w/init'");
    weights = Tensor::Allocate(kFloat, Shape{512 * 1024}, &allocator_).value();
  }
  MemoryOwners::Global().GiveToVariable(weights, "w");
  {
    const NamedOwner owner("node 'x'");
    a = Tensor::Allocate(kFloat, Shape{256 * 1024}, &allocator_).value();
    b = Tensor::Allocate(kFloat, Shape{256 * 1024}, &allocator_).value();
  }
  allocator_.Allocate(kMiB).value();  // is freed at once, and kept
  const Status status = allocator_.Allocate(7 * kMiB).status();
  EXPECT_THAT(status.message(), HasSubstr("4194304 are free"));
  EXPECT_THAT(status.message(), HasSubstr("\n         bytes  held by"
                                          "\n       2097152  node 'x', 2 tensors"
                                          "\n       2097152  variable 'w'"
                                          "\n             0  freed blocks"));
  a = b = Tensor();
  EXPECT_THAT(allocator_.Allocate(7 * kMiB).status().message(), Not(HasSubstr("node 'x'")));
}

TEST_F(CachingAllocatorTest, AFullDeviceGetsKeptBlocksBack) {
  CachingAllocator large("GPU:0", device_, &memory_, 1024 * kMiB);
  large.Allocate(10 * kMiB).value();
  EXPECT_TRUE(large.Allocate(14 * kMiB).ok());
  EXPECT_THAT(large.Allocate(20 * kMiB).status().message(), HasSubstr("the device is full"));
}

TEST(BlockSizeTest, WastesAtMostAnEighth) {
  for (size_t bytes = 1; bytes < 100000000; bytes = bytes * 3 / 2 + 1) {
    const size_t block = BlockSize(bytes);
    EXPECT_GE(block, bytes);
    EXPECT_EQ(block % 256, 0u);
    EXPECT_LE(block, bytes + bytes / 8 + 256) << bytes;
    EXPECT_EQ(BlockSize(block), block);
  }
}

}  // namespace
}  // namespace ramet::gpu
