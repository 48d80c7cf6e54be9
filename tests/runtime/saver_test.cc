#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "mlp.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Mlp;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class SaverTest : public ::testing::Test {
 protected:
  SaverTest() : dir_(fs::temp_directory_path() / fs::path("ramet-saver-XXXXXX")) {
    std::string name = dir_.string();
    dir_ = mkdtemp(name.data());
  }
  ~SaverTest() override { fs::remove_all(dir_); }
  std::string Path(const std::string& name) const { return (dir_ / name).string(); }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& e : fs::directory_iterator(dir_)) names.push_back(e.path().filename());
    return names;
  }

  fs::path dir_;
};

TEST_F(SaverTest, AnotherSessionContinues) {
  Graph g;
  Mlp mlp(g);
  Saver saver(g);
  Session a = Session::Create(g).value();
  a.Run(mlp.init).value();
  for (int i = 0; i < 10; ++i) a.Run(mlp.Batch(), mlp.train).value();
  std::string path = saver.Save(a, Path("model"), {.global_step = 10}).value();
  EXPECT_EQ(path, Path("model-10"));
  EXPECT_THAT(Files(), UnorderedElementsAre("checkpoint", "model-10.index", "model-10.meta",
                                            "model-10.data-00000-of-00001"));
  Session b = Session::Create(g).value();
  ASSERT_TRUE(saver.Restore(b, path).ok());
  a.Run(mlp.Batch(), mlp.train).value();
  b.Run(mlp.Batch(), mlp.train).value();
  for (const Variable& v : mlp.variables()) {
    EXPECT_TRUE(a.Value(v)->BitwiseEquals(*b.Value(v))) << v.name();
  }
}

TEST_F(SaverTest, AnImportedGraphRunsTheSame) {
  Tensor expected;
  Tensor images;
  {
    Graph g;
    Mlp mlp(g);
    Saver saver(g);
    Session session = Session::Create(g).value();
    session.Run(mlp.init).value();
    saver.Save(session, Path("model")).value();
    expected = session.Run(mlp.Batch(), mlp.out).value();
    images = mlp.images;
  }
  Graph copy;
  auto imported = ImportMetaGraph(copy, Path("model.meta"));
  ASSERT_TRUE(imported.ok()) << imported.status().ToString();
  Session session = Session::Create(copy).value();
  Status restored = imported->saver.Restore(session, LatestCheckpoint(dir_.string()).value());
  ASSERT_TRUE(restored.ok()) << restored.ToString();
  Tensor out = session.Run({{"x:0", images}}, "out:0").value();
  EXPECT_TRUE(out.BitwiseEquals(expected));
  EXPECT_EQ(copy.collections().Get<Variable>("trainable_variables").size(), 4u);
}

TEST_F(SaverTest, KeepsTheNewest) {
  Graph g;
  Mlp mlp(g);
  Saver saver(g, {.max_to_keep = 2});
  Session session = Session::Create(g).value();
  session.Run(mlp.init).value();
  for (int i = 1; i <= 4; ++i) saver.Save(session, Path("m"), {.global_step = i}).value();
  EXPECT_THAT(saver.last_checkpoints(), ElementsAre(Path("m-3"), Path("m-4")));
  EXPECT_FALSE(fs::exists(Path("m-2.index")));
  EXPECT_TRUE(fs::exists(Path("m-3.index")));
  EXPECT_EQ(LatestCheckpoint(dir_.string()).value(), Path("m-4"));
}

TEST_F(SaverTest, MissingCheckpointNamesSimilarOnes) {
  Graph g;
  Mlp mlp(g);
  Saver saver(g);
  Session session = Session::Create(g).value();
  session.Run(mlp.init).value();
  saver.Save(session, Path("model1"), {.global_step = 900}).value();
  Status status = saver.Restore(session, Path("model1-1000"));
  EXPECT_TRUE(IsInvalidArgument(status));
  EXPECT_THAT(status.message(), HasSubstr("The passed save_path is not a valid checkpoint: "));
  EXPECT_THAT(status.message(), HasSubstr("latest is " + Path("model1-900")));
  EXPECT_THAT(saver.Restore(session, "").message(), HasSubstr("'checkpoint' file"));
}

TEST_F(SaverTest, MismatchesSayWhatAndWhere) {
  {
    Graph g;
    Scope s(g);
    s.GetVariable("a", {2}, Zeros());
    Saver saver(g);
    Session session = Session::Create(g).value();
    session.InitializeMissing().value();
    saver.Save(session, Path("m")).value();
  }
  Graph g;
  Scope s(g);
  s.GetVariable("a", {4}, Zeros());
  Saver saver(g);
  Session session = Session::Create(g).value();
  EXPECT_THAT(
      saver.Restore(session, Path("m")).message(),
      HasSubstr("Assign requires shapes of both tensors to match. lhs shape= [4] rhs shape= [2]"));
  Graph h;
  Scope t(h);
  t.GetVariable("c", {2}, Zeros());
  Saver other(h);
  Session second = Session::Create(h).value();
  Status status = other.Restore(second, Path("m"));
  EXPECT_TRUE(IsNotFound(status));
  EXPECT_THAT(status.message(), HasSubstr("Key c not found in checkpoint"));
}

