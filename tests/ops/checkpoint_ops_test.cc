// Tests SaveV2, the other checkpoint ops and the file ops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ramet/base/file.h"
#include "ramet/op/testing/kernel_tester.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class CheckpointOpsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ramet-ops-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string Path(const std::string& name) const { return (dir_ / name).string(); }

  using Words = std::vector<std::string>;
  static Status Save(const std::string& prefix, const Words& names, const Words& slices,
                     const std::vector<Tensor>& tensors) {
    KernelTester tester("SaveV2");
    tester.Input(prefix).Input(Tensor::Vector(names)).Input(Tensor::Vector(slices));
    for (const Tensor& t : tensors) tester.Input(t);
    return tester.Run().status();
  }
  static StatusOr<std::vector<Tensor>> Restore(const std::string& prefix, const Words& names,
                                               const Words& slices, std::vector<DType> dtypes) {
    return KernelTester("RestoreV2")
        .Input(prefix)
        .Input(Tensor::Vector(names))
        .Input(Tensor::Vector(slices))
        .Attr("dtypes", std::move(dtypes))
        .Run();
  }

  fs::path dir_;
};

TEST_F(CheckpointOpsTest, RestoresSavedTensors) {
  const Tensor floats = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor words = Tensor::Vector<std::string>({"", "word"});
  ASSERT_TRUE(Save(Path("m"), {"f", "s"}, {"", ""}, {floats, words}).ok());
  auto restored = Restore(Path("m"), {"s", "f"}, {"", ""}, {kString, kFloat}).value();
  EXPECT_TRUE(restored[0].BitwiseEquals(words));
  EXPECT_TRUE(restored[1].BitwiseEquals(floats));
}

TEST_F(CheckpointOpsTest, SlicesOfOneTensor) {
  const Tensor top = Tensor::Of<float>({1, 2}, {1, 2}),
               rest = Tensor::Of<float>({2, 2}, {3, 4, 5, 6});
  ASSERT_TRUE(Save(Path("m"), {"w", "w"}, {"3 2 0,1:0,2", "3 2 1,2:0,2"}, {top, rest}).ok());
  auto restored = Restore(Path("m"), {"w", "w"}, {"", "3 2 1,1:-"}, {kFloat, kFloat}).value();
  EXPECT_TRUE(restored[0].BitwiseEquals(Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6})));
  EXPECT_TRUE(restored[1].BitwiseEquals(Tensor::Of<float>({1, 2}, {3, 4})));
}

TEST_F(CheckpointOpsTest, Errors) {
  const Tensor f = Tensor::Vector<float>({1, 2});
  EXPECT_THAT(Save(Path("m"), {"a"}, {"", ""}, {f}).message(),
              HasSubstr("must have one entry for each of the 1 tensors, but they have 1 and 2"));
  EXPECT_THAT(Save(Path("m"), {"a", "a"}, {"", ""}, {f, f}).message(),
              HasSubstr("Adding duplicate key: a"));
  EXPECT_THAT(Save(Path("m"), {"a"}, {"4 0,3"}, {f}).message(),
              HasSubstr("the slice '4 0,3' has shape [3], but the tensor to save has [2]"));
  EXPECT_FALSE(fs::exists(Path("m.index")));
  ASSERT_TRUE(Save(Path("m"), {"a", "b"}, {"", ""}, {f, f}).ok());
  EXPECT_THAT(Restore(Path("m"), {"c"}, {""}, {kFloat}).status().message(),
              HasSubstr("Key c not found in checkpoint"));
  EXPECT_THAT(
      Restore(Path("m"), {"a", "b"}, {"", ""}, {kInt32, kInt64}).status().message(),
      HasSubstr("tensor_name = a; expected dtype int32 does not equal original dtype float\n"
                "tensor_name = b; expected dtype int64 does not equal original dtype float"));
  EXPECT_TRUE(IsNotFound(Restore(Path("other"), {"a"}, {""}, {kFloat}).status()));
}

TEST_F(CheckpointOpsTest, ShardsAreMerged) {
  auto shard = [](int i) {
    return KernelTester("ShardedFilename").Input("part").Input(Tensor(i)).Input(Tensor(2)).RunOne();
  };
  EXPECT_EQ(shard(1).value().scalar<std::string>(), "part-00001-of-00002");
  std::vector<std::string> prefixes;
  for (int i : {0, 1}) {
    prefixes.push_back(Path("m_temp/" + shard(i).value().scalar<std::string>()));
    ASSERT_TRUE(
        Save(prefixes.back(), {StrCat("v", i)}, {""}, {Tensor::Vector<int32_t>({i, i})}).ok());
  }
  Status merged = KernelTester("MergeV2Checkpoints")
                      .Input(Tensor::Vector(prefixes))
                      .Input(Path("m"))
                      .Run()
                      .status();
  ASSERT_TRUE(merged.ok()) << merged.ToString();
  EXPECT_FALSE(fs::exists(Path("m_temp")));
  auto restored = Restore(Path("m"), {"v1", "v0"}, {"", ""}, {kInt32, kInt32}).value();
  EXPECT_THAT(restored[0].flat<int32_t>(), ElementsAre(1, 1));
  EXPECT_THAT(restored[1].flat<int32_t>(), ElementsAre(0, 0));
  auto spec = KernelTester("ShardedFilespec").Input("p").Input(Tensor(12)).RunOne().value();
  EXPECT_EQ(spec.scalar<std::string>(), "p-\?\?\?\?\?-of-00012");
}

