#include "ramet/backends/gpu/codegen/compile_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "ramet/backends/gpu/codegen/dialect.h"
#include "ramet/backends/gpu/testing/test_device.h"
#include "ramet/base/file.h"
#include "ramet/base/scratch_dir.h"

namespace ramet::gpu {
namespace {

// A module that is its source.
class TextModule final : public DriverModule {
 public:
  explicit TextModule(std::string text) : text_(std::move(text)) {}
  StatusOr<std::unique_ptr<DriverFunction>> Function(const std::string&) override {
    return NotFound("a text has no kernels");
  }
  StatusOr<std::string> Binary() const override { return text_; }

 private:
  std::string text_;
};

// A device that compiles nothing, but counts.
class TextDevice final : public DriverDevice {
 public:
  const DriverDeviceInfo& info() const override { return info_; }
  StatusOr<std::unique_ptr<DriverMemory>> Allocate(size_t) override { return Unimplemented("-"); }
  StatusOr<std::unique_ptr<DriverQueue>> MakeQueue() override { return Unimplemented("-"); }
  StatusOr<std::unique_ptr<DriverModule>> Compile(const std::string& source,
                                                  const std::string&) override {
    return std::unique_ptr<DriverModule>(std::make_unique<TextModule>(source));
  }
  StatusOr<std::unique_ptr<DriverModule>> Load(std::string_view binary,
                                               const std::string&) override {
    if (refuses) return InvalidArgument("refused");
    return std::unique_ptr<DriverModule>(std::make_unique<TextModule>(std::string(binary)));
  }

  TextDevice() {
    info_.name = "text";
    info_.driver_version = "1";
  }
  bool refuses = false;
  DriverDeviceInfo info_;
};

class CompileCacheTest : public ::testing::Test {
 protected:
  std::string folder() const { return dir_ / "cache"; }
  std::vector<std::string> Entries() const { return ListDir(folder()).value(); }
  // Compiles in a new cache, as a new process does, and reports whether it compiled.
  bool Compiles(const std::string& source) {
    CompileCache cache(folder());
    const auto module = cache.Compile(device_, source, "-O");
    EXPECT_EQ(module.value()->Binary().value(), source);
    return cache.counts().compiled == 1;
  }

