// Every golden model of the folder that RAMET_ZOO names is cloned whole: the clone, started from
// the original's values, computes the same bits, and neither moves the other.

#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "case_file.h"

namespace ramet::zoo {
namespace {

namespace fs = std::filesystem;

bool CanRun(const Case& c) { return !c.must_be_fetched || fs::exists(c.graph_path); }

StatusOr<Session> Load(const Case& c, Graph& graph) {
  SessionOptions options;
  options.device_count = c.device_count;
  options.allow_soft_placement = true;
  options.deterministic = true;
  if (c.kind == "frozen") {
    RAMET_RETURN_IF_ERROR(ImportGraphDefFile(graph, c.graph_path, {.name = ""}).status());
    return Session::Create(graph, options);
  }
  if (c.kind == "savedmodel") {
    RAMET_ASSIGN_OR_RETURN(Session session, Session::Create(graph, options));
    RAMET_RETURN_IF_ERROR(LoadSavedModel(session, c.graph_path, c.tags).status());
    return session;
  }
  RAMET_ASSIGN_OR_RETURN(
      ImportedMetaGraph imported,
      ImportMetaGraph(graph, c.graph_path,
                      {.import_scope = c.import_scope, .clear_devices = c.clear_devices}));
  RAMET_ASSIGN_OR_RETURN(Session session, Session::Create(graph, options));
  if (c.checkpoint.empty()) return session;
  SaverOptions map;
  for (const auto& [key, name] : c.restore_map) {
    const auto found = std::ranges::find(imported.info.variables, name, &Variable::op_name);
    if (found == imported.info.variables.end()) return NotFound("no variable '", name, "'");
    map.var_map.emplace_back(key, *found);
  }
  if (!map.var_map.empty()) {
    Saver saver(graph, map);
    RAMET_RETURN_IF_ERROR(saver.Restore(session, c.checkpoint));
    return session;
  }
  RAMET_RETURN_IF_ERROR(imported.saver.Restore(session, c.checkpoint));
  return session;
}

bool SameBits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  if (a.dtype() == kString) {
    return std::equal(a.data<std::string>(), a.data<std::string>() + a.num_elements(),
                      b.data<std::string>());
  }
  return std::memcmp(a.raw_data(), b.raw_data(), a.bytes()) == 0;
}

// The steps of a case on the original or on the clone.
class Steps {
 public:
  Steps(Session& session, const Cloned& clone, bool on_clone)
      : session_(session), clone_(clone), on_clone_(on_clone) {}

  // What each step gave; an empty list for one that failed.
  std::vector<std::vector<Tensor>> Run(const Case& c) {
    std::vector<std::vector<Tensor>> results;
    for (const Step& step : c.steps) {
      Feeds feeds;
      for (const Feed& feed : step.feeds) feeds.push_back({At(feed.tensor), feed.value});
      std::vector<GraphElement> fetches;
      for (const std::string& name : step.fetches) fetches.push_back(At(name));
      for (const std::string& name : step.targets) fetches.push_back(At(name));
      auto got = session_.Run(feeds, fetches);
      EXPECT_EQ(got.ok(), step.error_code.empty()) << got.status().ToString();
      results.push_back(got.ok() ? *std::move(got) : std::vector<Tensor>());
    }
    return results;
  }

 private:
  GraphElement At(const GraphElement& element) const {
    const auto* name = std::get_if<std::string>(&element.element());
    if (!on_clone_ || name == nullptr) return element;
    if (name->find(':') != std::string::npos) return clone_.Transformed(*name);
    return clone_.Transformed(clone_.source().FindOperation(*name).value());
  }

