// Tests the options of Saver and the iterator over checkpoints. tests/oracle/saver_options_test.py
// compares them with TensorFlow.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "ramet/base/scratch_dir.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class SaverOptionsTest : public ::testing::Test {
 protected:
  SaverOptionsTest() : scope_(graph_) {}

  Variable NewVariable(const std::string& name, const Shape& shape,
                       const std::string& device = "") {
    Scope there = scope_.Device(device);
    return there.GetVariable(name, shape, Zeros());
  }

  Session NewSession() {
    SessionOptions options;
    options.device_count = {{"CPU", 2}};
    Session session = Session::Create(graph_, options).value();
    session.InitializeMissing().value();
    return session;
  }

  static void Fill(Session& session, const Variable& v, float value) {
    Tensor t(kFloat, v.shape());
    for (float& f : t.mutable_flat<float>()) f = value;
    ASSERT_TRUE(session.Assign(v, t).ok());
  }

  static std::vector<float> Values(const Session& session, const Variable& v) {
    const Tensor t = session.Value(v).value();
    return {t.flat<float>().begin(), t.flat<float>().end()};
  }

  std::vector<std::string> Files(const std::string& suffix = "") const {
    std::vector<std::string> names;
    for (const auto& e : fs::directory_iterator(dir_.path())) {
      const std::string name = e.path().filename();
      if (name.ends_with(suffix)) names.push_back(name);
    }
    return names;
  }

  ScratchDir dir_;
  Graph graph_;
  Scope scope_;
};

TEST_F(SaverOptionsTest, ShardedWritesAFileForEachDevice) {
  Variable a = NewVariable("a", {2}), b = NewVariable("b", {2}, "/cpu:1");
  Saver saver(graph_, {.sharded = true});
  Session session = NewSession();
  Fill(session, a, 1);
  Fill(session, b, 2);
  EXPECT_EQ(saver.Save(session, dir_ / "m").value(), dir_ / "m");
  EXPECT_THAT(Files(), UnorderedElementsAre("checkpoint", "m.index", "m.meta",
                                            "m.data-00000-of-00002", "m.data-00001-of-00002"));
  Session other = NewSession();
  ASSERT_TRUE(saver.Restore(other, dir_ / "m").ok());
  EXPECT_THAT(Values(other, a), ElementsAre(1, 1));
  EXPECT_THAT(Values(other, b), ElementsAre(2, 2));
  EXPECT_TRUE(saver.definition().sharded);
}

TEST_F(SaverOptionsTest, ImportedNodesSaveAndRestoreByName) {
  Variable a = NewVariable("a", {2});
  NewVariable("b", {2}, "/cpu:1");
  Saver saver(graph_, {.sharded = true});
  Session session = NewSession();
  Fill(session, a, 1);
  saver.Save(session, dir_ / "m").value();

  Graph copy;
  ASSERT_TRUE(ImportMetaGraphFile(copy, dir_ / "m.meta").ok());
  SessionOptions two;
  two.device_count = {{"CPU", 2}};
  Session imported = Session::Create(copy, two).value();
  ASSERT_TRUE(imported.Run({{"save/Const:0", Tensor(dir_ / "m")}}, "save/restore_all").ok());
  EXPECT_EQ(imported.Run("a:0").value().flat<float>()[1], 1);
  auto saved = imported.Run({{"save/Const:0", Tensor(dir_ / "n")}}, "save/Identity:0").value();
  EXPECT_EQ(saved.scalar<std::string>(), dir_ / "n");
  Fill(session, a, 5);
  ASSERT_TRUE(saver.Restore(session, dir_ / "n").ok());
  EXPECT_THAT(Values(session, a), ElementsAre(1, 1));
}

TEST_F(SaverOptionsTest, PartsAreOneTensorOfTheCheckpoint) {
  std::vector<Variable> parts;
  for (int i = 0; i < 2; ++i) {
    VariableRecord record = NewVariable(StrCat("p/part_", i), {2, 3}).record();
    record.save_slice_info = SaveSliceInfo{"p", {4, 3}, {2 * i, 0}, {2, 3}};
    parts.push_back(Variable(&graph_, graph_.AddVariable(record)));
  }
  Variable whole = NewVariable("whole", {4, 3});
  Saver saver(graph_, {.var_map = {{"w", parts}}});
  Session session = NewSession();
  Fill(session, parts[0], 1);
  Fill(session, parts[1], 2);
  saver.Save(session, dir_ / "m").value();
  Saver as_whole(graph_, {.var_map = {{"w", whole}}});
  ASSERT_TRUE(as_whole.Restore(session, dir_ / "m").ok());
  EXPECT_THAT(Values(session, whole), ElementsAre(1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2));
}