  ScratchDir dir_;
  TextDevice device_;
};

TEST_F(CompileCacheTest, ALaterProcessCompilesNothing) {
  EXPECT_TRUE(Compiles("a"));
  EXPECT_FALSE(Compiles("a"));
  EXPECT_TRUE(Compiles("b"));
  EXPECT_EQ(Entries().size(), 2u);
}

TEST_F(CompileCacheTest, DependsOnDeviceAndDriver) {
  EXPECT_TRUE(Compiles("a"));
  device_.info_.driver_version = "2";
  EXPECT_TRUE(Compiles("a"));
  device_.info_.name = "other";
  EXPECT_TRUE(Compiles("a"));
}

TEST_F(CompileCacheTest, DamagedEntriesAreCompiledAgain) {
  EXPECT_TRUE(Compiles("a program"));
  const std::string path = folder() + "/" + Entries()[0];
  std::string bytes = ReadFile(path).value();
  for (const std::string& damaged :
       {bytes.substr(0, bytes.size() - 1), bytes.substr(0, 5), std::string(), bytes + "x"}) {
    ASSERT_TRUE(AtomicWriteFile(path, damaged).ok());
    EXPECT_TRUE(Compiles("a program")) << damaged;
    EXPECT_FALSE(Compiles("a program"));
  }
  device_.refuses = true;
  EXPECT_TRUE(Compiles("a program"));
}

TEST_F(CompileCacheTest, IsBoundedInSize) {
  constexpr uint64_t kMaxBytes = 10000;
  CompileCache cache(folder(), kMaxBytes);
  for (int i = 0; i < 40; ++i) {
    cache.Compile(device_, std::string(1000, 'a' + i % 26) + std::to_string(i), "").value();
    uint64_t bytes = 0;
    for (const std::string& name : Entries()) bytes += ReadFile(folder() + "/" + name)->size();
    ASSERT_LE(bytes, kMaxBytes);
  }
  EXPECT_GE(Entries().size(), 5u);
}

TEST_F(CompileCacheTest, IsNotUsedIfOthersMayWriteIt) {
  ASSERT_TRUE(CreateDir(folder()).ok());
  ASSERT_EQ(chmod(folder().c_str(), 0777), 0);
  EXPECT_TRUE(Compiles("a"));
  EXPECT_TRUE(Compiles("a"));
  EXPECT_TRUE(Entries().empty());
}

TEST_F(CompileCacheTest, AFolderThatDisappearsIsMadeAgain) {
  CompileCache cache(folder());
  for (const char* source : {"a", "b", "a"}) {
    ASSERT_TRUE(cache.Compile(device_, source, "-O").ok());
    for (const std::string& name : Entries()) ASSERT_TRUE(RemoveFile(folder() + "/" + name).ok());
    ASSERT_TRUE(RemoveDir(folder()).ok());
  }
  EXPECT_EQ(cache.counts().compiled, 3);
  EXPECT_TRUE(Compiles("a"));
  EXPECT_FALSE(Compiles("a"));
}

TEST_F(CompileCacheTest, EntriesThatCannotBeReadAreCompiledAgain) {
  EXPECT_TRUE(Compiles("a"));
  const std::string path = folder() + "/" + Entries()[0];
  ASSERT_TRUE(RemoveFile(path).ok());
  ASSERT_TRUE(CreateDir(path).ok());  // root reads files without permission, but no folders
  EXPECT_TRUE(Compiles("a"));
  ASSERT_TRUE(RemoveDir(path).ok());
  EXPECT_TRUE(Compiles("a"));
  EXPECT_FALSE(Compiles("a"));
}

TEST_F(CompileCacheTest, IsClearedWhileOthersFillIt) {
  std::thread filler([&] {
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 10; ++i) Compiles("program " + std::to_string(i));
    }
  });
  for (int i = 0; i < 200; ++i) {
    const auto removed = CompileCache::Clear(folder());
    EXPECT_TRUE(removed.ok()) << removed.status().ToString();
  }
  filler.join();
  CompileCache::Clear(folder()).value();
  EXPECT_EQ(CompileCache::UsageOf(folder())->entries, 0);
  EXPECT_TRUE(Compiles("a"));
  EXPECT_EQ(CompileCache::UsageOf(folder())->entries, 1);
  EXPECT_GT(CompileCache::UsageOf(folder())->bytes, 0u);
  EXPECT_EQ(CompileCache::UsageOf("")->entries, 0);
}

TEST_F(CompileCacheTest, WithoutAFolderEveryProcessCompiles) {
  for (int i = 0; i < 2; ++i) {
    CompileCache cache("");
    cache.Compile(device_, "a", "").value();
    EXPECT_EQ(cache.counts().compiled, 1);
  }
}

TEST_F(CompileCacheTest, SeveralProcessesFillIt) {
  const auto fill = [&] {
    for (int i = 0; i < 50; ++i) Compiles("program " + std::to_string(i));
  };
  std::vector<pid_t> children;
  for (int p = 0; p < 4; ++p) {
    children.push_back(fork());
    if (children.back() == 0) {
      fill();
      _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
  }
  for (pid_t child : children) {
    int state = 1;
    ASSERT_EQ(waitpid(child, &state, 0), child);
    EXPECT_EQ(state, 0);
  }
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(Compiles("program " + std::to_string(i)));
  EXPECT_EQ(Entries().size(), 50u);  // no temporary files
}

TEST_F(CompileCacheTest, KeepsModulesOfOpenCl) {
  RAMET_NEEDS_OPENCL_CPU();
  DriverDevice& device = *TestDriverDevice();
  const std::string source =
      DialectPrelude(device.info().language, device.info().has_double, false) +
      "KERNEL(one)(GLOBAL STORED(f16)* x) { FOR_EACH(i, 1) STORE(f16, x, i, 1.0f); }";
  for (int64_t compiled : {1, 0}) {
    CompileCache cache(folder());
    auto module = cache.Compile(device, source, DialectOptions(device.info().language));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    EXPECT_EQ(cache.counts().compiled, compiled);
    EXPECT_TRUE((*module)->Function("one").ok());
  }
}

}  // namespace
}  // namespace ramet::gpu
