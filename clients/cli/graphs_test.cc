// Tests of the commands that transform or compare graphs: clone, extract, merge, diff-graph.
#include "cli_testing.h"

namespace cli {
namespace {

class Graphs : public Cli {
 protected:
  static void Write(const std::string& name, const std::string& content) {
    std::ofstream(Path(name), std::ios::binary) << content;
  }
  static std::string RunNet(const std::string& model, const std::string& x,
                            const std::string& out) {
    Result run = Run(rm::StrCat("run ", Path(model), " --feed ", x, "=[[1,2,3]] --fetch ", out));
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  }
};

TEST_F(Graphs, CloneWritesGraphAndValues) {
  Result made =
      Run("clone " + Path("model.meta") + " --from x:0 --to out:0 --scope copy --device " +
          "/cpu:0 -o " + Path("both.meta") + " --checkpoint " + Path("model"));
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.err, "");
  EXPECT_THAT(made.out, HasSubstr("under copy, 2 variables, with their values in " + Path("both")));
  EXPECT_THAT(made.out, HasSubstr("input copy/x:0 (original x:0)"));
  EXPECT_THAT(made.out, HasSubstr("output copy/out:0 (original out:0)"));
  EXPECT_EQ(RunNet("both", "copy/x", "copy/out"), "copy/out:0  float[1,2] 6 6\n");
  EXPECT_EQ(RunNet("both", "x", "out"), "out:0  float[1,2] 6 6\n");
  EXPECT_EQ(Run("print " + Path("both") + " copy/w").out, "copy/w  float[3,2] 1 1 1 1 1 1\n");
  EXPECT_EQ(Run("print " + Path("both") + " global_step").out, "global_step  int64[] 7\n");
  rm::Graph graph;
  ASSERT_TRUE(rm::ImportMetaGraphFile(graph, Path("both.meta")).ok());
  EXPECT_EQ(graph.FindOperation("copy/out")->device(), "/device:CPU:0");
  EXPECT_FALSE(fs::exists(Path("checkpoint_of_both")));
}

TEST_F(Graphs, CloneWithoutValuesIsInitialized) {
  fs::copy_file(Path("model.meta"), Path("alone.meta"), fs::copy_options::overwrite_existing);
  const json made = RunJson("clone " + Path("alone.meta") +
                            " --to out --dtype bfloat16 --json -o " + Path("bf.meta"));
  EXPECT_EQ(made["checkpoint"], json());
  EXPECT_EQ(made["outputs"], json({{"out", "copy/out"}}));
  EXPECT_EQ(made["variables"], json({{"b", "copy/b"}, {"w", "copy/w"}}));
  EXPECT_EQ(made["init_op"], "copy/init");
  EXPECT_FALSE(fs::exists(Path("bf.index")));
  const json seen = RunJson("inspect --json " + Path("bf.meta"));
  for (const json& v : seen["graph"]["variables"]) {
    const bool copied = v["name"].get<std::string>().starts_with("copy/");
    if (v["name"] != "global_step") {
      EXPECT_EQ(v["dtype"], copied ? "bfloat16" : "float");
    }
  }
  Result train = Run("clone " + Path("alone.meta") + " --strip-training -o " + Path("s.meta"));
  EXPECT_EQ(train.code, 0) << train.err;
  EXPECT_THAT(train.out, HasSubstr(", 2 variables, initialized by copy/init"));
}

TEST_F(Graphs, ExtractWritesAPartOfAGraph) {
  Result made =
      Run("extract " + Path("model") + " --to out --strip-training -o " + Path("net.meta"));
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(RunNet("net", "x", "out"), "out:0  float[1,2] 6 6\n");
  EXPECT_EQ(Run("list " + Path("net")).out.find("global_step"), std::string::npos);
  const json head = RunJson("extract " + Path("model") +
                            " --from MatMul:0 --to out --scope head "
                            "--json -o " +
                            Path("head.meta"));
  EXPECT_EQ(head["inputs"], json({{"MatMul:0", "head/MatMul:0"}}));
  EXPECT_EQ(head["variables"], json({{"b", "head/b"}}));
  Result run = Run("run " + Path("head") + " --feed head/MatMul=[[1,2]] --fetch head/out");
  EXPECT_EQ(run.out, "head/out:0  float[1,2] 1 2\n") << run.err;
  ExpectError("extract " + Path("model") + " -o " + Path("no.meta"), 1, "--to NAME");
}

TEST_F(Graphs, MergePutsEachGraphInAScope) {
  SaveModel(Path("second"), 9);
  Result made =
      Run("merge " + Path("model.meta") + " " + Path("second") + " -o " + Path("merged.meta"));
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr(Path("model.meta") + " under model: "));
  EXPECT_EQ(RunNet("merged", "second/x", "second/out"), "second/out:0  float[1,2] 6 6\n");
  EXPECT_EQ(Run("print " + Path("merged") + " model/global_step").out,
            "model/global_step  int64[] 7\n");
  EXPECT_EQ(Run("print " + Path("merged") + " second/global_step").out,
            "second/global_step  int64[] 9\n");
  const json named = RunJson("merge " + Path("model") + " " + Path("second") +
                             " --scopes /,other --json -o " + Path("named.meta"));
  EXPECT_EQ(named["graphs"][0]["scope"], "");
  EXPECT_EQ(named["graphs"][1]["scope"], "other");
  EXPECT_EQ(Run("print " + Path("named") + " other/global_step").out,
            "other/global_step  int64[] 9\n");
  ExpectError("merge " + Path("model") + " -o " + Path("no.meta"), 1, "at least two graphs");
  ExpectError("merge " + Path("model") + " " + Path("second") + " --scopes a -o " + Path("no.meta"),
              1, "--scopes has 1 name for 2 graphs");
}