TEST_F(CheckpointOpsTest, V1IsSavedAndRestored) {
  const Tensor top = Tensor::Of<float>({1, 2}, {1, 2}),
               rest = Tensor::Of<float>({2, 2}, {3, 4, 5, 6}), step = Tensor(int64_t{7});
  const auto saved = KernelTester("SaveSlices")
                         .Input(Path("s-00000-of-00001"))
                         .Input(Tensor::Vector<std::string>({"w", "w", "step"}))
                         .Input(Tensor::Vector<std::string>({"3 2 0,1:-", "3 2 1,2:-", ""}))
                         .Input(top)
                         .Input(rest)
                         .Input(step)
                         .Run();
  ASSERT_TRUE(saved.ok()) << saved.status().ToString();
  const std::string pattern = Path("s-\?\?\?\?\?-of-00001");
  const auto restore = [&](const std::string& name, const std::string& slice) {
    KernelTester tester("RestoreSlice");
    tester.Input(pattern).Input(name).Input(slice).Attr("dt", kFloat);
    return tester.RunOne();
  };
  EXPECT_TRUE(restore("w", "3 2 1,1:-")->BitwiseEquals(Tensor::Of<float>({1, 2}, {3, 4})));
  EXPECT_TRUE(restore("w", "")->BitwiseEquals(Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6})));
  EXPECT_THAT(restore("q", "").status().message(),
              HasSubstr("Tensor name \"q\" not found in checkpoint files " + pattern));
  auto both = Restore(pattern, {"step", "w"}, {"", "3 2 0,1:0,1"}, {kInt64, kFloat}).value();
  EXPECT_EQ(both[0].scalar<int64_t>(), 7);
  EXPECT_TRUE(both[1].BitwiseEquals(Tensor::Of<float>({1, 1}, {1})));
}

TEST_F(CheckpointOpsTest, V1WholeTensorsAndErrors) {
  const auto save = [&](const std::vector<std::string>& names) {
    return KernelTester("Save")
        .Input(Path("v"))
        .Input(Tensor::Vector(names))
        .Input(Tensor(1.5f))
        .Run();
  };
  EXPECT_THAT(save({"a", "b"}).status().message(),
              HasSubstr("Expected totally 4 inputs as input #1 (which is a string tensor of saved "
                        "names) contains 2 names, but received 3 inputs"));
  EXPECT_FALSE(fs::exists(Path("v")));
  ASSERT_TRUE(save({"a"}).ok());
  const auto restore = [&](DType dtype, int64_t shard) {
    KernelTester tester("Restore");
    tester.Input(Path("v")).Input("a").Attr("dt", dtype).Attr("preferred_shard", shard);
    return tester.RunOne();
  };
  EXPECT_EQ(restore(kFloat, 0)->scalar<float>(), 1.5f);
  EXPECT_THAT(restore(kFloat, -2).status().message(),
              HasSubstr("Attribute 'preferred_shard' must be greater or equal to -1"));
  EXPECT_THAT(restore(kInt32, -1).status().message(),
              HasSubstr("Expected to restore a tensor of type int32, got a tensor of type float"));
  const auto slices = KernelTester("SaveSlices")
                          .Input(Path("w"))
                          .Input("a")
                          .Input("4 0,3")
                          .Input(Tensor::Vector<float>({1, 2}))
                          .Run();
  EXPECT_THAT(slices.status().message(),
              HasSubstr("does not match the shape of the tensor to  save: 4 0,3, tensor: [2]"));
}

TEST_F(CheckpointOpsTest, InvalidShardNumbersArePrintedAsInTensorFlow) {
  KernelTester name("ShardedFilename");
  name.Input("b").Input(Tensor(-1)).Input(Tensor(123456));
  EXPECT_EQ(name.RunOne()->scalar<std::string>(), "b--0001-of-123456");
}

TEST_F(CheckpointOpsTest, FilesAreWrittenReadAndFound) {
  const std::string path = Path("new/folder/b.txt");
  ASSERT_TRUE(KernelTester("WriteFile").Input(path).Input(Tensor("bytes\n")).Run().ok());
  ASSERT_TRUE(
      KernelTester("WriteFile").Input(Path("new/folder/a.txt")).Input(Tensor("")).Run().ok());
  EXPECT_EQ(KernelTester("ReadFile").Input(path).RunOne().value().scalar<std::string>(), "bytes\n");
  auto found = KernelTester("MatchingFiles").Input(Path("new/folder/*.txt")).RunOne().value();
  EXPECT_THAT(found.flat<std::string>(), ElementsAre(Path("new/folder/a.txt"), path));
  Status missing = KernelTester("ReadFile").Input(Path("none")).Run().status();
  EXPECT_TRUE(IsNotFound(missing));
  EXPECT_THAT(missing.message(), HasSubstr(Path("none")));
}

}  // namespace
}  // namespace ramet
