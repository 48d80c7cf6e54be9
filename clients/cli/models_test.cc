// Tests of the program `ramet` with SavedModels, frozen graphs and malformed input.
#include "cli_testing.h"

#include "npy.h"

namespace cli {
namespace {

class Models : public Cli {
 protected:
  static void SetUpTestSuite() {
    Cli::SetUpTestSuite();
    MakeSavedModel(Path("saved"));
    ASSERT_TRUE(WriteNpy(Path("x.npy"), rm::Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})).ok());
  }

  // out = x * w + b under the signature "predict" (image -> scores), tags "serve" and "serve,gpu".
  static void MakeSavedModel(const std::string& folder) {
    rm::Graph graph;
    auto session = MakeModel(graph, 7);
    const auto x = graph.Tensor("x:0").value(), out = graph.Tensor("out:0").value();
    const auto signature = rm::MakeSignature({{"image", x}}, {{"scores", out}});
    auto builder = rm::SavedModelBuilder::Create(folder).value();
    rm::SavedModelGraph serve{.tags = {"serve"}, .signatures = {{"predict", signature}}};
    ASSERT_TRUE(builder.AddMetaGraphAndVariables(session, serve).ok());
    ASSERT_TRUE(builder.AddMetaGraph(graph, {.tags = {"serve", "gpu"}}).ok());
    builder.Save().value();
  }

  static void Write(const std::string& name, const std::string& content) {
    std::ofstream(Path(name), std::ios::binary) << content;
  }
};

TEST_F(Models, SavedModelsAreRecognizedByContent) {
  for (const std::string& path : {Path("saved"), Path("saved/saved_model.pb"), Path("saved/")}) {
    const json seen = RunJson("inspect --json " + path);
    EXPECT_EQ(seen["kind"], "SavedModel");
    EXPECT_EQ(seen["tag_sets"], json({{"serve"}, {"gpu", "serve"}})) << path;
    const json& predict = seen["graph"]["signatures"]["predict"];
    EXPECT_EQ(predict["inputs"]["image"]["name"], "x:0");
    EXPECT_EQ(predict["outputs"]["scores"]["shape"], json({nullptr, 2}));
    EXPECT_EQ(seen["checkpoint"]["complete"], true);
    EXPECT_EQ(seen["checkpoint"]["format"], "v2");
  }
  const Result text = Run("inspect " + Path("saved"));
  EXPECT_THAT(text.out, HasSubstr("tags serve; also available: --tags gpu,serve\n"));
  EXPECT_THAT(text.out, HasSubstr("    input image: x:0 float[?,3]\n"));
  EXPECT_EQ(RunJson("inspect --json --tags gpu,serve " + Path("saved"))["graph"]["signatures"],
            json::object());
  ExpectError("inspect --tags train " + Path("saved"), 1, "--tags serve; --tags gpu,serve");
}

TEST_F(Models, TensorCommandsReadSavedModels) {
  EXPECT_EQ(Run("list " + Path("saved")).out, Run("list " + Path("model")).out);
  EXPECT_EQ(Run("print " + Path("saved") + " global_step").out, "global_step  int64[] 7\n");
  EXPECT_EQ(Run("diff " + Path("saved") + " " + Path("model.meta")).out, "equal: 3 tensors\n");
  EXPECT_EQ(Run("convert " + Path("saved") + " " + Path("saved.npz")).code, 0);
  EXPECT_EQ(Run("diff " + Path("saved.npz") + " " + Path("model")).code, 0);
  EXPECT_THAT(Run("draw " + Path("saved")).out, HasSubstr(">MatMul</text>"));
}