// A weight that is stored in a checkpoint as half of its value, under its own key.
TEST_F(SaverOptionsTest, AnObjectCustomizesSavingAndRestoring) {
  Variable w = NewVariable("w", {2}), other = NewVariable("other", {2});
  SaveableObject half;
  half.name = "half";
  half.specs = {{w.value() / Input(2.0f), "", "half/of_w"}};
  half.restore = [&](const std::vector<Output>& read, const std::vector<Input>&) {
    return AddOp(graph_, "Assign", {w.ref(), read[0] * Input(2.0f)});
  };
  Saver saver(graph_, {.saveable_objects = {half}});
  Session session = NewSession();
  Fill(session, w, 6);
  Fill(session, other, 1);
  const std::string prefix = saver.Save(session, dir_ / "m").value();
  CheckpointReader reader = CheckpointReader::Open(prefix).value();
  EXPECT_THAT(reader.Read("half/of_w").value().flat<float>(), ElementsAre(3, 3));
  EXPECT_TRUE(IsNotFound(reader.Read("w").status()));
  Fill(session, w, 0);
  ASSERT_TRUE(saver.Restore(session, prefix).ok());
  EXPECT_THAT(Values(session, w), ElementsAre(6, 6));
  EXPECT_THAT(Values(session, other), ElementsAre(1, 1));
}

TEST_F(SaverOptionsTest, ObjectsThatCannotBeSaved) {
  const auto error_of = [](auto&& change) {
    Graph graph, another;
    Scope scope(graph), scope_of_another(another);
    Variable w = scope.GetVariable("w", {2}, Zeros());
    SaverOptions options;
    SaveableObject object;
    object.name = "o";
    object.specs = {{w.value(), "", "o/w"}};
    object.restore = [w](const std::vector<Output>& read, const std::vector<Input>&) {
      return AddOp(*read[0].graph(), "Assign", {w.ref(), read[0]});
    };
    change(object, options, scope_of_another.Placeholder("x", kFloat));
    options.saveable_objects.push_back(object);
    Saver saver(graph, options);
    EXPECT_TRUE(IsInvalidArgument(graph.status())) << graph.status().ToString();
    return graph.status().message();
  };
  using Object = SaveableObject;
  using Options = SaverOptions;
  EXPECT_THAT(error_of([](Object& o, Options&, Output) { o.specs.clear(); }),
              HasSubstr("saveable object 'o' needs at least one spec and a restore function"));
  EXPECT_THAT(error_of([](Object& o, Options&, Output) { o.restore = nullptr; }),
              HasSubstr("needs at least one spec and a restore function"));
  EXPECT_THAT(error_of([](Object& o, Options&, Output x) { o.specs[0].tensor = x; }),
              HasSubstr("saveable object 'o': the tensor of 'o/w' is not in this graph"));
  EXPECT_THAT(error_of([](Object& o, Options& all, Output) { all.saveable_objects = {o}; }),
              HasSubstr("At least two variables have the same name: o"));
  EXPECT_THAT(error_of([](Object& o, Options&, Output) {
                o.restore = [](const auto&, const auto&) { return Operation(); };
              }),
              HasSubstr("'o': its restore function did not return an operation of this graph"));
}

TEST_F(SaverOptionsTest, ReshapeRestoresAnotherShape) {
  Variable a = NewVariable("a", {2, 3}), b = NewVariable("b", {6});
  Saver saver(graph_, {.var_map = {{"x", a}}});
  Session session = NewSession();
  Fill(session, a, 4);
  saver.Save(session, dir_ / "m").value();
  EXPECT_THAT(Saver(graph_, {.var_map = {{"x", b}}}).Restore(session, dir_ / "m").message(),
              HasSubstr("lhs shape= [6] rhs shape= [2,3]"));
  Saver reshape(graph_, {.var_map = {{"x", b}}, .reshape = true});
  ASSERT_TRUE(reshape.Restore(session, dir_ / "m").ok());
  EXPECT_THAT(Values(session, b), ElementsAre(4, 4, 4, 4, 4, 4));
}

