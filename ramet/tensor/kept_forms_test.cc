#include "ramet/tensor/kept_forms.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace ramet {
namespace {

constexpr FormLayout kLayout = {1, 2, 3};

Tensor Filled(float value) { return Tensor::Of<float>({8}, {value}); }

class KeptFormsTest : public ::testing::Test {
 protected:
  // Uses the form of `value`, which is its negative, and returns its first element, or 0.
  float Use(FormUser& user, const Tensor& value, const FormLayout& layout = kLayout) {
    const Tensor form = user.Use(value, layout, 32, [&]() -> StatusOr<Tensor> {
      ++made_;
      return Filled(-value.data<float>()[0]);
    });
    return form.empty() ? 0 : form.data<float>()[0];
  }
  static int64_t bytes() { return KeptForms::Global().bytes(); }

  int made_ = 0;
};

TEST_F(KeptFormsTest, TheSecondUseOfAVersionMakesTheForm) {
  FormUser user;
  const Tensor value = Filled(5);
  EXPECT_EQ(Use(user, value), 0);
  EXPECT_EQ(Use(user, value), -5);
  EXPECT_EQ(Use(user, value), -5);
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(bytes(), 32);
}

TEST_F(KeptFormsTest, UsersOfOneVersionShareItsForm) {
  FormUser a, b;
  const Tensor value = Filled(5);
  Use(a, value);
  EXPECT_EQ(Use(b, value), -5);
  EXPECT_EQ(Use(a, value), -5);
  EXPECT_EQ(Use(b, value, {1, 2, 4}), 0);  // in a different layout
  EXPECT_EQ(made_, 1);
}

TEST_F(KeptFormsTest, AFormKeepsItsValueFromBeingWritten) {
  FormUser user;
  const Tensor value = Filled(5);
  Use(user, value);
  EXPECT_TRUE(value.unique());
  Use(user, value);
  EXPECT_FALSE(value.unique());
  KeptForms::Global().Forget(value);
  EXPECT_TRUE(value.unique());
  EXPECT_EQ(bytes(), 0);
}

TEST_F(KeptFormsTest, AForgottenVersionIsUsedForTheFirstTimeAgain) {
  FormUser user;
  const Tensor value = Filled(5);
  Use(user, value);
  KeptForms::Global().Forget(value);
  EXPECT_EQ(Use(user, value), 0);
  EXPECT_EQ(made_, 0);
  EXPECT_EQ(Use(user, value), -5);
}

TEST_F(KeptFormsTest, TheNextVersionReplacesTheForm) {
  FormUser user;
  const Tensor old = Filled(5), now = Filled(6);
  Use(user, old);
  Use(user, old);
  EXPECT_EQ(Use(user, now), 0);
  EXPECT_TRUE(old.unique());
  EXPECT_EQ(bytes(), 0);
  EXPECT_EQ(Use(user, now), -6);
}

TEST_F(KeptFormsTest, FormsEndWithTheirUsers) {
  const Tensor value = Filled(5);
  {
    FormUser user;
    Use(user, value);
    Use(user, value);
  }
  EXPECT_TRUE(value.unique());
  EXPECT_EQ(bytes(), 0);
}

TEST_F(KeptFormsTest, AFormThatDoesNotFitIsNotMade) {
  FormUser user;
  const Tensor value = Filled(5);
  for (int i = 0; i < 3; ++i) {
    const Tensor form = user.Use(value, kLayout, KeptForms::kMaxBytes + 1, [&] {
      ++made_;
      return StatusOr<Tensor>(Filled(1));
    });
    EXPECT_TRUE(form.empty());
  }
  EXPECT_EQ(made_, 0);
  EXPECT_EQ(bytes(), 0);
}

TEST_F(KeptFormsTest, AFormThatCannotBeMadeTakesNoBytes) {
  FormUser user;
  const Tensor value = Filled(5);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(
        user.Use(value, kLayout, 32, [&] { return StatusOr<Tensor>(ResourceExhausted("none")); })
            .empty());
  }
  EXPECT_TRUE(value.unique());
  EXPECT_EQ(bytes(), 0);
}

// Each thread goes through versions that others replace, and always finds the form of its own.
TEST_F(KeptFormsTest, ThreadsFindTheFormOfTheirVersion) {
  FormUser user;
  std::atomic<int> wrong = 0;
  const auto work = [&](int seed) {
    for (int i = 0; i < 2000; ++i) {
      const auto number = static_cast<float>(seed * 10000 + i + 1);
      const Tensor value = Filled(number);
      for (int use = 0; use < 3; ++use) {
        const Tensor form = user.Use(
            value, kLayout, 32, [&] { return StatusOr<Tensor>(Filled(-value.data<float>()[0])); });
        if (!form.empty() && form.data<float>()[0] != -number) ++wrong;
        if (i % 7 == seed) KeptForms::Global().Forget(value);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ramet