TEST_F(Models, RunsBySignature) {
  Result all = Run("run " + Path("saved") + " --signature predict --feed image=" + Path("x.npy"));
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.out, "scores  float[2,2] 6 6 15 15\n");
  const json one = RunJson("run " + Path("saved") +
                           " --json --signature predict --fetch scores --feed image=[[1,2,3]]");
  EXPECT_EQ(one["scores"]["values"], json({6, 6}));
  EXPECT_EQ(one["scores"]["dtype"], "float");
  EXPECT_THAT(Run("run " + Path("saved") + " --feed x=[[1,2,3]] --fetch out:0").out,
              HasSubstr("out:0  float[1,2] 6 6"));
  ExpectError("run " + Path("saved") + " --signature predict", 1,
              "add --feed image=VALUE (float[?,3])");
  ExpectError("run " + Path("saved") + " --signature nothing", 1,
              "available signatures: 'predict'");
  ExpectError("run " + Path("saved") + " --signature predict --feed imag=1", 1,
              "inputs of the signature: 'image'");
}

TEST_F(Models, ExplainCountsTheWorkOfAGpu) {
  const std::string command = "explain " + Path("saved") +
                              " --signature predict --feed image=" + Path("x.npy") +
                              " --device gpu";
  setenv("RAMET_GPU", "off", 1);
  ExpectError(command, 1, "/device:GPU:0 does not exist; RAMET_GPU chooses the driver");
  setenv("RAMET_GPU", "opencl:cpu", 1);
  const Result text = Run(command);
  if (text.code != 0) unsetenv("RAMET_GPU");
  if (text.err.find("OpenCL") != std::string::npos) GTEST_SKIP() << "skipped: " << text.err;
  EXPECT_THAT(text.out, HasSubstr("/device:GPU:0, one step\n  launches   "));
  const json seen = RunJson(command + " --json");
  unsetenv("RAMET_GPU");
  EXPECT_EQ(seen["launches"], 2);  // a product and a sum
  EXPECT_EQ(seen["fused_launches"], 0);
  EXPECT_EQ(seen["bytes_to_device"], 2 * 3 * 4);
  EXPECT_EQ(seen["bytes_to_host"], 2 * 2 * 4);
  ExpectError(command + "s", 1, "expected cpu, gpu or gpu:N");
}

TEST_F(Models, ExplainShowsWhatPassesDid) {
  const std::string command = "explain " + Path("saved") +
                              " --signature predict --feed image=" + Path("x.npy") +
                              " --device cpu";
  const Result text = Run(command);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("/device:CPU:0, one step\n  steps "));
  EXPECT_THAT(text.out, HasSubstr("epilogues              1 products fused, 1 steps fewer: "));
  EXPECT_THAT(text.out, HasSubstr("device_fusion          not used: "));
  setenv("RAMET_PASSES", "none", 1);
  const json unchanged = RunJson(command + " --json");
  EXPECT_EQ(unchanged["steps"], unchanged["steps_compiled"]);
  setenv("RAMET_PASSES", "-epilogues", 1);
  const json seen = RunJson(command + " --json");
  for (const json& pass : seen["passes"]) {
    EXPECT_EQ(pass["used"], pass["name"] != "epilogues" && pass["name"] != "device_fusion") << pass;
  }
  setenv("RAMET_PASSES", "epilogue", 1);
  ExpectError(command, 1,
              "RAMET_PASSES names the pass 'epilogue', which does not exist; the passes are ");
  unsetenv("RAMET_PASSES");
}

TEST_F(Models, ProfileShowsTheTimeOfOpsAndFusedGroups) {
  const std::string command = "profile " + Path("saved") +
                              " --signature predict --feed image=" + Path("x.npy") + " --runs 3 ";
  const Result text = Run(command);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, MatchesRegex("fastest of 3 runs: [0-9.]+ us; with a trace [0-9.]+ us, of "
                                     "which [0-9]+ steps took [0-9.]+ us\nop .*"));
  EXPECT_THAT(text.out, HasSubstr("\nMatMul+AddV2  "));
  const json fused = RunJson(command + "--json");
  const auto sum =
      std::ranges::find(fused["rows"], "MatMul+AddV2", [](const json& row) { return row["op"]; });
  ASSERT_NE(sum, fused["rows"].end());
  EXPECT_EQ((*sum)["count"], 1);
  EXPECT_EQ((*sum)["bytes"], (2 * 3 + 3 * 2 + 2 + 2 * 2) * 4);
  double shares = 0;
  for (const json& row : fused["rows"]) shares += row["share"].get<double>();
  EXPECT_NEAR(shares, 1, 1e-6);
  const json nodes = RunJson(command + "--json --unfused --by node");
  EXPECT_TRUE(std::ranges::any_of(nodes["rows"], [](const json& row) {
    return row["name"] == "out" && row["op"] == "Identity";
  }));
  EXPECT_GT(nodes["steps"], fused["steps"]);
}