TEST_F(SaverTest, UninitializedVariablesLeaveTheOldCheckpoint) {
  Graph g;
  Mlp mlp(g);
  Saver saver(g);
  Session good = Session::Create(g).value();
  good.Run(mlp.init).value();
  saver.Save(good, Path("m")).value();
  Session bad = Session::Create(g).value();
  EXPECT_TRUE(IsFailedPrecondition(saver.Save(bad, Path("m")).status()));
  EXPECT_TRUE(saver.Restore(bad, Path("m")).ok());
}

TEST_F(SaverTest, RefusesWrongNames) {
  Graph g;
  Mlp mlp(g);
  Saver saver(g);
  Session session = Session::Create(g).value();
  session.Run(mlp.init).value();
  EXPECT_THAT(saver.Save(session, Path("checkpoint")).status().message(),
              HasSubstr("collides with"));
  const Status nowhere = saver.Save(session, Path("no/such/folder/m")).status();
  EXPECT_THAT(nowhere.message(), HasSubstr("Parent directory of"));
  EXPECT_THAT(nowhere.message(), HasSubstr("; No such file or directory)"));
  Graph empty;
  Scope s(empty);
  Constant(empty, 1.0f);
  Saver none(empty);
  EXPECT_THAT(empty.status().message(), HasSubstr("No variables to save"));
}

// Overwrites one prefix repeatedly while it is read.
TEST_F(SaverTest, OverwritingIsAtomicForReaders) {
  Graph g;
  Scope s(g);
  std::vector<Variable> vs;
  for (int i = 0; i < 6; ++i) {
    vs.push_back(s.GetVariable(StrCat("v", i), {1000}, Zeros()));
  }
  Saver saver(g);
  Session writer = Session::Create(g).value();
  auto set_all = [&](float value) {
    for (const Variable& v : vs) {
      Tensor t(kFloat, {1000});
      for (float& f : t.mutable_flat<float>()) f = value;
      ASSERT_TRUE(writer.Assign(v, t).ok());
    }
  };
  set_all(0);
  saver.Save(writer, Path("m")).value();
  std::atomic<bool> done = false;
  std::atomic<int> failures = 0, mixed = 0, reads = 0;
  std::thread reader([&] {
    Graph h;
    auto imported = ImportMetaGraph(h, Path("m.meta")).value();
    Session session = Session::Create(h).value();
    while (!done || reads == 0) {
      if (!imported.saver.Restore(session, Path("m")).ok()) ++failures;
      float first = -1;
      for (const Variable& v : imported.info.variables) {
        Tensor t = session.Value(v).value();
        if (first < 0) first = t.flat<float>()[0];
        for (float f : t.flat<float>()) mixed += f != first;
      }
      ++reads;
    }
  });
  for (int i = 1; i <= 150; ++i) {
    set_all(static_cast<float>(i));
    ASSERT_TRUE(saver.Save(writer, Path("m"), {.write_meta_graph = false}).ok());
  }
  done = true;
  reader.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(mixed, 0);
  EXPECT_GT(reads, 0);
}

TEST_F(SaverTest, TheWatcherSeesEachSave) {
  Graph g;
  Mlp mlp(g);
  Saver saver(g);
  Session session = Session::Create(g).value();
  session.Run(mlp.init).value();
  CheckpointWatcher watcher(dir_.string());
  EXPECT_TRUE(IsNotFound(watcher.Poll().status()));
  EXPECT_TRUE(IsDeadlineExceeded(watcher.Wait(std::chrono::milliseconds(10)).status()));
  saver.Save(session, Path("m"), {.global_step = 5}).value();
  FoundCheckpoint found = watcher.Wait(std::chrono::seconds(30)).value();
  EXPECT_EQ(found.prefix, Path("m-5"));
  EXPECT_EQ(found.step, 5);
  EXPECT_EQ(found.meta_path, Path("m-5.meta"));
  EXPECT_TRUE(IsNotFound(watcher.Poll().status()));
  saver.Save(session, Path("m"), {.global_step = 5}).value();
  EXPECT_TRUE(watcher.Wait(std::chrono::seconds(30)).ok());
}

TEST_F(SaverTest, InitializingAfterARestoreWarnsOnce) {
  Graph g;
  Mlp mlp(g);
  Saver saver(g);
  Session session = Session::Create(g).value();
  session.Run(mlp.init).value();
  saver.Save(session, Path("m")).value();
  std::vector<std::string> messages;
  SetLogSink([&](LogLevel, std::string_view m) { messages.emplace_back(m); });
  ASSERT_TRUE(saver.Restore(session, Path("m")).ok());
  session.Run(mlp.init).value();
  session.Run(mlp.init).value();
  SetLogSink(nullptr);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_THAT(messages[0], HasSubstr("restored values of 4 variables are overwritten"));
}

}  // namespace
}  // namespace ramet
