// Loads, restores and runs every golden model in the folder RAMET_ZOO according to its case.json,
// and compares the results with real TensorFlow's.

#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "case_file.h"
#include "compare.h"

namespace ramet::zoo {
namespace {

namespace fs = std::filesystem;

SessionOptions OptionsOf(const Case& c) {
  SessionOptions options;
  options.device_count = c.device_count;
  options.allow_soft_placement = true;
  return options;
}

// Returns the variable that a restore map names "v" or "v:0", including reference variables that
// are in no collection of the file.
StatusOr<Variable> VariableOf(Graph& graph, const std::vector<Variable>& variables,
                              const std::string& name) {
  for (const Variable& v : variables) {
    if (v.op_name() == name || v.name() == name) return v;
  }
  RAMET_ASSIGN_OR_RETURN(const Output tensor,
                         graph.Tensor(name.ends_with(":0") ? name : name + ":0"));
  if (!IsRef(tensor.dtype())) return NotFound("restore_map: '", name, "' is not a variable");
  VariableRecord record;
  record.variable = record.snapshot = tensor;
  return Variable(&graph, graph.AddVariable(record));
}

StatusOr<SaverOptions> MapOf(const Case& c, Graph& graph, const std::vector<Variable>& variables) {
  SaverOptions options;
  for (const auto& [key, name] : c.restore_map) {
    RAMET_ASSIGN_OR_RETURN(const Variable variable, VariableOf(graph, variables, name));
    options.var_map.emplace_back(key, variable);
  }
  return options;
}

StatusOr<Session> LoadMetaGraph(const Case& c, Graph& graph) {
  RAMET_ASSIGN_OR_RETURN(ImportedMetaGraph imported,
                         ImportMetaGraph(graph, c.graph_path,
                                         {.import_scope = c.import_scope,
                                          .clear_devices = c.clear_devices,
                                          .validate_shapes = !c.strip_output_shapes}));
  RAMET_ASSIGN_OR_RETURN(Session session, Session::Create(graph, OptionsOf(c)));
  if (c.checkpoint.empty()) return session;
  if (c.restore_map.empty()) {
    RAMET_RETURN_IF_ERROR(imported.saver.Restore(session, c.checkpoint));
    return session;
  }
  RAMET_ASSIGN_OR_RETURN(const SaverOptions options, MapOf(c, graph, imported.info.variables));
  Saver saver(graph, options);
  RAMET_RETURN_IF_ERROR(saver.Restore(session, c.checkpoint));
  return session;
}

StatusOr<Session> LoadModel(const Case& c, Graph& graph) {
  RAMET_ASSIGN_OR_RETURN(Session session, Session::Create(graph, OptionsOf(c)));
  RAMET_RETURN_IF_ERROR(LoadSavedModel(session, c.graph_path, c.tags).status());
  return session;
}

StatusOr<Session> LoadFrozen(const Case& c, Graph& graph) {
  RAMET_RETURN_IF_ERROR(ImportGraphDefFile(graph, c.graph_path, {.name = ""}).status());
  return Session::Create(graph, OptionsOf(c));
}

StatusOr<Session> Load(const Case& c, Graph& graph) {
  if (c.kind == "frozen") return LoadFrozen(c, graph);
  if (c.kind == "savedmodel") return LoadModel(c, graph);
  if (c.kind.starts_with("metagraph+")) return LoadMetaGraph(c, graph);
  return InvalidArgument("case.json: unknown kind '", c.kind, "'");
}

std::string Compare(const Tensor& got, const Expected& expected, const Step& step) {
  if (expected.strides.empty()) return Difference(got, expected.value, step.rtol, step.atol);
  if (got.shape() != expected.full_shape) {
    return StrCat("its shape is ", got.shape(), ", expected ", expected.full_shape);
  }
  return Difference(Subsample(got, expected.strides), expected.value, step.rtol, step.atol);
}

void RunStep(Session& session, const Step& step) {
  std::vector<GraphElement> elements(step.fetches.begin(), step.fetches.end());
  elements.insert(elements.end(), step.targets.begin(), step.targets.end());
  const auto got = session.Run(step.feeds, Fetches(std::move(elements)));
  if (!step.error_code.empty()) {
    ASSERT_FALSE(got.ok()) << "the run must fail with " << step.error_code;
    EXPECT_EQ(CodeName(got.status().code()), step.error_code) << got.status().ToString();
    EXPECT_NE(got.status().message().find(step.error_message), std::string::npos)
        << "no '" << step.error_message << "' in: " << got.status().message();
    return;
  }
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  for (size_t i = 0; i < step.fetches.size(); ++i) {
    EXPECT_EQ(Compare((*got)[i], step.expected[i], step), "") << step.fetches[i];
  }
}

// Loads a case in a session without these passes and runs its init ops.
StatusOr<Session> Prepare(const Case& c, Graph& graph, const char* passes) {
  setenv("RAMET_PASSES", passes, 1);
  auto session = Load(c, graph);
  unsetenv("RAMET_PASSES");
  RAMET_RETURN_IF_ERROR(session.status());
  for (const std::string& name : c.init_ops) {
    RAMET_RETURN_IF_ERROR(session->Run(Fetches(name)).status());
  }
  return session;
}

class ZooTest : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ZooTest);

TEST_P(ZooTest, MatchesTensorFlow) {
  const auto loaded = LoadCase(GetParam());
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  const Case& c = *loaded;
  if (c.must_be_fetched && !fs::exists(c.graph_path)) {
    GTEST_SKIP() << "skipped: the model's files are not stored next to " << GetParam();
  }
  Graph graph;
  auto session = Load(c, graph);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  for (const std::string& name : c.init_ops) {
    const auto run = session->Run(Fetches(name));
    ASSERT_TRUE(run.ok()) << "init op " << name << ": " << run.status().ToString();
  }
  for (size_t i = 0; i < c.steps.size(); ++i) {
    SCOPED_TRACE(StrCat("step ", i, " ", c.steps[i].comment));
    RunStep(*session, c.steps[i]);
  }
}

// Runs every step of a case with the given passes and without any, and compares the fetches by
// `difference`.
template <class Fn>
void CompareWithoutPasses(const Case& c, const char* passes, Fn difference) {
  if (c.must_be_fetched && !fs::exists(c.graph_path)) GTEST_SKIP() << "skipped: no files";
  Graph first, second;
  auto with = Prepare(c, first, passes), without = Prepare(c, second, "none");
  ASSERT_TRUE(with.ok() && without.ok()) << with.status().ToString();
  for (const Step& step : c.steps) {
    std::vector<GraphElement> elements(step.fetches.begin(), step.fetches.end());
    elements.insert(elements.end(), step.targets.begin(), step.targets.end());
    const auto found = with->Run(step.feeds, Fetches(elements));
    const auto expected = without->Run(step.feeds, Fetches(elements));
    ASSERT_EQ(found.status().ToString(), expected.status().ToString()) << step.comment;
    for (size_t i = 0; found.ok() && i < step.fetches.size(); ++i) {
      EXPECT_EQ(difference((*found)[i], (*expected)[i], step), "") << step.fetches[i];
    }
  }
}

TEST_P(ZooTest, ExactPassesKeepTheBits) {
  const auto c = LoadCase(GetParam());
  ASSERT_TRUE(c.ok()) << c.status().ToString();
  CompareWithoutPasses(*c, "constant_folding,arithmetic,common_subexpressions",
                       [](const Tensor& found, const Tensor& expected, const Step&) {
                         return found.BitwiseEquals(expected) ? "" : "other bits";
                       });
}

// Fused steps may round differently.
TEST_P(ZooTest, PassesKeepTheResults) {
  const auto c = LoadCase(GetParam());
  ASSERT_TRUE(c.ok()) << c.status().ToString();
  CompareWithoutPasses(*c, "all",
                       [](const Tensor& found, const Tensor& expected, const Step& step) {
                         return Difference(found, expected, step.rtol, step.atol);
                       });
}

INSTANTIATE_TEST_SUITE_P(Cases, ZooTest, ::testing::ValuesIn(CaseFolders()),
                         [](const auto& info) { return NameOf(info.param); });

TEST(ZooFolderTest, HasCases) {
  if (std::getenv("RAMET_ZOO") == nullptr) GTEST_SKIP() << "skipped: RAMET_ZOO is not set";
  EXPECT_FALSE(CaseFolders().empty()) << "no case.json in the folders of RAMET_ZOO";
}

}  // namespace
}  // namespace ramet::zoo