TEST_F(Graphs, DiffGraphIgnoresNames) {
  const std::string model = Path("model.meta");
  EXPECT_THAT(Run("diff-graph " + model + " " + model).out, StartsWith("equal: "));
  ASSERT_EQ(Run("extract " + model + " --to out --scope other -o " + Path("o.meta")).code, 0);
  ASSERT_EQ(Run("extract " + model + " --to out -o " + Path("p.meta")).code, 0);
  Result same = Run("diff-graph " + Path("o.meta") + " " + Path("p.meta"));
  EXPECT_EQ(same.code, 0) << same.out;
  ASSERT_EQ(Run("clone " + model + " --to out -o " + Path("both2.meta")).code, 0);
  Result whole = Run("diff-graph " + model + " " + Path("both2.meta"));
  EXPECT_EQ(whole.code, 1);
  EXPECT_THAT(whole.out, HasSubstr("without a counterpart"));
  EXPECT_EQ(Run("diff-graph " + model + " " + Path("none.meta")).code, 2);
  EXPECT_EQ(Run("diff-graph " + model + " " + model + " --scope-a nothing").code, 2);
}

TEST_F(Graphs, DiffGraphShowsWhereGraphsDiffer) {
  auto write = [](const std::string& name, const char* activation, float scale, bool transpose) {
    rm::Graph g;
    rm::Scope s(g);
    auto x = s.Placeholder("in_" + name, rm::kFloat, {2, 2});
    auto m = rm::AddOp(g, "MatMul", {x, x}, {{"transpose_b", transpose}}, "m_" + name).output(0);
    auto loop = rm::WhileLoop(
        s, [&](const rm::Outputs& v) { return rm::Less(v[0], 3); },
        [&](const rm::Outputs& v) {
          return rm::Outputs{v[0] + 1, v[1] * scale};
        },
        {0, m})[1];
    rm::AddOp(g, activation, {loop}, {}, "act_" + name);
    ASSERT_TRUE(rm::ExportMetaGraphFile(g, Path(name + ".meta")).ok());
  };
  write("a", "Relu", 2, false);
  write("b", "Relu", 2, false);
  write("c", "Tanh", 2, false);
  write("d", "Relu", 2, true);
  write("e", "Relu", 3, false);
  const auto diff = [](const char* other) {
    return Run("diff-graph " + Path("a.meta") + " " + Path(std::string(other) + ".meta"));
  };
  Result same = diff("b");
  EXPECT_EQ(same.code, 0) << same.out;
  Result op = diff("c");
  EXPECT_EQ(op.code, 1);
  EXPECT_THAT(op.out, HasSubstr("act_a and act_c  the ops differ: Relu and Tanh\n"));
  EXPECT_THAT(op.out, HasSubstr("the graphs differ at 1 place\n"));
  Result attr = diff("d");
  EXPECT_EQ(attr.code, 1);
  EXPECT_THAT(attr.out, HasSubstr("m_a and m_d  MatMul, transpose_b: false and true\n"));
  EXPECT_THAT(attr.out, HasSubstr(" depend on these\n"));
  Result value = diff("e");
  EXPECT_EQ(value.code, 1);
  EXPECT_THAT(value.out, HasSubstr("Const, value: "));
  Result as_json = Run("diff-graph --json " + Path("a.meta") + " " + Path("c.meta"));
  EXPECT_EQ(as_json.code, 1);
  const json seen = json::parse(as_json.out);
  EXPECT_EQ(seen["equal"], false);
  EXPECT_EQ(seen["differences"][0]["a"], "act_a");
}

