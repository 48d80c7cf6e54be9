// Tests of updates of published variables, which go to different buffers. The values must equal,
// bit for bit, those of a session on one thread that publishes nothing. Each version must stay as
// it was when it was published.
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "ramet/ramet.h"

namespace ramet {
namespace {

constexpr int64_t kRows = 3000, kWidth = 251;  // 3 MB: updates of the whole are streamed

Tensor Noise(const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  Tensor t(kFloat, shape);
  for (float& x : t.mutable_flat<float>()) x = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
  return t;
}

Tensor Rows(uint32_t seed, int64_t count, DType dtype) {
  std::mt19937 random(seed);
  Tensor t(dtype, {count});
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = random() % kRows;
    if (dtype == kInt64) {
      t.mutable_data<int64_t>()[i] = row;
    } else {
      t.mutable_data<int32_t>()[i] = static_cast<int32_t>(row);
    }
  }
  return t;
}

class UpdatesTest : public ::testing::Test {
 protected:
  UpdatesTest() : scope_(graph_) {
    var_ = scope_.GetVariable("var", {kRows, kWidth}, RandomUniform(-1.0f, 1.0f, 1));
    m_ = scope_.GetVariable("m", {kRows, kWidth}, ConstantInit(0.1f));
    v_ = scope_.GetVariable("v", {kRows, kWidth}, ConstantInit(0.1f));
    rows_ = scope_.Placeholder("rows", kInt64, {-1});
    rows32_ = scope_.Placeholder("rows32", kInt32, {-1});
    gradient_ = scope_.Placeholder("gradient", kFloat, {-1, kWidth});
  }
  Output Number(float value) { return Constant(graph_, Tensor(value)); }

