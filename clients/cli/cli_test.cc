// The program `ramet` on a checkpoint that is made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "npy.h"

namespace cli {
namespace {

namespace rm = ramet;
namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Result {
  int code;
  std::string out, err;
};

class Cli : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new std::string((fs::temp_directory_path() / "ramet-cli-XXXXXX").string());
    ASSERT_NE(mkdtemp(dir_->data()), nullptr);
    SaveModel(Path("model"), 7);
  }
  static void TearDownTestSuite() {
    fs::remove_all(*dir_);
    delete dir_;
  }

  static std::string Path(const std::string& name) { return *dir_ + "/" + name; }

  // out = x * w + b, with a loss and a training step beside it; global_step = `step`.
  static void SaveModel(const std::string& prefix, int64_t step) {
    rm::Graph graph;
    rm::Scope s(graph);
    auto x = s.Placeholder("x", rm::kFloat, {-1, 3});
    auto y = s.Placeholder("y", rm::kFloat, {-1, 2});
    auto w = s.GetVariable("w", {3, 2}, rm::Ones());
    auto b = s.GetVariable("b", {2}, rm::Zeros());
    auto out = rm::Identity(rm::MatMul(x, w) + b, "out");
    auto loss = rm::ReduceMean(rm::Square(out - y), {}, {.name = "loss"});
    auto count = rm::GetOrCreateGlobalStep(graph);
    rm::GradientDescent(0.1).Minimize(loss, {.global_step = count});
    auto init = s.GlobalVariablesInitializer();
    rm::Saver saver(graph);
    auto session = rm::Session::Create(graph).value();
    session.Run(init).value();
    ASSERT_TRUE(session.Assign(count, rm::Tensor(step)).ok());
    saver.Save(session, prefix).value();
  }

  static Result Run(const std::string& arguments) {
    const std::string command = rm::StrCat("'", RAMET_PROGRAM, "' ", arguments, " > ",
                                           Path("stdout"), " 2> ", Path("stderr"), " < /dev/null");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Content(Path("stdout")),
            Content(Path("stderr"))};
  }
  static json RunJson(const std::string& arguments) {
    Result result = Run(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }
  // One line on stderr that says `text`, nothing on stdout, and this exit code.
  static void ExpectError(const std::string& arguments, int code, const std::string& text) {
    Result result = Run(arguments);
    EXPECT_EQ(result.code, code) << arguments;
    EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_EQ(result.out, "");
    if (code == 1) {
      EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
      EXPECT_THAT(result.err, StartsWith("ramet: "));
    }
  }

  static std::string* dir_;
};
std::string* Cli::dir_ = nullptr;

TEST_F(Cli, SaysItsVersion) {
  Result result = Run("--version");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, MatchesRegex("ramet [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Cli, HelpHasExamplesEverywhere) {
  EXPECT_THAT(Run("--help").out, HasSubstr("Examples:"));
  EXPECT_THAT(Run("--help").out, HasSubstr("Exit codes: 0"));
  for (const char* command : {"ops", "list", "print", "inspect", "run", "follow"}) {
    Result result = Run(rm::StrCat(command, " --help"));
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("Example")) << command;
  }
}

TEST_F(Cli, OpsListsEachOpOnALine) {
  Result result = Run("ops");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("\nMatMul  "));
  const json ops = RunJson("ops --json");
  EXPECT_EQ(static_cast<size_t>(std::ranges::count(result.out, '\n')), ops.size());
  auto matmul = std::ranges::find(ops, "MatMul", [](const json& op) { return op["name"]; });
  ASSERT_NE(matmul, ops.end());
  EXPECT_EQ((*matmul)["gradient"], "yes");
  EXPECT_THAT((*matmul)["devices"].get<std::vector<std::string>>(), ::testing::Contains("CPU"));
  EXPECT_THAT((*matmul)["dtypes"].get<std::vector<std::string>>(), ::testing::Contains("float"));
}