TEST_F(SaverOptionsTest, TheStepMayBeAVariable) {
  Variable a = NewVariable("a", {2});
  Variable step = scope_.NewVariable(Tensor(int64_t{42}), "step");
  Saver saver(graph_, {.pad_step_number = true});
  Session session = NewSession();
  EXPECT_EQ(saver.Save(session, dir_ / "m", {.global_step = step}).value(), dir_ / "m-00000042");
  EXPECT_EQ(saver.Save(session, dir_ / "m", {.global_step = "step:0"}).value(),
            dir_ / "m-00000042");
  EXPECT_THAT(saver.Save(session, dir_ / "m", {.global_step = a}).status().message(),
              HasSubstr("global_step must be a scalar number, but it is a float[2]"));
}

TEST_F(SaverOptionsTest, AStepMustFitInAnInteger) {
  Variable fraction = scope_.NewVariable(Tensor(7.9), "fraction");
  Variable huge = scope_.NewVariable(Tensor(1e19), "huge");
  Variable nan = scope_.NewVariable(Tensor(std::numeric_limits<float>::quiet_NaN()), "nan");
  Saver saver(graph_);
  Session session = NewSession();
  EXPECT_EQ(saver.Save(session, dir_ / "m", {.global_step = fraction}).value(), dir_ / "m-7");
  for (const Variable& step : {huge, nan}) {
    EXPECT_THAT(saver.Save(session, dir_ / "m", {.global_step = step}).status().message(),
                HasSubstr("global_step must be a number that fits in 64 bits"));
  }
}

TEST_F(SaverOptionsTest, TheLastMetaFileOfItsPathStays) {
  NewVariable("a", {2});
  Saver saver(graph_, {.max_to_keep = 2});
  Session session = NewSession();
  auto save = [&](int step, bool meta) {
    saver.Save(session, dir_ / "m", {.global_step = step, .write_meta_graph = meta}).value();
  };
  save(1, true);
  for (int i = 2; i <= 4; ++i) save(i, false);
  EXPECT_THAT(Files(".index"), UnorderedElementsAre("m-3.index", "m-4.index"));
  EXPECT_THAT(Files(".meta"), ElementsAre("m-1.meta"));
  save(5, true);
  EXPECT_THAT(Files(".meta"), ElementsAre("m-5.meta"));
}

TEST_F(SaverOptionsTest, DeferredBuild) {
  NewVariable("a", {2});
  Saver saver(graph_, {.defer_build = true});
  Session session = NewSession();
  EXPECT_THAT(saver.Save(session, dir_ / "m").status().message(), HasSubstr("`build()` should be"));
  NewVariable("b", {2});
  ASSERT_TRUE(saver.Build().ok());
  const int operations = graph_.num_operations();
  ASSERT_TRUE(saver.Build().ok());
  EXPECT_EQ(graph_.num_operations(), operations);
  session.InitializeMissing().value();
  saver.Save(session, dir_ / "m").value();
  EXPECT_EQ(BundleReader::Open(dir_ / "m")->List()->size(), 2u);
}

TEST_F(SaverOptionsTest, AnEmptySaverWritesTheGraphAlone) {
  Constant(graph_, 1.0f);
  Saver saver(graph_, {.allow_empty = true});
  ASSERT_TRUE(graph_.status().ok());
  Session session = NewSession();
  EXPECT_EQ(saver.Save(session, dir_ / "m").value(), "");
  EXPECT_THAT(Files(), ElementsAre("m.meta"));
  EXPECT_TRUE(saver.Restore(session, "").ok());
  EXPECT_TRUE(saver.empty());
}

TEST_F(SaverOptionsTest, ASaverDefMakesTheSameSaver) {
  Variable a = NewVariable("a", {2});
  Saver saver(graph_, {.max_to_keep = 3, .name = "s/save"});
  Session session = NewSession();
  const std::string proto = saver.ToProto("s").value();
  Saver copy = Saver::FromProto(graph_, proto, "s").value();
  EXPECT_EQ(copy.definition(), saver.definition());
  Fill(session, a, 3);
  copy.Save(session, dir_ / "m").value();
  Fill(session, a, 4);
  ASSERT_TRUE(saver.Restore(session, dir_ / "m").ok());
  EXPECT_THAT(Values(session, a), ElementsAre(3, 3));
  EXPECT_TRUE(IsNotFound(saver.ToProto("other").status()));
  EXPECT_TRUE(IsDataLoss(Saver::FromProto(graph_, "\xff\xff").status()));
  EXPECT_THAT(Saver::FromProto(graph_, "").status().message(), HasSubstr("save_tensor_name"));
}

