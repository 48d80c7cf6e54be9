// Lets each allocation fail once in a save, a restore, a publisher and its follower. The caller
// must get an error or an exception, nothing else may die, and files must be either old or new.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <string>

#include "failing_new.h"
#include "models.h"
#include "ramet/ramet.h"
#include "tracer.h"

namespace ramet::faults {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int kDone = 0;
constexpr int kFailed = 10;
constexpr int kWrong = 1;

class AllocationTest : public ::testing::Test {
 protected:
  AllocationTest()
      : folder_(fs::temp_directory_path() / StrCat("ramet_allocation_", getpid())),
        prefix_((folder_ / "m").string()) {}
  ~AllocationTest() override { fs::remove_all(folder_); }

  // Calls `work` with allocation `at` failing. `work` may throw.
  static Status With(int64_t at, const std::function<Status()>& work) {
    FailAllocation(at);
    Status status;
    try {
      status = work();
    } catch (const std::bad_alloc&) {
      status = ResourceExhausted("thrown");
    }
    FailAllocation(-1);
    return status;
  }
  static int StatusOf(const Status& status) { return status.ok() ? kDone : kFailed; }

  // Tells whether std::terminate may end the process, because destructors of a library allocate
  // (nlohmann's JSON).
  enum class Ends : uint8_t { kNever, kByTerminate };

  // Runs `work(at)` in a separate process for each allocation `at`, which fails; then `check`.
  void ForEachAllocation(const std::function<int(int64_t at)>& work,
                         const std::function<void(int status)>& check, uint64_t wanted,
                         Ends ends = Ends::kNever) {
    const std::string count_file = (folder_ / "count").string();
    fs::create_directory(folder_);
    ASSERT_EQ(RunAside([&] {
                const int status = work(0);
                const bool told = WriteCount(count_file, Allocations());
                return told ? status : kWrong;
              }),
              kDone);
    const auto count = static_cast<uint64_t>(ReadCount(count_file));
    ASSERT_GT(count, 10u);
    const uint64_t stride = Stride(count, wanted);
    for (uint64_t at = 1; at <= count; at += stride) {
      const int status = RunAside([&] {
        alarm(60);
        return work(static_cast<int64_t>(at));
      });
      const bool may_end = ends == Ends::kByTerminate && status == -SIGABRT;
      EXPECT_TRUE(status == kDone || status == kFailed || may_end)
          << "allocation " << at << " of " << count << ": " << status;
      ASSERT_NO_FATAL_FAILURE(check(status)) << "allocation " << at << " of " << count;
    }
  }
  static bool WriteCount(const std::string& path, int64_t count) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    const bool told =
        file != nullptr && std::fprintf(file, "%lld", static_cast<long long>(count)) > 0;
    return file != nullptr && std::fclose(file) == 0 && told;
  }
  static int64_t ReadCount(const std::string& path) {
    long long count = 0;
    std::FILE* file = std::fopen(path.c_str(), "r");
    if (file == nullptr) return 0;
    if (std::fscanf(file, "%lld", &count) != 1) count = 0;
    std::fclose(file);
    return count;
  }

  const fs::path folder_;
  const std::string prefix_;
};

TEST_F(AllocationTest, Saving) {
  ForEachAllocation(
      [this](int64_t at) {
        Model model;
        for (int number : {1, 2}) {
          if (!model.Set(number).ok()) return kWrong;
          const Status saved = With(number == 2 ? at : -1, [&] {
            // Protobuf, which writes graphs, does not survive an exception inside.
            SaveOptions options;
            options.write_meta_graph = false;
            return model.saver().Save(model.session(), prefix_, options).status();
          });
          if (number == 2) return StatusOf(saved);
          if (!saved.ok()) return kWrong;
        }
        return kWrong;
      },
      [this](int status) {
        const auto number = Model::NumberIn(prefix_);
        ASSERT_TRUE(number.ok()) << number.status().ToString();
        EXPECT_GE(*number, status == kDone ? 2 : 1);
      },
      60);
}

TEST_F(AllocationTest, Restoring) {
  fs::create_directory(folder_);
  ASSERT_EQ(RunAside([this] {
              Model model;
              const bool saved =
                  model.Set(5).ok() && model.saver().Save(model.session(), prefix_).ok();
              return saved ? kDone : kWrong;
            }),
            kDone);
  ForEachAllocation(
      [this](int64_t at) {
        Model model;
        if (!model.Set(1).ok()) return kWrong;
        return StatusOf(With(at, [&] { return model.saver().Restore(model.session(), prefix_); }));
      },
      [](int) {}, 60, Ends::kByTerminate);
}

TEST_F(AllocationTest, FollowingSharedMemory) {
  const std::string address = StrCat("shm:allocations ", getpid());
  ForEachAllocation(
      [&](int64_t at) {
        Model model, other;
        if (!model.Set(1).ok()) return kWrong;
        return StatusOf(With(at, [&]() -> Status {
          RAMET_ASSIGN_OR_RETURN(Publisher publisher,
                                 Publisher::Open(address, model.session(), {.graph = false}));
          RAMET_RETURN_IF_ERROR(publisher.Publish().status());
          FollowerOptions options;
          options.session = &other.session();
          options.wait = 10s;
          RAMET_ASSIGN_OR_RETURN(Follower follower, Follower::Open(address, options));
          RAMET_RETURN_IF_ERROR(publisher.Publish().status());
          RAMET_RETURN_IF_ERROR(follower.Wait(2, 10s).status());
          RAMET_RETURN_IF_ERROR(follower.PublisherStatus().status());
          return follower.Hashes(2, 10s).status();
        }));
      },
      [](int) {}, 60, Ends::kByTerminate);
}

TEST_F(AllocationTest, PublishingFiles) {
  const std::string address = "file:" + prefix_;
  ForEachAllocation(
      [&](int64_t at) {
        Model model;
        if (!model.Set(1).ok()) return kWrong;
        return StatusOf(With(at, [&]() -> Status {
          PublisherOptions options;
          options.graph = false;
          options.retention.at_limit = RetentionOptions::AtLimit::kWait;
          RAMET_ASSIGN_OR_RETURN(Publisher publisher,
                                 Publisher::Open(address, model.session(), options));
          RAMET_RETURN_IF_ERROR(publisher.Publish().status());
          return publisher.Publish().status();
        }));
      },
      [](int) {}, 40, Ends::kByTerminate);
}

}  // namespace
}  // namespace ramet::faults