TEST_F(Graphs, DiffGraphNamesTheScopes) {
  Run("clone " + Path("model.meta") + " --to out --scope twin -o " + Path("twin.meta"));
  const std::string both = Path("twin.meta") + " " + Path("twin.meta");
  EXPECT_THAT(Run("diff-graph " + both + " --scope-a twin --scope-b save").out,
              HasSubstr(" of twin in " + Path("twin.meta")));
}

TEST_F(Graphs, WrongArgumentsAreErrors) {
  ExpectError(
      "merge " + Path("model") + " " + Path("model") + " --scopes a,a -o " + Path("twice.meta"), 1,
      "--scopes names 'a' twice");
  ExpectError(
      "merge " + Path("model") + " " + Path("model") + " --scopes a -o " + Path("twice.meta"), 1,
      "--scopes has 1 name for 2 graphs");
  const std::string to = " -o " + Path("no.meta");
  ExpectError("clone " + Path("model") + " --to zz" + to, 1, "outputs");
  ExpectError("clone " + Path("model") + " --from zz:0 --to out" + to, 1, "inputs");
  ExpectError("clone " + Path("model") + " --to out --scope 'a b'" + to, 1, "dst_scope");
  ExpectError("clone " + Path("model") + " --to out --dtype text" + to, 1, "--dtype");
  ExpectError("clone " + Path("model") + " --to out --dtype int32" + to, 1, "dtype");
  ExpectError("clone " + Path("model") + " --to out --under x" + to, 1, "outputs");
  ExpectError("clone " + Path("model") + " --to out -o " + Path("no.pb"), 1, "ends in .meta");
  ExpectError("clone " + Path("model") + " --to out -o " + Path("no/folder.meta"), 1,
              "does not exist");
  ExpectError("clone " + Path("nothing") + " --to out" + to, 1, "nothing");
  ExpectError("clone " + Path("model") + " --to out", 2, "--output is required");
  Write("damaged.meta", std::string(200, '\x7f'));
  ExpectError("clone " + Path("damaged.meta") + to, 1, "damaged.meta");
  ExpectError("extract " + Path("damaged.meta") + " --to out" + to, 1, "damaged.meta");
  ExpectError("merge " + Path("damaged.meta") + " " + Path("model") + to, 1, "damaged.meta");
  ExpectError("diff-graph " + Path("damaged.meta") + " " + Path("model"), 2, "damaged.meta");
  const std::string whole = Content(Path("model.meta"));
  for (size_t size : {size_t{0}, whole.size() / 3, whole.size() - 1}) {
    Write("short.meta", whole.substr(0, size));
    for (const std::string& command : {"clone " + Path("short.meta") + to,
                                       "merge " + Path("short.meta") + " " + Path("model") + to}) {
      EXPECT_EQ(Run(command).code, 1) << size;
    }
    EXPECT_EQ(Run("diff-graph " + Path("short.meta") + " " + Path("model.meta")).code, 2) << size;
  }
  EXPECT_FALSE(fs::exists(Path("no.meta")));
}

TEST_F(Graphs, CompletionAndHelpListTheCommands) {
  const std::string bash = Run("completion bash").out, help = Run("--help").out;
  for (const char* command : {"clone", "extract", "merge", "diff-graph"}) {
    EXPECT_THAT(bash, HasSubstr(rm::StrCat("\n      ", command, ") words='")));
    EXPECT_THAT(help, HasSubstr(rm::StrCat("\n  ", command, " ")));
    EXPECT_THAT(Run(std::string(command) + " --help").out, HasSubstr("Examples:"));
  }
}

}  // namespace
}  // namespace cli