TEST_F(Models, ProfileWritesATraceAndAPicture) {
  const std::string command = "profile " + Path("model") + " --fetch loss --fetch out --runs 2 " +
                              "--feed x=" + Path("x.npy") + " --feed y=[[0,1],[1,0]] ";
  const Result made =
      Run(command + "--chrome-trace " + Path("trace.json") + " --svg " + Path("profile.svg"));
  ASSERT_EQ(made.code, 0) << made.err;
  const json trace = json::parse(Content(Path("trace.json")));
  EXPECT_TRUE(std::ranges::any_of(trace["traceEvents"], [](const json& event) {
    return event["ph"] == "X" && event["args"]["op"] == "MatMul+AddV2" &&
           event["args"]["fused"].size() == 2;
  }));
  const std::string svg = Content(Path("profile.svg"));
  EXPECT_THAT(svg, StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(svg, HasSubstr("loss (Mean)"));
  EXPECT_THAT(svg, Not(HasSubstr("href")));
}

TEST_F(Models, ProfileSaysWhatIsMissing) {
  const std::string profile = "profile " + Path("model") + " ";
  ExpectError(profile, 1, "nothing to run; use --fetch NAME or --signature NAME");
  ExpectError(profile + "--fetch out", 1, "must feed a value");
  ExpectError(profile + "--fetch out --runs 0", 2, "--runs");
  ExpectError(profile + "--fetch out --by time", 2, "--by");
  ExpectError(profile + "--fetch out --feed x=[[1,2,3]] --svg " + Path("nowhere/p.svg"), 1,
              "--svg");
  ExpectError(profile + "--fetch out --feed x=[[1,2,3]] --chrome-trace " + Path("nowhere/t"), 1,
              "--chrome-trace");
}

TEST_F(Models, FrozenGraphsRun) {
  const struct {
    const char *model, *outputs;
  } cases[] = {{"model", "--output-nodes out"},
               {"model.meta", "--output-nodes out:0"},
               {"saved", "--signature predict"},
               {"saved", "--signature predict --remove-training-nodes"}};
  for (const auto& [model, outputs] : cases) {
    Result made = Run(rm::StrCat("freeze ", Path(model), " ", outputs, " -o ", Path("f.pb")));
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.err, "");
    EXPECT_THAT(made.out, HasSubstr("f.pb: GraphDef, "));
    const json seen = RunJson("inspect --json " + Path("f.pb"));
    EXPECT_EQ(seen["kind"], "GraphDef");
    EXPECT_EQ(seen["graph"]["variables"], json::array());
    EXPECT_EQ(seen["graph"]["outputs"][0]["name"], "out:0");
    EXPECT_EQ(seen["graph"]["outputs"].size(), 1u);
    Result run = Run("run " + Path("f.pb") + " --feed x=" + Path("x.npy") + " --fetch out");
    EXPECT_EQ(run.out, "out:0  float[2,2] 6 6 15 15\n") << run.err;
  }
  EXPECT_EQ(Run("print " + Path("f.pb") + " w").out, "w  float[3,2] 1 1 1 1 1 1\n");
}