TEST_F(SaverOptionsTest, ARecoveredListContinues) {
  NewVariable("a", {2});
  Session session = NewSession();
  Saver first(graph_, {.max_to_keep = 2});
  for (int i = 1; i <= 2; ++i) first.Save(session, dir_ / "m", {.global_step = i}).value();
  Saver second(graph_, {.max_to_keep = 2});
  second.RecoverLastCheckpoints({dir_ / "m-1", dir_ / "gone", dir_ / "m-2"});
  second.Save(session, dir_ / "m", {.global_step = 3}).value();
  EXPECT_THAT(second.last_checkpoints(), ElementsAre(dir_ / "m-2", dir_ / "m-3"));
  EXPECT_THAT(Files(".index"), UnorderedElementsAre("m-2.index", "m-3.index"));
}

// The kernel refuses to write more than 4 KB.
TEST_F(SaverOptionsTest, AFullDiskLeavesTheOldCheckpoint) {
  Variable a = NewVariable("a", {2});
  NewVariable("big", {10000});
  Saver small(graph_, {.var_list = {a}, .sharded = true}), all(graph_);
  Session session = NewSession();
  Fill(session, a, 1);
  small.Save(session, dir_ / "m").value();
  const std::vector<std::string> before = Files();
  rlimit old_limit;
  getrlimit(RLIMIT_FSIZE, &old_limit);
  auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = {4096, old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  Fill(session, a, 2);
  const Status status = all.Save(session, dir_ / "m").status();
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(Files(), ::testing::UnorderedElementsAreArray(before));
  ASSERT_TRUE(small.Restore(session, dir_ / "m").ok());
  EXPECT_THAT(Values(session, a), ElementsAre(1, 1));
}

TEST_F(SaverOptionsTest, TheIteratorGivesEachCheckpointOnce) {
  NewVariable("a", {2});
  Saver saver(graph_);
  Session session = NewSession();
  CheckpointsIteratorOptions options;
  options.timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(CheckpointsIterator(dir_.path(), options).Next(), std::nullopt);
  options.timeout = std::chrono::seconds(20);
  CheckpointsIterator iterator(dir_.path(), options);
  std::thread trainer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    saver.Save(session, dir_ / "m", {.global_step = 1}).value();
  });
  EXPECT_EQ(iterator.Next(), dir_ / "m-1");
  trainer.join();
  saver.Save(session, dir_ / "m", {.global_step = 1}).value();
  saver.Save(session, dir_ / "m", {.global_step = 2}).value();
  EXPECT_EQ(iterator.Next(), dir_ / "m-2");
}

TEST_F(SaverOptionsTest, TheIteratorEndsOnRequest) {
  int asked = 0;
  CheckpointsIteratorOptions options;
  options.timeout = std::chrono::milliseconds(10);
  options.timeout_fn = [&] { return ++asked == 3; };
  EXPECT_EQ(CheckpointsIterator(dir_.path(), options).Next(), std::nullopt);
  EXPECT_EQ(asked, 3);
}

TEST_F(SaverOptionsTest, StateFilesThatCannotBeReadAreIgnored) {
  std::ofstream(dir_ / "checkpoint") << ":";
  EXPECT_EQ(GetCheckpointState(dir_.path()).value(), std::nullopt);
  std::ofstream(dir_ / "checkpoint") << "";
  EXPECT_THAT(GetCheckpointState(dir_.path()).status().message(),
              HasSubstr("Invalid checkpoint state loaded from"));
  EXPECT_FALSE(CheckpointExists(dir_ / "m"));
  std::ofstream(dir_ / "m-00001-of-00002") << "";
  EXPECT_TRUE(CheckpointExists(dir_ / "m-\?\?\?\?\?-of-00002"));
  EXPECT_THAT(GetCheckpointMtimes({dir_ / "m-\?\?\?\?\?-of-00002", dir_ / "x"}),
              ::testing::SizeIs(1));
  ASSERT_TRUE(
      RemoveCheckpoint(dir_ / "m-\?\?\?\?\?-of-00002", "meta", SaverNames::Format::kV1).ok());
  EXPECT_THAT(Files(), ElementsAre("checkpoint"));
}

}  // namespace
}  // namespace ramet