  // Compares `update` in a session that publishes each step with one that does not.
  void Compare(const Operation& update, bool sparse, DType rows_dtype = kInt64) {
    Session alone = Session::Create(graph_, {.intra_op_parallelism_threads = 1}).value();
    Session trainer = Session::Create(graph_, {.intra_op_parallelism_threads = 3}).value();
    alone.InitializeMissing().value();
    trainer.InitializeMissing().value();
    const std::string address =
        StrCat("shm:updates ", getpid(), " ",
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    Publisher publisher = Publisher::Open(address, trainer, {.all_variables = true}).value();
    Follower follower = Follower::Open(address, {.automatic = false}).value();
    for (uint32_t step = 0; step < 12; ++step) {
      Feeds feeds;
      if (sparse) {
        const char* name = rows_dtype == kInt64 ? "rows:0" : "rows32:0";
        feeds.push_back({name, Rows(step, 50 + step * 100, rows_dtype)});
        feeds.push_back({"gradient:0", Noise({50 + int64_t{step} * 100, kWidth}, step)});
      } else {
        feeds.push_back({"gradient:0", Noise({kRows, kWidth}, step)});
      }
      alone.Run(feeds, update).value();
      trainer.Run(feeds, update).value();
      if (step % 4 != 3) publisher.Publish().value();
      if (step % 3 == 0) follower.Update().value();
      for (const Variable& variable : {var_, m_, v_}) {
        const Tensor expected = alone.Value(variable).value();
        ASSERT_TRUE(trainer.Value(variable)->BitwiseEquals(expected)) << step << variable.op_name();
        if (step % 4 == 3 || step % 3 != 0) continue;
        const Tensor followed = follower.session().Run(variable.op_name() + ":0").value();
        ASSERT_TRUE(followed.BitwiseEquals(expected)) << step << variable.op_name();
      }
    }
  }

  Graph graph_;
  Scope scope_;
  Variable var_, m_, v_;
  Output rows_, rows32_, gradient_;
};

TEST_F(UpdatesTest, GradientDescent) {
  Compare(AddOp(graph_, "ApplyGradientDescent", {var_.ref(), Number(0.1f), gradient_}), false);
}

TEST_F(UpdatesTest, Momentum) {
  Compare(
      AddOp(graph_, "ApplyMomentum", {var_.ref(), m_.ref(), Number(0.1f), gradient_, Number(0.9f)}),
      false);
}

TEST_F(UpdatesTest, Adam) {
  Compare(AddOp(graph_, "ApplyAdam",
                {var_.ref(), m_.ref(), v_.ref(), Number(0.9f), Number(0.99f), Number(0.1f),
                 Number(0.9f), Number(0.99f), Number(1e-8f), gradient_}),
          false);
}

TEST_F(UpdatesTest, SparseAdagrad) {
  Compare(
      AddOp(graph_, "SparseApplyAdagrad", {var_.ref(), m_.ref(), Number(0.1f), gradient_, rows_}),
      true);
}

TEST_F(UpdatesTest, ScatterAdd) {
  Compare(AddOp(graph_, "ScatterAdd", {var_.ref(), rows_, gradient_}), true);
}

TEST_F(UpdatesTest, ScatterUpdateByInt32) {
  Compare(AddOp(graph_, "ScatterUpdate", {var_.ref(), rows32_, gradient_}), true, kInt32);
}

// Another thread updates the spare buffer. It may come too early, too late, or during an update.
TEST_F(UpdatesTest, RowsAreRightHoweverLongTheTrainerWaits) {
  const Operation update = AddOp(graph_, "ScatterAdd", {var_.ref(), rows_, gradient_});
  Session alone = Session::Create(graph_).value(), trainer = Session::Create(graph_).value();
  alone.InitializeMissing().value();
  trainer.InitializeMissing().value();
  const std::string address = StrCat("shm:updates spare ", getpid());
  Publisher publisher = Publisher::Open(address, trainer, {.all_variables = true}).value();
  Follower follower = Follower::Open(address).value();
  for (uint32_t step = 0; step < 60; ++step) {
    Feeds feeds;
    feeds.push_back({"rows:0", Rows(step % 7, 400, kInt64)});
    feeds.push_back({"gradient:0", Noise({400, kWidth}, step)});
    alone.Run(feeds, update).value();
    trainer.Run(feeds, update).value();
    const uint64_t version = publisher.Publish().value();
    if (step % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(step * 30));
    if (step % 5 != 0) continue;
    follower.Wait(version, std::chrono::seconds(60)).value();
    const Tensor expected = alone.Value(var_).value();
    ASSERT_TRUE(trainer.Value(var_)->BitwiseEquals(expected)) << step;
    ASSERT_TRUE(follower.session().Run("var:0").value().BitwiseEquals(expected)) << step;
  }
}

// The sum is computed in the buffer that is published.
TEST_F(UpdatesTest, WeightedSumsAreNotCopied) {
  const Output tau = Number(0.1f), rest = Number(0.9f);
  const Operation update = AddOp(graph_, "Assign", {var_.ref(), tau * gradient_ + rest * var_});
  Compare(update, false);
  Session trainer = Session::Create(graph_).value();
  trainer.InitializeMissing().value();
  Publisher publisher =
      Publisher::Open(StrCat("shm:updates sums ", getpid()), trainer, {.variables = {var_}})
          .value();
  publisher.Publish().value();
  const uint64_t copied = publisher.stats().bytes_copied;
  for (uint32_t step = 0; step < 3; ++step) {
    trainer.Run({{"gradient:0", Noise({kRows, kWidth}, step)}}, update).value();
    publisher.Publish().value();
  }
  EXPECT_EQ(publisher.stats().bytes_copied, copied);
}

// A pinned version does not change while rows change. Its buffer is reused afterwards.
TEST_F(UpdatesTest, APinnedVersionKeepsItsRows) {
  const Operation update = AddOp(graph_, "ScatterAdd", {var_.ref(), rows_, gradient_});
  Session trainer = Session::Create(graph_).value();
  trainer.InitializeMissing().value();
  const std::string address = StrCat("shm:updates pinned ", getpid());
  Publisher publisher = Publisher::Open(address, trainer, {.all_variables = true}).value();
  publisher.Publish().value();
  Follower follower = Follower::Open(address, {.automatic = false}).value();
  const Tensor first = trainer.Value(var_)->DeepCopy().value();
  ASSERT_TRUE(follower.Pin(1).ok());
  for (uint32_t step = 0; step < 10; ++step) {
    Feeds feeds;
    feeds.push_back({"rows:0", Rows(step, 100, kInt64)});
    feeds.push_back({"gradient:0", Noise({100, kWidth}, step)});
    trainer.Run(feeds, update).value();
    publisher.Publish().value();
    ASSERT_TRUE(follower.session().Run("var:0").value().BitwiseEquals(first)) << step;
  }
  follower.Unpin();
  follower.Update().value();
  EXPECT_TRUE(follower.session().Run("var:0").value().BitwiseEquals(trainer.Value(var_).value()));
}

}  // namespace
}  // namespace ramet