TEST_F(Models, FreezeAllowsAndDeniesVariables) {
  const std::string freeze = "freeze " + Path("model") + " --output-nodes out -o ";
  const json deny = RunJson(freeze + Path("deny.pb") + " --deny b --json");
  EXPECT_EQ(deny["variables"], json({"b"}));
  const json allow = RunJson(freeze + Path("allow.pbtxt") + " --allow b --json");
  EXPECT_EQ(allow["variables"], json({"w"}));
  EXPECT_EQ(allow["output_nodes"], json({"out"}));
  EXPECT_THAT(Content(Path("allow.pbtxt")), HasSubstr("op: \"VariableV2\""));
  ExpectError(freeze + Path("x.pb") + " --deny out", 1,
              "expected a variable, found a node of op Identity");
  ExpectError(freeze + Path("x.pb") + " --allow nothing", 1, "--allow nothing");
  ExpectError("freeze " + Path("model") + " -o " + Path("x.pb"), 1, "--output-nodes NAME");
  ExpectError("freeze " + Path("model") + " --output-nodes zz -o " + Path("x.pb"), 1, "zz");
  ExpectError("freeze " + Path("model") + " --output-nodes out", 2, "--output is required");
  EXPECT_FALSE(fs::exists(Path("x.pb")));
}

TEST_F(Models, FailedFreezeKeepsTheOldFile) {
  fs::create_directory(Path("locked"));
  Write("locked/old.pb", "old");
  Run("freeze " + Path("model") + " --output-nodes out -o " + Path("locked/none/x.pb"));
  const std::string freeze = "freeze " + Path("model") + " --output-nodes zz -o ";
  EXPECT_EQ(Run(freeze + Path("locked/old.pb")).code, 1);
  EXPECT_EQ(Content(Path("locked/old.pb")), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("locked")), fs::directory_iterator()), 1);
}

TEST_F(Models, InspectLeavesOutInputsOfTheSaver) {
  rm::Graph graph;
  auto session = MakeModel(graph, 7);
  rm::Saver saver(graph);
  ASSERT_TRUE(rm::ExportGraphDefFile(graph, Path("with_saver.pb")).ok());
  const json seen = RunJson("inspect --json " + Path("with_saver.pb"))["graph"];
  ASSERT_EQ(seen["inputs"].size(), 2u);
  EXPECT_EQ(seen["inputs"][0]["name"], "x:0");
  EXPECT_EQ(seen["outputs"].size(), 1u);
}

TEST_F(Models, GraphAndValuesFromDifferentPlaces) {
  fs::create_directory(Path("elsewhere"));
  fs::copy(Path("model.meta"), Path("elsewhere/graph.meta"));
  const std::string graph = Path("elsewhere/graph.meta"), feed = " --fetch w --checkpoint ";
  EXPECT_EQ(Run("run " + graph + feed + Path("model")).out, "w:0  float[3,2] 1 1 1 1 1 1\n");
  EXPECT_EQ(Run("run " + Path("model") + " --fetch w --meta " + graph).code, 0);
  ExpectError("run " + graph + " --fetch w", 1, "ninitialized");
  ExpectError("list " + graph, 1, "without a checkpoint next to it");
  ExpectError("run " + graph + feed + Path("x.npy"), 1, "single array");
}

TEST_F(Models, SavedModelWithValuesFromACheckpoint) {
  fs::create_directory(Path("nine"));
  SaveModel(Path("nine/model"), 9);
  fs::remove(Path("nine/model.meta"));
  const std::string step = " --fetch global_step", nine = "global_step:0  int64[] 9\n";
  EXPECT_EQ(Run("run " + Path("saved") + step + " --checkpoint " + Path("nine/model")).out, nine);
  EXPECT_EQ(Run("run " + Path("nine/model") + step + " --meta " + Path("saved")).out, nine);
  EXPECT_EQ(Run("run " + Path("saved") + step).out, "global_step:0  int64[] 7\n");
  ExpectError("run " + Path("nine/model") + step, 1, "name the graph with --meta");
  ExpectError("run " + Path("saved") + step + " --meta /dev/null", 1, "neither a file");
}

TEST_F(Models, FoldersStandForTheirLatestCheckpoint) {
  EXPECT_EQ(Run("list " + *dir_).out, Run("list " + Path("model")).out);
  EXPECT_EQ(Run("list " + Path("checkpoint")).out, Run("list " + Path("model")).out);
  EXPECT_EQ(Run("list " + Path("model.index")).out, Run("list " + Path("model")).out);
  EXPECT_EQ(Run("list " + Path("model.data-00000-of-00001")).out, Run("list " + Path("model")).out);
}

