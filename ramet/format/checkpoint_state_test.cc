#include "ramet/format/checkpoint_state.h"

#include <gtest/gtest.h>

#include "ramet/format/bundle_testing.h"

namespace ramet {
namespace {

using Paths = std::vector<std::string>;

CheckpointStateInfo State(const std::string& path, Paths all = {}) {
  return {path, std::move(all), {}, {}};
}

StatusOr<CheckpointStateInfo> ReadText(const std::string& text) {
  ScratchDir dir;
  EXPECT_TRUE(AtomicWriteFile(dir / "checkpoint", text).ok());
  return ReadCheckpointState(dir.path());
}

TEST(CheckpointState, IsWrittenAsTensorFlowWritesIt) {
  ScratchDir dir;
  ASSERT_TRUE(WriteCheckpointState(dir.path(), State("/d/m-4", {"/d/m-2"})).ok());
  EXPECT_EQ(ReadFile(dir / "checkpoint").value(),
            "model_checkpoint_path: \"/d/m-4\"\n"
            "all_model_checkpoint_paths: \"/d/m-2\"\n"
            "all_model_checkpoint_paths: \"/d/m-4\"\n");
  ASSERT_TRUE(
      WriteCheckpointState(dir.path(), State("/d/a\"b\t\xC3\xA9"), {.filename = "latest"}).ok());
  EXPECT_EQ(ReadFile(dir / "latest").value(),
            "model_checkpoint_path: \"/d/a\\\"b\\t\xC3\xA9\"\n"
            "all_model_checkpoint_paths: \"/d/a\\\"b\\t\xC3\xA9\"\n");
  EXPECT_EQ(ReadCheckpointState(dir.path(), "latest")->model_checkpoint_path, "/d/a\"b\t\xC3\xA9");
}

TEST(CheckpointState, RelativePaths) {
  const auto recorded = [](const std::string& dir, const std::string& path, Paths all = {}) {
    return MakeCheckpointState(dir, State(path, std::move(all))).value();
  };
  EXPECT_EQ(recorded("", "rel").model_checkpoint_path, "rel");
  EXPECT_EQ(recorded(".", "./rel2").model_checkpoint_path, "rel2");
  EXPECT_EQ(recorded("sub", "sub/m", {"rel", "/abs/x"}).all_model_checkpoint_paths,
            (Paths{"../rel", "/abs/x", "m"}));
  EXPECT_EQ(recorded("sub/", "sub/m").model_checkpoint_path, "m");
  EXPECT_EQ(recorded("/d", "rel").model_checkpoint_path, "rel");
  EXPECT_EQ(
      MakeCheckpointState("/d/e", State("/d/e/m", {"/d/f/x"}), true)->all_model_checkpoint_paths,
      (Paths{"../f/x", "m"}));
}

TEST(CheckpointState, ReadsAnyVariantOfTheTextFormat) {
  const CheckpointStateInfo state =
      ReadText(
          "# comment\n model_checkpoint_path : 'm-2' all_model_checkpoint_paths: [\"m\\x2d1\", "
          "\"/abs\"];"
          "all_model_checkpoint_timestamps: 1\nall_model_checkpoint_timestamps: 2.5e0\n"
          "last_preserved_timestamp: 7")
          .value();
  EXPECT_EQ(Basename(state.model_checkpoint_path), "m-2");
  EXPECT_TRUE(IsAbsolutePath(state.model_checkpoint_path));
  EXPECT_EQ(Basename(state.all_model_checkpoint_paths[0]), "m-1");
  EXPECT_EQ(state.all_model_checkpoint_paths[1], "/abs");
  EXPECT_EQ(state.all_model_checkpoint_timestamps, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(state.last_preserved_timestamp, 7);
}

TEST(CheckpointState, RefusesOtherContent) {
  ScratchDir dir;
  EXPECT_TRUE(IsNotFound(ReadCheckpointState(dir.path()).status()));
  ExpectError(ReadText("").status(), Code::kInvalidArgument,
              "Invalid checkpoint state loaded from ");
  ExpectError(ReadText("model_checkpoint_path: \"m").status(), Code::kDataLoss, "line 1, column ");
  ExpectError(ReadText("model_checkpoint_path: \"a\"\nno_such_field: 1").status(), Code::kDataLoss,
              "line 2");
  ExpectError(ReadText(std::string(1 << 20, 'x')).status(), Code::kDataLoss, "line 1");
  ExpectError(ReadText("model_checkpoint_path: \"a\\000b\"").status(), Code::kDataLoss, "NUL byte");
  ExpectError(ReadText("model_checkpoint_path: \"" + std::string(4096, 'p') + "\"").status(),
              Code::kDataLoss, "a checkpoint path in it has 4096 bytes");
  EXPECT_TRUE(ReadText("model_checkpoint_path: \"" + std::string(4095, 'p') + "\"").ok());
}

TEST(CheckpointState, ErrorsOfWriting) {
  ScratchDir dir;
  ExpectError(WriteCheckpointState(dir.path(), State(dir / "checkpoint")),
              Code::kFailedPrecondition,
              "conflicts with path used for checkpoint state.  Please use a different save path.");
  CheckpointStateInfo state = State("/m", {"/l", "/m"});
  state.all_model_checkpoint_timestamps = {1};
  ExpectError(WriteCheckpointState(dir.path(), state), Code::kInvalidArgument,
              "Checkpoint timestamps, if provided, must match checkpoint paths (got paths /l, /m "
              "and timestamps 1)");
}

TEST(LatestCheckpoint, NamesAnExistingCheckpoint) {
  ScratchDir dir;
  ExpectError(LatestCheckpoint(dir.path()).status(), Code::kNotFound,
              "no 'checkpoint' file in the folder");
  ASSERT_TRUE(WriteCheckpointState(dir.path(), State(dir / "m-1")).ok());
  ExpectError(LatestCheckpoint(dir.path()).status(), Code::kNotFound, "there is neither ");
  ASSERT_TRUE(Save(dir / "m-1", {{"a", Tensor(1.f)}}).ok());
  EXPECT_EQ(LatestCheckpoint(dir.path()).value(), dir / "m-1");
  ASSERT_TRUE(AtomicWriteFile(dir / "checkpoint", "model_checkpoint_path: 'checkpoint'").ok());
  EXPECT_EQ(LatestCheckpoint(dir.path()).value(), dir / "checkpoint");
}

}  // namespace
}  // namespace ramet