TEST_F(Cli, ListShowsTheTensorsOfACheckpoint) {
  Result result = Run("list " + Path("model"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "b  float[2]  8 B\nglobal_step  int64[]  8 B\nw  float[3,2]  24 B\n");
  const json tensors = RunJson("list --json " + Path("model"));
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[2]["name"], "w");
  EXPECT_EQ(tensors[2]["dtype"], "float");
  EXPECT_EQ(tensors[2]["shape"], json({3, 2}));
  EXPECT_EQ(tensors[2]["bytes"], 24);
}

TEST_F(Cli, PrintShowsValues) {
  EXPECT_EQ(Run("print " + Path("model") + " global_step").out, "global_step  int64[] 7\n");
  EXPECT_EQ(Run("print --max 2 " + Path("model") + " w").out, "w  float[3,2] 1 1 ...\n");
  EXPECT_EQ(Run("print --slice 1,2:- " + Path("model") + " w").out, "w  float[2,2] 1 1 1 1\n");
  ExpectError("print " + Path("model") + " v", 1, "Key v not found in checkpoint");
}

TEST_F(Cli, V1CheckpointsAreReadAsTheyAre) {
  for (int shard : {0, 1}) {
    rm::V1Writer writer(rm::V1ShardPath(Path("old"), shard, 2));
    const rm::TensorSlice rows({{2 * shard, 2}, {}});
    ASSERT_TRUE(writer.AddSlice("w", {4, 1}, rows, rm::Tensor::Of<float>({2, 1}, {1.5f, 2})).ok());
    ASSERT_TRUE(writer.Finish().ok());
  }
  const std::string pattern = "'" + rm::V1ShardPattern(Path("old"), 2) + "'";
  EXPECT_EQ(Run("list " + pattern).out, "w  float[4,1]  16 B  in 2 slices\n");
  EXPECT_EQ(Run("print " + pattern + " w").out, "w  float[4,1] 1.5 2 1.5 2\n");
  EXPECT_EQ(RunJson("inspect --json " + pattern)["checkpoint"]["bytes"], 16);
  ExpectError("print " + pattern + " v", 1, "Tensor name \"v\" not found in checkpoint files");
}