TEST_F(Models, FeedsAreConvertedToTheDtypeOfTheGraph) {
  const std::string run = "run " + Path("model") + " --fetch out --feed ";
  ASSERT_TRUE(WriteNpy(Path("wide.npy"), rm::Tensor::Of<double>({1, 3}, {1, 2, 3})).ok());
  EXPECT_EQ(Run(run + "x=" + Path("wide.npy")).out, "out:0  float[1,2] 6 6\n");
  EXPECT_EQ(Run(run + "x=[[1,2,3]]").out, "out:0  float[1,2] 6 6\n");
  EXPECT_EQ(Run(run + "'x=[[1, 0.5, -3e1]]'").out, "out:0  float[1,2] -28.5 -28.5\n");
  ExpectError(run + "x=[[1,2],[3]]", 1, "different lengths");
  ExpectError(run + "'x=[\"a\"]'", 1, "the value is string[1], but the graph expects float");
  ExpectError(run + "x=[[1,true]]", 1, "only numbers, only strings or only booleans");
  ExpectError(run + "x=none", 1, "no such file");
  ExpectError(run + "x=" + *dir_, 1, "no such file");
  ExpectError("run " + Path("model") + " --fetch out", 1, "give it with --feed NAME=");
  ExpectError(run + "x=[[1,2]]", 1, "x:0");
  ExpectError(run + "global_step=1.5", 1, "the graph expects int64");
  EXPECT_EQ(Run("run " + Path("model") + " --fetch global_step --feed global_step=5").out,
            "global_step:0  int64[] 5\n");
}

TEST_F(Models, OptionsTakeOneValueEach) {
  EXPECT_EQ(Run("run --fetch w --fetch b " + Path("model")).out,
            "w:0  float[3,2] 1 1 1 1 1 1\nb:0  float[2] 0 0\n");
  EXPECT_EQ(Run("freeze -o " + Path("o.pb") + " --output-nodes loss,out " + Path("model")).code, 0);
  EXPECT_EQ(Run("inspect --tags serve " + Path("saved")).code, 0);
}

TEST_F(Models, RunsOperations) {
  const Result result = Run("run " + Path("model") +
                            " --feed x=[[1,2,3]] --feed y=[[0,0]] --fetch GradientDescent --fetch "
                            "loss --fetch w --json");
  ASSERT_EQ(result.code, 0) << result.err;
  const json values = json::parse(result.out);
  EXPECT_TRUE(values["loss:0"]["values"].is_array());
}

TEST_F(Models, ErrorsNameMalformedFiles) {
  Write("empty", "");
  Write("text", "hello, this is not a model\n");
  Write("junk", std::string("\xff\xfe\0\1junk", 8));
  Write("renamed.pb", Content(Path("saved/saved_model.pb")));
  fs::create_directory(Path("nothing here"));
  for (const char* command : {"inspect", "list", "draw", "freeze -o x --output-nodes a"}) {
    ExpectError(rm::StrCat(command, " ", Path("empty")), 1, "is empty");
    ExpectError(rm::StrCat(command, " ", Path("text")), 1, "is not a model file");
    ExpectError(rm::StrCat(command, " ", Path("junk")), 1, "is not a model file");
    ExpectError(rm::StrCat(command, " /dev/null"), 1, "neither a file nor a folder");
    ExpectError(rm::StrCat(command, " '", Path("nothing here"), "'"), 1,
                "neither a saved_model.pb");
    ExpectError(rm::StrCat(command, " ", Path("modle")), 1, "contains '" + Path("model") + "'");
    ExpectError(rm::StrCat(command, " ", Path("no/model")), 1, "does not exist");
    ExpectError(rm::StrCat(command, " ''"), 1, "path is empty");
    ExpectError(rm::StrCat(command, " ", Path("renamed.pb")), 1, "saved_model.pb");
  }
}