  Session& session_;
  const Cloned& clone_;
  const bool on_clone_;
};

std::vector<Tensor> Values(Session& session, const Cloned& clone, bool of_clone) {
  std::vector<Tensor> values;
  for (const ClonedVariable& v : clone.variables()) {
    const Output node = of_clone ? v.copy.ref() : v.original;
    const auto& records = node.graph()->variables();
    for (size_t i = 0; i < records.size(); ++i) {
      if (records[i].variable != node) continue;
      values.push_back(session.Value(Variable(node.graph(), static_cast<VariableId>(i))).value());
      break;
    }
  }
  return values;
}

void ExpectSame(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(SameBits(a[i], b[i])) << what << " " << i;
}

// The paths of a SavedModel's files, which its loader feeds to what initialises tables.
Feeds AssetPaths(Session& from, const Cloned& clone, const std::string& folder) {
  Feeds feeds;
  for (const Output& path : clone.source().collections().Get<Output>("asset_filepaths")) {
    if (!clone.Transformed(path).valid()) continue;
    const std::string written = from.Run(path).value()[0].scalar<std::string>();
    const fs::path file = fs::path(folder) / "assets" / fs::path(written).filename();
    if (fs::exists(file)) feeds.push_back({clone.Transformed(path), Tensor(file.string())});
  }
  return feeds;
}

// The clone of an uninitialised variable stays one; init_op would say so.
void StartFrom(Session& from, Session& to, const Cloned& clone, const Case& c) {
  const Feeds assets = AssetPaths(from, clone, c.graph_path);
  for (const char* key : {"table_initializer", "saved_model_main_op", "legacy_init_op"}) {
    for (const Operation& op : clone.source().collections().Get<Operation>(key)) {
      if (!clone.Transformed(op).valid()) continue;
      const auto run = to.Run(assets, clone.Transformed(op));
      ASSERT_TRUE(run.ok()) << run.status().ToString();
    }
  }
  const auto known = Values(from, clone, false);
  if (std::ranges::none_of(known, &Tensor::empty)) {
    const auto run = to.Run(clone.init_op());
    ASSERT_TRUE(run.ok()) << run.status().ToString();
    return;
  }
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].empty()) continue;
    ASSERT_TRUE(to.Assign(clone.variables()[i].copy, known[i]).ok());
  }
}

class CloneZooTest : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CloneZooTest);

TEST_P(CloneZooTest, ComputesTheSameAndMovesAlone) {
  const Case c = LoadCase(GetParam()).value();
  if (!CanRun(c)) GTEST_SKIP() << "skipped: its files are not there";
  Graph graph;
  auto session = Load(c, graph);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  auto clone = Clone(graph, {.initial = kCurrent});
  ASSERT_TRUE(clone.ok()) << clone.status().ToString();
  for (const std::string& name : c.init_ops) ASSERT_TRUE(session->Run(Fetches(name)).ok());
  StartFrom(*session, *session, *clone, c);
  const auto before = Values(*session, *clone, true);
  ExpectSame(before, Values(*session, *clone, false), "first values");

  const auto original = Steps(*session, *clone, false).Run(c);
  ExpectSame(before, Values(*session, *clone, true), "clone, after the original's steps");
  const auto after = Values(*session, *clone, false);
  const auto cloned = Steps(*session, *clone, true).Run(c);
  ExpectSame(after, Values(*session, *clone, false), "original, after the clone's steps");
  ASSERT_EQ(original.size(), cloned.size());
  for (size_t i = 0; i < original.size(); ++i) {
    SCOPED_TRACE(c.steps[i].comment);
    ExpectSame(original[i], cloned[i], "fetch");
  }
  if (std::ranges::any_of(after, &Tensor::empty)) return;
  ASSERT_TRUE(session->Run(clone->UpdateOp().value()).ok());
  ExpectSame(after, Values(*session, *clone, true), "after the update");
}

TEST_P(CloneZooTest, ComputesTheSameInAnotherGraph) {
  const Case c = LoadCase(GetParam()).value();
  if (!CanRun(c)) GTEST_SKIP() << "skipped: its files are not there";
  Graph graph, other;
  auto session = Load(c, graph);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  for (const std::string& name : c.init_ops) ASSERT_TRUE(session->Run(Fetches(name)).ok());
  CloneInitial initial = session->UninitializedVariables().empty() ? kCurrent : kInitializer;
  auto clone = Clone(graph, {.into = &other,
                             .dst_scope = "there",
                             .initial = initial,
                             .value_of = [&](const Variable& v) { return session->Value(v); }});
  ASSERT_TRUE(clone.ok()) << clone.status().ToString();
  auto there = Session::Create(other, session->options());
  ASSERT_TRUE(there.ok()) << there.status().ToString();
  StartFrom(*session, *there, *clone, c);
  const auto original = Steps(*session, *clone, false).Run(c);
  const auto cloned = Steps(*there, *clone, true).Run(c);
  for (size_t i = 0; i < original.size(); ++i) ExpectSame(original[i], cloned[i], "fetch");
}

INSTANTIATE_TEST_SUITE_P(Cases, CloneZooTest, testing::ValuesIn(CaseFolders()),
                         [](const auto& info) { return NameOf(info.param); });

TEST(CloneZooFolderTest, HasCases) {
  if (std::getenv("RAMET_ZOO") == nullptr) GTEST_SKIP() << "skipped: RAMET_ZOO is not set";
  EXPECT_FALSE(CaseFolders().empty()) << "no case.json in the folders of RAMET_ZOO";
}

}  // namespace
}  // namespace ramet::zoo
