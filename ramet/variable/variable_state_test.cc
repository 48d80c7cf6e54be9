#include "ramet/variable/variable_state.h"

#include <gtest/gtest.h>

#include <thread>

#include "ramet/variable/column_testing.h"

namespace ramet {
namespace {

// Adds 1 to one element.
void Count(VariableState& v, int64_t row, const FollowedValues* followed = nullptr) {
  const auto add = [row](const Tensor&, Tensor& out) {
    out.mutable_data<float>()[row] += 1;
    return OkStatus();
  };
  ASSERT_TRUE(v.ModifyRows(HostAllocator(), followed, Tensor::Vector<int64_t>({row}), add).ok());
}

TEST(VariableStateTest, TheSpareBufferIsPreparedForTheNextUpdateOfRows) {
  VariableState v("v");
  v.SetAllocator(HostAllocator());
  v.Set(Column({0, 0, 0, 0}));
  Tensor first = v.Read();
  const void* address = first.raw_data();
  Count(v, 1);
  EXPECT_TRUE(first.BitwiseEquals(Column({0, 0, 0, 0})));
  EXPECT_TRUE(v.spare_is_behind());
  EXPECT_FALSE(v.PrepareSpare());
  first = Tensor();
  EXPECT_TRUE(v.PrepareSpare());
  EXPECT_FALSE(v.spare_is_behind());
  EXPECT_FALSE(v.spare_was_ready());
  const Tensor second = v.Read();
  Count(v, 2);
  EXPECT_TRUE(v.spare_was_ready());
  EXPECT_EQ(v.Read().raw_data(), address);
  EXPECT_TRUE(v.Read().BitwiseEquals(Column({0, 1, 1, 0})));
  EXPECT_TRUE(second.BitwiseEquals(Column({0, 1, 0, 0})));
}

TEST(VariableStateTest, ANewValueDropsTheSpares) {
  VariableState v("v");
  v.SetAllocator(HostAllocator());
  v.Set(Column({0, 0, 0, 0}));
  Tensor held = v.Read();
  Count(v, 1);
  held = Tensor();
  v.Set(Column({7, 7, 7, 7}));
  EXPECT_FALSE(v.spare_is_behind());
  held = v.Read();
  Count(v, 3);
  EXPECT_TRUE(v.Read().BitwiseEquals(Column({7, 7, 7, 8})));
}

// Followers do not write to a publisher's buffers, even when they publish the values themselves.
TEST(VariableStateTest, FollowedValuesAreNotSpares) {
  VariableState v("v");
  v.SetAllocator(HostAllocator());
  v.Set(Column({0, 0, 0, 0}));
  v.FollowAs(0);
  FollowedValues followed;
  followed.sequence = 1;
  followed.values = {Column({5, 5, 5, 5})};
  Count(v, 1, &followed);
  EXPECT_FALSE(v.spare_is_behind());
  EXPECT_TRUE(v.Read(&followed).BitwiseEquals(Column({5, 6, 5, 5})));
  EXPECT_TRUE(followed.values[0].BitwiseEquals(Column({5, 5, 5, 5})));
}

// Two runs use a variable on a device: one of an old version, and one of a version that has just
// arrived. Each moves the value of its version there and must find it afterwards.
TEST(VariableStateTest, MovingAFollowedValueChangesNoOtherVersion) {
  VariableState v("v");
  v.Set(Column({1}));
  v.FollowAs(0);
  FollowedValues old, arrived;
  old.sequence = 1;
  old.values = {Column({2})};
  arrived.sequence = 2;
  arrived.values = {Column({3})};
  const Tensor old_on_device = Column({2}), arrived_on_device = Column({3});
  v.Move(v.Read(&old), old_on_device, &old);
  v.Move(v.Read(&arrived), arrived_on_device, &arrived);
  EXPECT_EQ(v.Read(&old).raw_data(), old_on_device.raw_data());
  EXPECT_EQ(v.Read(&arrived).raw_data(), arrived_on_device.raw_data());
  EXPECT_TRUE(v.Read().BitwiseEquals(Column({1})));
}

TEST(VariableStateTest, AValueThatIsSetWhileItsPredecessorIsMovedStays) {
  VariableState v("v");
  v.Set(Column({1}));
  v.FollowAs(0);
  FollowedValues followed;
  followed.sequence = 1;
  followed.values = {Column({2})};
  const Tensor before = v.Read(&followed);
  v.Set(Column({7}), &followed);
  v.Move(before, Column({2}), &followed);
  EXPECT_TRUE(v.Read(&followed).BitwiseEquals(Column({7})));
}

TEST(VariableStateTest, UpdatesAndPreparationsAtTheSameTime) {
  constexpr int kUpdates = 2000;
  VariableState v("v");
  v.SetAllocator(HostAllocator());
  v.Set(Tensor::Of(Shape{64, 1}, {0.0f}));
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) (void)v.PrepareSpare();
  });
  std::vector<Tensor> held;
  for (int i = 0; i < kUpdates; ++i) {
    if (held.size() == 2) held.erase(held.begin());
    held.push_back(v.Read());
    Count(v, i % 64);
  }
  done = true;
  other.join();
  for (int row = 0; row < 64; ++row) {
    EXPECT_EQ(v.Read().data<float>()[row], kUpdates / 64 + (row < kUpdates % 64 ? 1 : 0));
  }
}

}  // namespace
}  // namespace ramet
