#include "ramet/backends/gpu/launch_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ramet::gpu {
namespace {

using ::testing::ElementsAre;

struct PlainBlock final : DriverMemory {};
struct PlainFunction final : DriverFunction {};

// A call that only reads as many blocks as its parameter says.
struct ReadingCall final : LibraryCall {
  size_t NumOnlyRead(std::span<const int64_t> parameters) const override {
    return static_cast<size_t>(parameters[0]);
  }
  Status Enqueue(DriverQueue& /*queue*/, std::span<const int64_t> /*parameters*/,
                 std::span<DriverMemory* const> /*blocks*/) override {
    return OkStatus();
  }
};

class LaunchOrderTest : public ::testing::Test {
 protected:
  // Adds a kernel that reads blocks and writes others.
  void Add(std::vector<int> reads, std::vector<int> writes) {
    std::vector<KernelArgument> arguments;
    std::vector<bool> only_reads(reads.size(), true);
    for (int block : reads) arguments.emplace_back(blocks_[block]);
    for (int block : writes) arguments.emplace_back(blocks_[block]);
    only_reads.resize(arguments.size());
    function_.set_only_reads(only_reads);
    sequence_.AddLaunch(function_, {}, arguments);
  }
  std::vector<std::vector<uint32_t>> Order() const { return OrderOf(sequence_); }

  PlainBlock blocks_[4];
  PlainFunction function_;
  LaunchSequence sequence_;
};

TEST_F(LaunchOrderTest, ReadersFollowTheWriter) {
  Add({}, {0});
  Add({0}, {1});
  Add({0}, {2});
  EXPECT_THAT(Order(), ElementsAre(ElementsAre(), ElementsAre(0), ElementsAre(0)));
}

TEST_F(LaunchOrderTest, WritersFollowReadersAndWriters) {
  Add({0}, {1});
  Add({0}, {2});
  Add({}, {0});
  Add({}, {0});
  EXPECT_THAT(Order(),
              ElementsAre(ElementsAre(), ElementsAre(), ElementsAre(1, 0), ElementsAre(2)));
}

TEST_F(LaunchOrderTest, WhatOthersImplyIsLeftOut) {
  Add({}, {0});
  Add({0}, {1});
  Add({0, 1}, {2});
  Add({0, 1, 2}, {3});
  EXPECT_THAT(Order(), ElementsAre(ElementsAre(), ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

TEST_F(LaunchOrderTest, ABlockThatIsReadAndWrittenIsWritten) {
  Add({0}, {0});
  Add({0}, {0});
  EXPECT_THAT(Order(), ElementsAre(ElementsAre(), ElementsAre(0)));
}

TEST_F(LaunchOrderTest, AKernelWithoutDeclarationsMayWriteAllItsBlocks) {
  const KernelArgument arguments[] = {blocks_[0], blocks_[1]};
  function_.set_only_reads({true});
  sequence_.AddLaunch(function_, {}, arguments);
  sequence_.AddLaunch(function_, {}, {arguments, 1});
  EXPECT_THAT(Order(), ElementsAre(ElementsAre(), ElementsAre(0)));
}

TEST_F(LaunchOrderTest, CopiesAndFillsWriteTheirTarget) {
  sequence_.AddZero(blocks_[0], 4);
  sequence_.AddCopy(blocks_[1], blocks_[0], 4);
  sequence_.AddCopy(blocks_[2], blocks_[0], 4);
  sequence_.AddZero(blocks_[0], 4);
  EXPECT_THAT(Order(),
              ElementsAre(ElementsAre(), ElementsAre(0), ElementsAre(0), ElementsAre(2, 1)));
}

TEST_F(LaunchOrderTest, TheParametersOfACallSayWhichBlocksItReads) {
  ReadingCall call;
  DriverMemory* const blocks[] = {&blocks_[0], &blocks_[1], &blocks_[2]};
  const int64_t two[] = {2}, one[] = {1};
  sequence_.AddCall(call, two, blocks);
  sequence_.AddCall(call, two, {blocks, 2});
  sequence_.AddCall(call, one, {blocks, 2});
  EXPECT_THAT(Order(), ElementsAre(ElementsAre(), ElementsAre(), ElementsAre(1, 0)));
}

}  // namespace
}  // namespace ramet::gpu