TEST_F(Cli, InspectSaysWhatTheGraphTakesAndGives) {
  Result result = Run("inspect " + Path("model.meta"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("runs here: yes"));
  EXPECT_THAT(result.out,
              HasSubstr("inputs x:0 float[?,3], y:0 float[?,2] · outputs loss:0 float[]\n"));
  EXPECT_THAT(result.out, HasSubstr("checkpoint model: 3 variables, 40 B, step 7, complete\n"));
  const json inspected = RunJson("inspect --json " + Path("model"));
  EXPECT_EQ(inspected["graph"]["runs_here"], true);
  EXPECT_EQ(inspected["graph"]["inputs"][0]["name"], "x:0");
  EXPECT_EQ(inspected["graph"]["inputs"][0]["shape"], json({nullptr, 3}));
  EXPECT_EQ(inspected["checkpoint"]["complete"], true);
}

TEST_F(Cli, InspectNamesWhatACheckpointLacks) {
  rm::Graph graph;
  rm::Scope s(graph);
  auto w = s.GetVariable("w", {3, 2}, rm::Ones());
  s.GetVariable("v", {4}, rm::Ones());
  auto session = rm::Session::Create(graph).value();
  session.Run(s.GlobalVariablesInitializer()).value();
  rm::Saver(graph, {.var_list = {w}}).Save(session, Path("partial")).value();
  Result result = Run("inspect " + Path("partial"));
  EXPECT_THAT(
      result.out,
      HasSubstr("1 variable, 24 B, incomplete\n  in the checkpoint v float[4] is missing\n"));
}

TEST_F(Cli, InspectNamesOpsThatDoNotRunHere) {
  rm::Graph graph;
  rm::OpSchema schema;
  schema.name = "Teleport";
  rm::ArgSchema& y = schema.outputs.emplace_back();
  y.name = "y";
  y.type = rm::kFloat;
  graph.AddForeignOp(schema);
  ASSERT_TRUE(graph.AddNode({.op = "Teleport", .name = "beam"}).ok());
  ASSERT_TRUE(rm::ExportMetaGraphFile(graph, Path("foreign.meta")).ok());
  Result result = Run("inspect " + Path("foreign.meta"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("runs here: no"));
  EXPECT_THAT(result.out, HasSubstr("cannot run here: Teleport (1 node: beam)"));
}

TEST_F(Cli, RunFeedsAndFetches) {
  ASSERT_TRUE(WriteNpy(Path("x.npy"), rm::Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})).ok());
  Result result = Run("run " + Path("model") + " --feed x=" + Path("x.npy") +
                      " --fetch out --fetch global_step -o " + Path("results"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("out:0  float[2,2] 6 6 15 15"));
  EXPECT_TRUE(ReadNpy(Path("results/out.npy"))
                  .value()
                  .BitwiseEquals(rm::Tensor::Of<float>({2, 2}, {6, 6, 15, 15})));
  EXPECT_TRUE(
      ReadNpy(Path("results/global_step.npy")).value().BitwiseEquals(rm::Tensor(int64_t{7})));
}

TEST_F(Cli, FollowShowsEachNewCheckpoint) {
  fs::create_directory(Path("followed"));
  std::thread trainer([] {
    for (int64_t step : {10, 20, 30}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      SaveModel(Path("followed/model"), step);
    }
  });
  Result result = Run("follow file:" + Path("followed") + " --timeout 3");
  trainer.join();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("no new checkpoint"));
  EXPECT_THAT(result.out, HasSubstr("step 30 · " + Path("followed/model") +
                                    " · 3 tensors · 40 B · verified\n"));
}

TEST_F(Cli, FollowRunsTheGraph) {
  ASSERT_TRUE(WriteNpy(Path("x.npy"), rm::Tensor::Of<float>({1, 3}, {1, 2, 3})).ok());
  SaveModel(Path("model"), 7);
  Result result =
      Run("follow file:" + *dir_ + " --once --timeout 60 --fetch out --feed x=" + Path("x.npy"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("step 7 · "));
  EXPECT_THAT(result.out, HasSubstr("  out:0  float[1,2] 6 6\n"));
}

TEST_F(Cli, FollowRefusesADamagedCheckpoint) {
  fs::create_directory(Path("damaged"));
  SaveModel(Path("damaged/model"), 1);
  const std::string data = Path("damaged/model.data-00000-of-00001");
  std::string bytes = Content(data);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(data, std::ios::binary) << bytes;
  ExpectError("follow --once file:" + Path("damaged"), 1, "DATA_LOSS");
}

TEST_F(Cli, ErrorsAreOneReadableLine) {
  ExpectError("list " + Path("nothing"), 1, Path("nothing"));
  ExpectError("inspect " + Path("nothing.meta"), 1, "nothing.meta");
  ExpectError("run " + Path("model") + " --fetch nothing", 1, "nothing");
  ExpectError("run " + Path("model") + " --fetch out", 1, "'x'");
  ExpectError("run " + Path("model") + " --fetch out --feed x", 1, "NAME=FILE.npy");
  ExpectError("run " + Path("model") + " --fetch out --feed x=" + Path("none.npy"), 1, "none.npy");
  ExpectError("follow --once --timeout 0.1 file:" + Path("none"), 1, "no new checkpoint");
}

TEST_F(Cli, WrongUsageEndsWithTwo) {
  ExpectError("", 2, "A command is required");
  ExpectError("lst", 2, "lst");
  ExpectError("list", 2, "PREFIX");
  ExpectError("follow shm:x", 2, "file:DIR");
  ExpectError("run " + Path("model"), 2, "--fetch");
}

}  // namespace
}  // namespace cli
