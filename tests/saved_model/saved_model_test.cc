// Tests of SavedModels that Ramet writes and reads itself. tests/oracle/saved_model_test.py tests
// them against TensorFlow.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include <filesystem>
#include <fstream>

namespace ramet {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const std::vector<std::string> kServe = {saved_model_keys::kServing};

// y = x * w with w = 3. `set` assigns 5 to `local`, which no checkpoint has. `path` is an asset.
struct Model {
  Model() : scope(graph) {
    x = scope.Placeholder("x", kFloat, Shape{-1});
    w = scope.NewVariable(Tensor(3.0f), "w");
    y = AddOp(graph, "Mul", {x, w}, {}, "y").output(0);
    path = Constant(graph, Tensor("nowhere"), "path");
    seen = AddOp(graph, "Identity", {path}, {}, "seen").output(0);
  }

  Graph graph;
  Scope scope;
  Output x, y, path, seen;
  Variable w;
};

class SavedModelTest : public ::testing::Test {
 protected:
  SavedModelTest() {
    std::string name = (fs::temp_directory_path() / "ramet-saved-model-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~SavedModelTest() override { fs::remove_all(folder_); }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }
  std::string File(const std::string& name, const std::string& content) const {
    fs::create_directories(fs::path(At(name)).parent_path());
    std::ofstream(At(name)) << content;
    return At(name);
  }

  Session Started() {
    Session session = Session::Create(model_.graph).value();
    EXPECT_TRUE(session.InitializeMissing().ok());
    return session;
  }

  SavedModelGraph Described() const {
    SavedModelGraph described;
    described.tags = kServe;
    described.signatures["serving_default"] =
        MakeSignature({{"in", model_.x}}, {{"out", model_.y}});
    return described;
  }

  // Writes the model and returns its folder.
  std::string Write(const SavedModelGraph& described, bool as_text = false) {
    const std::string dir = At("model");
    Session session = Started();
    auto builder = SavedModelBuilder::Create(dir);
    EXPECT_TRUE(builder.ok()) << builder.status().ToString();
    Status added = builder->AddMetaGraphAndVariables(session, described);
    EXPECT_TRUE(added.ok()) << added.ToString();
    EXPECT_TRUE(builder->Save(as_text).ok());
    return dir;
  }

  fs::path folder_;
  Model model_;
};

TEST_F(SavedModelTest, LoadsWithVariablesAndSignatures) {
  const std::string dir = Write(Described());
  EXPECT_TRUE(MaybeSavedModelDirectory(dir));
  EXPECT_FALSE(MaybeSavedModelDirectory(At("")));
  EXPECT_THAT(SavedModelTags(dir).value(), ElementsAre(kServe));
  Graph graph;
  Session session = Session::Create(graph).value();
  auto loaded = LoadSavedModel(session, dir, kServe);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  const Signature& signature = loaded->signatures.at("serving_default");
  EXPECT_EQ(signature.method_name, "tensorflow/serving/predict");
  EXPECT_EQ(signature.inputs.at("in"),
            (SignatureTensor{.name = "x:0", .dtype = kFloat, .shape = Shape{-1}}));
  auto got =
      session.Run({{"x:0", Tensor::Vector<float>({1, 2})}}, signature.outputs.at("out").name);
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_THAT(got->flat<float>(), ElementsAre(3, 6));
}

// For example a table that Ramet does not support. The variables are still restored and can be
// saved.
TEST_F(SavedModelTest, AnInitOpThatCannotRunIsLeftOut) {
  SavedModelGraph described = Described();
  ASSERT_TRUE(ImportGraphDef(model_.graph,
                             "node { name: 'set' op: 'AppearsLater' } library {} "
                             "versions { producer: 27 }",
                             {.name = ""})
                  .ok());
  described.main_op = model_.graph.FindOperation("set").value();
  const std::string dir = Write(described);
  Graph refused, graph;
  Session first = Session::Create(refused).value();
  const Status status = LoadSavedModel(first, dir, kServe).status();
  EXPECT_TRUE(IsUnimplemented(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("'set'"));
  Session session = Session::Create(graph).value();
  auto loaded = LoadSavedModel(session, dir, kServe, {.run_init_op = false});
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->init_op.name(), "set");
  EXPECT_THAT(session.Run({{"x:0", Tensor::Vector<float>({1, 2})}}, "y:0").value().flat<float>(),
              ElementsAre(3, 6));
}

TEST_F(SavedModelTest, WithoutVariablesThereIsAnEmptyFolder) {
  Graph graph;
  Scope scope(graph);
  scope.Placeholder("x", kFloat);
  Session session = Session::Create(graph).value();
  SavedModelBuilder builder = SavedModelBuilder::Create(At("model")).value();
  ASSERT_TRUE(builder.AddMetaGraphAndVariables(session, {.tags = kServe}).ok());
  ASSERT_TRUE(builder.Save().ok());
  EXPECT_TRUE(fs::is_empty(At("model/variables")));
  Graph copy;
  Session again = Session::Create(copy).value();
  EXPECT_FALSE(LoadSavedModel(again, At("model"), kServe).value().info.saver);
}

TEST_F(SavedModelTest, TextFormIsReadToo) {
  const std::string dir = Write(Described(), true);
  EXPECT_TRUE(fs::exists(dir + "/saved_model.pbtxt"));
  Graph graph;
  EXPECT_TRUE(ImportSavedModel(graph, dir, kServe).ok());
}

TEST_F(SavedModelTest, TheMainOpRunsWithTheAssetsOfThisFolder) {
  Variable local = model_.scope.NewVariable(model_.path, "where", {.trainable = false});
  SavedModelGraph described = Described();
  described.main_op = local.initializer();
  described.assets = {{model_.path, File("words.txt", "cat")}};
  const std::string dir = Write(described);
  const std::string moved = At("moved");
  fs::rename(dir, moved);
  Graph graph;
  Session session = Session::Create(graph).value();
  auto loaded = LoadSavedModel(session, moved, kServe);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(session.Run("where:0").value().scalar<std::string>(), moved + "/assets/words.txt");
  EXPECT_EQ(loaded->init_op.name(), "where/Assign");
}

TEST_F(SavedModelTest, ClonesKnowThePathsOfAssets) {
  Variable local = model_.scope.NewVariable(model_.path, "where", {.trainable = false});
  SavedModelGraph described = Described();
  described.main_op = local.initializer();
  described.assets = {{model_.path, File("words.txt", "cat")}};
  const std::string dir = Write(described);
  Graph graph, other;
  auto loaded = ImportSavedModel(graph, dir, kServe);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  for (Graph* into : {&graph, &other}) {
    Cloned c = Clone(graph, {.outputs = {"where:0"}, .into = into}).value();
    Session session = Session::Create(*into).value();
    ASSERT_TRUE(session.Run(c.init_op()).ok());
    EXPECT_EQ(session.Run(c.Transformed("where:0")).value().scalar<std::string>(),
              dir + "/assets/words.txt");
  }
  EXPECT_EQ(ConstantValue(loaded->assets[0].tensor).scalar<std::string>(), "nowhere");
}

TEST_F(SavedModelTest, FilesOfOneNameAreKeptApart) {
  SavedModelGraph described = Described();
  described.assets = {{model_.path, File("a/words", "1")}, {model_.seen, File("b/words", "2")}};
  const std::string dir = Write(described);
  std::vector<std::string> names;
  for (const auto& e : fs::directory_iterator(dir + "/assets"))
    names.push_back(e.path().filename());
  EXPECT_THAT(names, UnorderedElementsAre("words", "words_1"));
}

TEST_F(SavedModelTest, TwoMetaGraphsShareTheVariables) {
  Session session = Started();
  auto builder = SavedModelBuilder::Create(At("model"));
  SavedModelGraph train = Described();
  train.tags = {"train", "gpu"};
  EXPECT_EQ(builder->AddMetaGraph(model_.graph, train).code(), Code::kFailedPrecondition);
  ASSERT_TRUE(builder->AddMetaGraphAndVariables(session, Described()).ok());
  ASSERT_TRUE(builder->AddMetaGraph(model_.graph, train).ok());
  EXPECT_EQ(builder->AddMetaGraphAndVariables(session, train).code(), Code::kFailedPrecondition);
  ASSERT_TRUE(builder->Save().ok());
  Graph graph;
  Session other = Session::Create(graph).value();
  EXPECT_TRUE(LoadSavedModel(other, At("model"), {"gpu", "train"}).ok());
  auto refused = LoadSavedModel(other, At("model"), {"gpu"});
  EXPECT_EQ(refused.status().code(), Code::kNotFound);
  EXPECT_THAT(refused.status().message(), HasSubstr("available tags: {'serve'}, {'gpu', 'train'}"));
}

TEST_F(SavedModelTest, NamesFollowTheScope) {
  const std::string dir = Write(Described());
  Session session = Session::Create(model_.graph).value();
  auto loaded = LoadSavedModel(session, dir, kServe);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->signatures.at("serving_default").inputs.at("in").name, "x_1:0")
      << "names that were taken are made unique";
  loaded = LoadSavedModel(session, dir, kServe, {.import_scope = "s"});
  EXPECT_EQ(loaded->signatures.at("serving_default").outputs.at("out").name, "s/y:0");
  EXPECT_EQ(session.Run("s/w:0").value().scalar<float>(), 3);
}

TEST_F(SavedModelTest, AModelWithoutVariables) {
  Graph plain;
  Scope scope(plain);
  Output x = scope.Placeholder("x", kFloat, Shape());
  Output y = x + x;
  Session session = Session::Create(plain).value();
  ASSERT_TRUE(SimpleSave(session, At("plain"), {{"x", x}}, {{"y", y}}).ok());
  Graph graph;
  Session other = Session::Create(graph).value();
  auto loaded = LoadSavedModel(other, At("plain"), kServe);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(other.Run({{"x:0", Tensor(2.0f)}}, y.name()).value().scalar<float>(), 4);
}

TEST_F(SavedModelTest, TheBuilderRefusesInvalidModels) {
  Session session = Started();
  auto builder = SavedModelBuilder::Create(At("model"));
  auto message = [&](const SavedModelGraph& described) {
    return builder->AddMetaGraphAndVariables(session, described).message();
  };
  SavedModelGraph nameless = Described();
  nameless.signatures["serving_default"].inputs["in"] = {};
  EXPECT_THAT(message(nameless), HasSubstr("signature 'serving_default', 'in'"));
  SavedModelGraph reserved = Described();
  reserved.signatures["__saved_model_init_op"] = {};
  EXPECT_THAT(message(reserved), HasSubstr("is reserved"));
  SavedModelGraph no_file = Described();
  no_file.assets = {{model_.path, ""}};
  EXPECT_THAT(message(no_file), HasSubstr("asset 'nowhere'"));
  SavedModelGraph no_path = Described();
  no_path.assets = {{model_.x, ""}};
  EXPECT_THAT(message(no_path), HasSubstr("Asset filepath tensor 'x:0' is invalid"));
  model_.graph.collections().Add("saved_model_main_op", model_.y.op());
  SavedModelGraph second = Described();
  second.main_op = model_.y.op();
  EXPECT_THAT(message(second), HasSubstr("Graph already contains one or more main ops"));
}

TEST_F(SavedModelTest, AssetsThatLeadOutOfTheFolderAreRefused) {
  const std::string dir = Write(Described(), true);
  std::ofstream(dir + "/saved_model.pbtxt", std::ios::app) << R"(
    meta_graphs {
      meta_info_def { tags: "bad" }
      graph_def { node { name: "p" op: "Const"
        attr { key: "dtype" value { type: DT_STRING } }
        attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { } string_val: "x" } } } } }
      asset_file_def { tensor_info { name: "p:0" } filename: "../../secret" }
    })";
  Graph graph;
  auto loaded = ImportSavedModel(graph, dir, {"bad"});
  EXPECT_EQ(loaded.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(loaded.status().message(), HasSubstr("'../../secret'"));
}

TEST_F(SavedModelTest, DamagedFiles) {
  fs::create_directories(At("bad"));
  std::ofstream(At("bad") + "/saved_model.pb") << "\x01\x02 no model";
  Graph graph;
  auto loaded = ImportSavedModel(graph, At("bad"), kServe);
  EXPECT_EQ(loaded.status().code(), Code::kDataLoss);
  EXPECT_THAT(loaded.status().message(), HasSubstr("bad/saved_model.pb"));
  EXPECT_EQ(ImportSavedModel(graph, At("none"), kServe).status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace ramet