TEST_F(Models, PrintErrorsSayWhatToDo) {
  const std::string print = "print " + Path("model") + " ";
  ExpectError(print + "W", 1, "the nearest name is 'w'");
  ExpectError(print + "quite/another", 1, "'ramet list' shows the names");
  ExpectError(print + "w --slice=-1,1:-", 1, "--slice -1,1:-: Expected non-negative start");
  ExpectError(print + "w --slice 0,9:-", 1, "out of bounds: shape = [3,2]");
  ExpectError(print + "w --slice 0,9:-", 1, "ramet: OUT_OF_RANGE: ");
  ExpectError(print + "w --slice 0,1", 1, "for each dimension");
  ExpectError(print + "w --max -1", 2, "not a valid number of values");
  EXPECT_EQ(Run(print + "w --max 0").out, "w  float[3,2] ...\n");
  const std::string full =
      rm::StrCat("'", RAMET_PROGRAM, "' ", print, "w > /dev/full 2> /dev/null");
  EXPECT_EQ(WEXITSTATUS(std::system(full.c_str())), 1);
}

TEST_F(Models, NamesCannotSendEscapesToTheTerminal) {
  auto writer = rm::BundleWriter::Create(Path("evil")).value();
  ASSERT_TRUE(writer.Add("a\033[31m\xff", rm::Tensor(1.0f)).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(Run("list " + Path("evil")).out, "a?[31m?  float[]  4 B\n");
  EXPECT_EQ(RunJson("list --json " + Path("evil"))[0]["name"], "a\033[31m\xef\xbf\xbd");
  EXPECT_THAT(Run("print " + Path("evil") + " '\033[31m'").err, Not(HasSubstr("\033")));
}

TEST_F(Models, ConvertsOtherProtocolBuffers) {
  const std::string state = Path("checkpoint");
  Result binary = Run("convert " + state + " " + Path("state.pb"));
  ASSERT_EQ(binary.code, 0) << binary.err;
  EXPECT_THAT(binary.out, HasSubstr("CheckpointState in binary form"));
  ASSERT_EQ(Run("convert " + Path("state.pb") + " " + Path("state.pbtxt")).code, 0);
  EXPECT_EQ(Content(Path("state.pbtxt")), Content(state));
  Write("saver.pbtxt", "save_tensor_name: \"save/control_dependency:0\"\nmax_to_keep: 5\n");
  const std::string saver = " --message SaverDef";
  ASSERT_EQ(Run("convert " + Path("saver.pbtxt") + " " + Path("saver.pb") + saver).code, 0);
  ASSERT_EQ(Run("convert " + Path("saver.pb") + " " + Path("back.pbtxt") + saver).code, 0);
  EXPECT_EQ(Content(Path("back.pbtxt")), Content(Path("saver.pbtxt")));
  ExpectError("convert " + Path("saver.pb") + " x.pbtxt --message Saver", 1, "TensorProto");
  ASSERT_EQ(Run("convert " + Path("saved/saved_model.pb") + " " + Path("sm.pbtxt")).code, 0);
  EXPECT_THAT(Content(Path("sm.pbtxt")), HasSubstr("saved_model_schema_version: 1"));
}

TEST_F(Models, ConvertToTextNamesUnknownFields) {
  Write("future.pb", Content(Path("f.pb")).empty() ? "" : Content(Path("f.pb")) + "\xf8\x3f\x01");
  Write("future.pb", "\x0a\x03\x98\x3f\x07" + Content(Path("f.pb")) + "\xf8\x3f\x01");
  ExpectError("convert " + Path("future.pb") + " " + Path("future.pbtxt"), 1,
              "(GraphDef, field 1023; NodeDef, field 1011)");
  EXPECT_EQ(Run("convert " + Path("future.pb") + " " + Path("same.pb")).code, 0);
  EXPECT_EQ(Content(Path("same.pb")), Content(Path("future.pb")));
}

}  // namespace
}  // namespace cli
