#include "ramet/replica/hash_worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "ramet/replica/version_hash.h"

namespace ramet {
namespace {

class HashWorkerTest : public ::testing::Test {
 protected:
  // Keeps the worker busy until `go` is set.
  void Block(uint64_t version) {
    ASSERT_TRUE(worker_
                    .Ask(
                        version, [] { return Values(0); },
                        [this](const auto&) { gate_.get_future().wait(); })
                    .ok());
  }
  static HashWorker::Values Values(float value) {
    return {{Tensor::Vector<float>({value})}, {Tensor::Vector<float>({value})}};
  }
  const ReplicaSignature signature_ = {{.name = "w", .dtype = kFloat, .shape = {1}}};
  std::promise<void> gate_;
  HashWorker worker_{signature_};
};

TEST_F(HashWorkerTest, RequestsForOneVersionAreAnsweredTogether) {
  Block(1);
  std::atomic<int> values_given = 0, answered = 0;
  std::promise<void> all;
  for (int i = 0; i < 100; ++i) {
    const auto values = [&] {
      ++values_given;
      return Values(2);
    };
    ASSERT_TRUE(worker_
                    .Ask(2, values,
                         [&](const StatusOr<VersionHashes>& hashes) {
                           EXPECT_EQ(hashes->content, ContentHash(signature_, Values(2).values));
                           if (++answered == 100) all.set_value();
                         })
                    .ok());
  }
  EXPECT_EQ(values_given, 1);
  gate_.set_value();
  all.get_future().wait();
  EXPECT_EQ(worker_.Known(2).content, ContentHash(signature_, Values(2).values));
  EXPECT_TRUE(worker_.Known(3).content.empty());
}

TEST_F(HashWorkerTest, WaitingRequestsAreLimited) {
  Block(1);
  std::atomic<size_t> told = 0;
  Status status;
  size_t asked = 0;
  for (; status.ok() && asked < 2 * HashWorker::kMaxAsking; ++asked) {
    status = worker_.Ask(
        asked % 7 + 2, [] { return Values(1); }, [&](const auto&) { ++told; });
  }
  EXPECT_TRUE(IsResourceExhausted(status)) << status.ToString();
  EXPECT_LE(asked, HashWorker::kMaxAsking + 1);
  gate_.set_value();
  worker_.Stop();
  EXPECT_EQ(told, asked - 1);
}

}  // namespace
}  // namespace ramet
