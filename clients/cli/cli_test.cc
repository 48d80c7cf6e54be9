// Tests of the program `ramet` on a small checkpoint.
#include "background_testing.h"
#include "cli_testing.h"
#include "npy.h"

namespace cli {
namespace {

TEST_F(Cli, PrintsItsVersion) {
  Result result = Run("--version");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, MatchesRegex("ramet [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Cli, HelpHasExamplesEverywhere) {
  EXPECT_THAT(Run("--help").out, HasSubstr("Examples:"));
  EXPECT_THAT(Run("--help").out, HasSubstr("Exit codes: 0"));
  for (const char* command :
       {"ops", "list", "print", "inspect", "run", "profile", "follow", "diff", "convert", "draw",
        "freeze", "publish", "sync", "gpu", "completion"}) {
    Result result = Run(rm::StrCat(command, " --help"));
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("Example")) << command;
    if (std::string(command) == "completion") continue;
    EXPECT_THAT(result.out, HasSubstr("Exit codes: 0")) << command;
  }
}

TEST_F(Cli, ACommandThatDoesNotExistIsNamed) {
  ExpectError("inspekt " + Path("model"), 2,
              "'inspekt' is not a command; did you mean 'inspect'?\nRun 'ramet --help'");
  ExpectError("--jsn", 2, "--jsn");
  ExpectError("list --jsn " + Path("model"), 2, "not expected: --jsn");
}

// The server is a program of its own, which may be missing.
TEST_F(Cli, ServeStartsTheServerBesideIt) {
  const fs::path server = fs::path(RAMET_PROGRAM).parent_path() / "ramet-serve";
  if (fs::exists(server)) {
    EXPECT_THAT(Run("serve --version").out, StartsWith("ramet-serve "));
    EXPECT_EQ(Run("serve --no_such_flag=1").code, 2);
  }
  fs::create_directories(Path("alone"));
  fs::copy_file(RAMET_PROGRAM, Path("alone/ramet"));
  const auto run_alone = [](const std::string& arguments) {
    const std::string command = rm::StrCat("PATH=/nowhere '", Path("alone/ramet"), "' ", arguments,
                                           " > ", Path("stdout"), " 2>&1");
    const int status = std::system(command.c_str());
    return rm::StrCat(WEXITSTATUS(status), " ", Content(Path("stdout")));
  };
  EXPECT_THAT(run_alone("serve m"), StartsWith("1 ramet: NOT_FOUND: the program ramet-serve is not "
                                               "installed; install the Debian package"));
  EXPECT_THAT(run_alone("serve --help"), HasSubstr("ramet serve shm:policy"));
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

TEST_F(Cli, ReadsV1Checkpoints) {
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

TEST_F(Cli, InspectShowsInputsAndOutputs) {
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

TEST_F(Cli, InspectNamesVariablesMissingFromACheckpoint) {
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
  const std::string shown = " · " + Path("followed/model") + " · 3 tensors · 40 B · verified\n";
  Background follow(*dir_, "follow file:" + Path("followed"));
  std::string all;
  for (int step : {10, 20, 30}) {
    SaveModel(Path("followed/model"), step);
    all += rm::StrCat("step ", step, shown);
    follow.WaitForOutput(all);
  }
  follow.Interrupt();
  EXPECT_EQ(follow.Wait().out, all);
  Result result = Run("follow file:" + Path("followed") + " --timeout 0.1");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("no new checkpoint"));
  EXPECT_EQ(result.out, "step 30" + shown);
}

TEST_F(Cli, FollowRunsTheGraph) {
  ASSERT_TRUE(WriteNpy(Path("x.npy"), rm::Tensor::Of<float>({1, 3}, {1, 2, 3})).ok());
  SaveModel(Path("model"), 7);
  Result result =
      Run("follow file:" + *dir_ + " --once --timeout 60 --fetch out --feed x=" + Path("x.npy"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("step 7 · "));
  EXPECT_THAT(result.out, HasSubstr("  out:0  float[1,2] 6 6\n"));
  const json line = RunJson("follow file:" + *dir_ +
                            " --json --once --timeout 60 --fetch out --feed x=[[1,2,3]]");
  EXPECT_EQ(line["step"], 7);
  EXPECT_EQ(line["prefix"], Path("model"));
  EXPECT_EQ(line["fetched"]["out:0"]["values"], json({6, 6}));
}

TEST_F(Cli, FollowRejectsADamagedCheckpoint) {
  fs::create_directory(Path("damaged"));
  SaveModel(Path("damaged/model"), 1);
  const std::string data = Path("damaged/model.data-00000-of-00001");
  std::string bytes = Content(data);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(data, std::ios::binary) << bytes;
  ExpectError("follow --once file:" + Path("damaged"), 1, "DATA_LOSS");
}

TEST_F(Cli, FollowTakesALabelAPrefixAndAFolderWithoutAStateFile) {
  fs::create_directory(Path("labeled"));
  SaveModel(Path("labeled/model-1"), 1);
  const std::string folder = "file:" + Path("labeled");
  ASSERT_EQ(Run("sync promote " + folder + " 1 stable").code, 0);
  SaveModel(Path("labeled/model-2"), 2);
  SaveModel(Path("labeled/other-3"), 3);
  const std::string once = " --once --timeout 60 --fetch out --feed x=[[1,2,3]]";
  EXPECT_THAT(Run("follow " + folder + "@stable" + once).out,
              StartsWith("step 1 · " + Path("labeled/labels/model-1") + " · "));
  EXPECT_THAT(Run("follow " + folder + "/model" + once).out,
              StartsWith("step 2 · " + Path("labeled/model-2") + " · "));
  fs::remove(Path("labeled/checkpoint"));
  EXPECT_THAT(Run("follow " + folder + once).out,
              StartsWith("step 3 · " + Path("labeled/other-3") + " · "));
}

TEST_F(Cli, FollowSaysWhatItWaitsFor) {
  fs::create_directory(Path("empty"));
  const auto waiting = [](const std::string& address) {
    return Run("follow --timeout 0.8 file:" + address).err;
  };
  EXPECT_THAT(waiting(Path("nodir")), HasSubstr("waiting for a checkpoint '" + Path("nodir") +
                                                "': there is neither a checkpoint nor a folder"));
  EXPECT_THAT(waiting(Path("no/dir")), HasSubstr("waiting for a checkpoint in folder '" +
                                                 Path("no/dir") + "': the folder does not exist"));
  const std::string empty = waiting(Path("empty"));
  EXPECT_THAT(empty, HasSubstr("waiting for a checkpoint in folder '" + Path("empty") +
                               "': it has none yet"));
  EXPECT_EQ(std::ranges::count(empty, '\n'), 2) << empty;
}

TEST_F(Cli, ErrorsAreOneReadableLine) {
  ExpectError("list " + Path("nothing"), 1, Path("nothing"));
  ExpectError("inspect " + Path("nothing.meta"), 1, "nothing.meta");
  ExpectError("run " + Path("model") + " --fetch nothing", 1, "nothing");
  ExpectError("run " + Path("model"), 1, "--fetch NAME or --signature NAME");
  ExpectError("run " + Path("model") + " --fetch out", 1, "'x'");
  ExpectError("run " + Path("model") + " --fetch out --feed x", 1, "NAME=FILE.npy");
  ExpectError("run " + Path("model") + " --fetch out --feed x=" + Path("none.npy"), 1, "none.npy");
  ExpectError("follow --once --timeout 0.1 file:" + Path("none"), 1, "no new checkpoint");
}

TEST_F(Cli, UsageErrorsExitWithTwo) {
  ExpectError("", 2, "A command is required");
  ExpectError("lst", 2, "lst");
  ExpectError("list", 2, "FILE");
  ExpectError("insepct x", 2, "ramet: 'insepct' is not a command; did you mean 'inspect'?\n");
  ExpectError("sync", 2,
              "ramet: 'ramet sync' needs a subcommand; use status, promote or rollback\n");
  ExpectError("sync frob", 2,
              "ramet: 'frob' is not a command of 'ramet sync'; use status, promote or rollback\n");
  ExpectError("sync rollback shm:x one", 2, "ramet: VERSION: 'one' is not a number\n");
  ExpectError("sync promote shm:x 1", 2, "ramet: LABEL is required\n");
  ExpectError("list", 2, "Run 'ramet list --help' for more.\n");
  ExpectError("follow foo:bar", 2,
              "'foo:bar': unknown address scheme 'foo'; use file:DIR, redis://HOST/NAME, "
              "rediss://HOST/NAME, shm:NAME\n");
  ExpectError("follow ''", 2, "the address is empty; use file:DIR, redis://HOST/NAME");
}

TEST_F(Cli, WrongNamesAndFilesSayWhatToDo) {
  ExpectError("run " + Path("model") + " --fetch nothing", 1, "; 'ramet inspect' shows the names");
  ExpectError("run " + Path("model") + " --fetch save", 1, "did you mean 'save/");
  Run(rm::StrCat("convert ", Path("model"), " ", Path("w.npz")));
  ExpectError("run " + Path("w.npz"), 1, "has no graph");
  std::ofstream(Path("cut.meta"), std::ios::binary)
      << Content(Path("model.meta")).substr(0, fs::file_size(Path("model.meta")) / 2);
  ExpectError("inspect " + Path("cut.meta"), 1, "is not a model file, or is truncated; expected");
  ExpectError("draw " + Path("model.meta") + " -o " + Path("q.png"), 1,
              "expected a name that ends in .svg or .dot");
  EXPECT_FALSE(fs::exists(Path("q.png")));
  EXPECT_THAT(Run("convert " + Path("model") + " " + Path("alone.pb")).out,
              HasSubstr(", without the values of " + Path("model") + " ('ramet freeze'"));
  ExpectError("convert " + Path("model") + " " + Path("no/x"), 1,
              "the folder '" + Path("no") + "' does not exist");
  EXPECT_FALSE(fs::exists(Path("no")));
}

TEST_F(Cli, DiffShowsWhatDiffersAndByHowMuch) {
  SaveModel(Path("same"), 7);
  Result same = Run(rm::StrCat("diff ", Path("model"), " ", Path("same")));
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.out, "equal: 3 tensors\n");
  SaveModel(Path("other"), 9);
  Result other = Run(rm::StrCat("diff ", Path("model"), " ", Path("other")));
  EXPECT_EQ(other.code, 1);
  EXPECT_EQ(other.err, "");
  EXPECT_THAT(other.out, HasSubstr("global_step  int64[]  1 of 1 elements differ, by at most 2"));
  EXPECT_THAT(other.out, HasSubstr("1 of 3 tensors differs\n"));
  EXPECT_EQ(Run(rm::StrCat("diff --atol 2 ", Path("model"), " ", Path("other"))).code, 0);
  Result as_json = Run(rm::StrCat("diff --json ", Path("model"), " ", Path("other")));
  EXPECT_EQ(as_json.code, 1);
  const json parsed = json::parse(as_json.out);
  EXPECT_FALSE(parsed["equal"]);
  EXPECT_EQ(parsed["differences"][0]["max_absolute"], 2);
  ExpectError(rm::StrCat("diff ", Path("model"), " ", Path("nothing")), 2, "there is no file");
  ExpectError(rm::StrCat("diff ", Path("model")), 2, "B is required");
}

TEST_F(Cli, DiffOfDifferentShapesAndNames) {
  Run(rm::StrCat("convert ", Path("model"), " ", Path("renamed.npz"), " --rename '^b$=c'"));
  Result result = Run(rm::StrCat("diff ", Path("model"), " ", Path("renamed.npz")));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr("b  only in " + Path("model")));
  EXPECT_THAT(result.out, HasSubstr("c  only in " + Path("renamed.npz")));
  result = Run(rm::StrCat("diff --json ", Path("model"), " ", Path("renamed.npz")));
  EXPECT_EQ(json::parse(result.out)["differences"][0],
            json({{"name", "b"}, {"difference", "only in a"}, {"a", "float[2]"}}));
  Run(rm::StrCat("convert ", Path("model"), " ", Path("half.npz"), " --dtype half"));
  result = Run(rm::StrCat("diff ", Path("model"), " ", Path("half.npz")));
  EXPECT_THAT(result.out, HasSubstr("w  float[3,2] and half[3,2]"));
}

TEST_F(Cli, ConvertRoundTrips) {
  for (const char* name : {"x.safetensors", "x.npz", "x-v2"}) {
    Result there = Run(rm::StrCat("convert ", Path("model"), " ", Path(name)));
    ASSERT_EQ(there.code, 0) << there.err;
    EXPECT_THAT(there.out, HasSubstr("3 tensors"));
    EXPECT_EQ(Run(rm::StrCat("diff ", Path("model"), " ", Path(name))).code, 0) << name;
    ASSERT_EQ(Run(rm::StrCat("convert ", Path(name), " ", Path("back"))).code, 0);
    EXPECT_EQ(Run(rm::StrCat("diff ", Path("model"), " ", Path("back"))).code, 0) << name;
    EXPECT_EQ(RunJson(rm::StrCat("list --json ", Path(name))).size(), 3u);
  }
  const json b = RunJson(rm::StrCat("print --json ", Path("x.npz"), " w --max 2"));
  EXPECT_EQ(b["values"], json::array({1, 1}));
  EXPECT_EQ(b["shape"], json::array({3, 2}));
}

TEST_F(Cli, ConvertsShardsSelectsAndCompresses) {
  ASSERT_EQ(Run(rm::StrCat("convert ", Path("model"), " ", Path("sharded"), " --shards 3")).code,
            0);
  EXPECT_TRUE(fs::exists(Path("sharded.data-00002-of-00003")));
  EXPECT_EQ(Run(rm::StrCat("diff ", Path("model"), " ", Path("sharded"))).code, 0);
  ASSERT_EQ(Run(rm::StrCat("convert ", Path("model"), " ", Path("more"), " --shards 5")).code, 0);
  EXPECT_EQ(Run(rm::StrCat("diff ", Path("model"), " ", Path("more"))).code, 0);
  Run(rm::StrCat("convert ", Path("model"), " ", Path("w.npz"), " --select '^w$' --compress"));
  EXPECT_EQ(RunJson(rm::StrCat("list --json ", Path("w.npz"))).size(), 1u);
  ExpectError(rm::StrCat("convert ", Path("model"), " ", Path("x.npz"), " --select nothing"), 1,
              "no tensor");
  ExpectError(rm::StrCat("convert ", Path("model"), " ", Path("x.npz"), " --rename '.*=a'"), 1,
              "maps both");
  ExpectError(rm::StrCat("convert ", Path("model"), " ", Path("x.npz"), " --rename '(=a'"), 1,
              "not a valid regular expression");
  ExpectError(rm::StrCat("convert ", Path("model"), " ", Path("x.npz"), " --dtype int32"), 1,
              "half, bfloat16, float or double");
  ExpectError(rm::StrCat("convert ", Path("model"), " ", Path("x.npz"), " --dtype bfloat16"), 1,
              "NumPy has no dtype for bfloat16; use --select PATTERN");
  ExpectError(rm::StrCat("convert ", Path("w.npz"), " ", Path("model"), " --format v1"), 1,
              "already exists");
  ExpectError(rm::StrCat("convert ", Path("model"), " ", *dir_), 1, "is a folder");
  ExpectError(rm::StrCat("convert ", Path("model"), " ", Path("x.npz"), " --format zip"), 2,
              "--format");
}

TEST_F(Cli, ConvertsGraphsToTextAndBack) {
  Result text = Run(rm::StrCat("convert ", Path("model.meta"), " ", Path("model.pbtxt")));
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("MetaGraphDef in text form"));
  EXPECT_THAT(Content(Path("model.pbtxt")), HasSubstr("op: \"MatMul\""));
  Result back = Run(rm::StrCat("convert ", Path("model.pbtxt"), " ", Path("back.meta")));
  ASSERT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(Content(Path("back.meta")), Content(Path("model.meta")));
  ExpectError(rm::StrCat("convert ", Path("model.index"), " ", Path("x.pbtxt")), 1,
              "is not a GraphDef");
}

TEST_F(Cli, DrawsPictures) {
  Result svg = Run(rm::StrCat("draw ", Path("model.meta")));
  ASSERT_EQ(svg.code, 0) << svg.err;
  EXPECT_THAT(svg.out, StartsWith("<svg xmlns="));
  EXPECT_THAT(svg.out, HasSubstr(">MatMul</text>"));
  EXPECT_THAT(svg.out, Not(HasSubstr(">save/")));
  EXPECT_THAT(Run(rm::StrCat("draw --all ", Path("model.meta"))).out, HasSubstr("save"));
  Result dot = Run(rm::StrCat("draw ", Path("model.meta"), " --format dot"));
  EXPECT_THAT(dot.out, StartsWith("digraph "));
  EXPECT_THAT(dot.out, HasSubstr(" -> "));
  Result file = Run(rm::StrCat("draw ", Path("model.meta"), " -o ", Path("model.svg")));
  EXPECT_THAT(file.out, HasSubstr("boxes of"));
  EXPECT_EQ(Content(Path("model.svg")), svg.out);
  ExpectError(rm::StrCat("draw ", Path("model.meta"), " -o ", Path("no/x.svg")), 1,
              "cannot be written: No such file");
  ExpectError(rm::StrCat("draw ", Path("model.meta"), " -o /dev/full"), 1, "No space left");
  ExpectError(rm::StrCat("draw ", Path("model.meta"), " --scope nowhere"), 1,
              "nothing to draw in scope 'nowhere'");
}

TEST_F(Cli, CompletesCommandsAndOptions) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    Result result = Run(rm::StrCat("completion ", shell));
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("convert"));
    EXPECT_THAT(result.out, HasSubstr("rename"));
  }
  const std::string script = Path("completion.bash");
  Run("completion bash");
  fs::copy(Path("stdout"), script, fs::copy_options::overwrite_existing);
  auto complete = [&](const std::string& words, int at) {
    const std::string command =
        rm::StrCat("bash -c 'source ", script, "; COMP_WORDS=(", words, "); COMP_CWORD=", at,
                   "; _ramet; echo ${COMPREPLY[@]}' > ", Path("stdout"));
    EXPECT_EQ(std::system(command.c_str()), 0);
    return Content(Path("stdout"));
  };
  EXPECT_EQ(complete("ramet conv", 1), "convert\n");
  EXPECT_EQ(complete("ramet fr", 1), "freeze\n");
  EXPECT_EQ(complete("ramet freeze --out", 2), "--output --output-nodes\n");
  EXPECT_EQ(complete("ramet diff --rt", 2), "--rtol\n");
  EXPECT_EQ(complete("ramet diff mod", 2), "\n");
  ExpectError("completion csh", 2, "csh");
}

TEST_F(Cli, NoColorsOutsideATerminal) {
  EXPECT_THAT(Run(rm::StrCat("diff ", Path("model"), " ", Path("model"))).out,
              Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace cli
