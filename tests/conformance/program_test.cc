// Compares small graphs with real TensorFlow (tests/data/conformance_programs, written by
// gen_programs.py), for ops that are meaningful only together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "case.h"
#include "device.h"
#include "json.h"
#include "ramet/gradients/gradients.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/scope.h"
#include "ramet/graph_def/meta_graph.h"
#include "ramet/runtime/session.h"

namespace ramet::conformance {
namespace {

struct Program {
  std::string family, name;
  Json json;
};

std::vector<Program> LoadPrograms() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(RAMET_CONFORMANCE_PROGRAMS)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Program> programs;
  for (const auto& path : files) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      Json json = Json::Parse(line).value();
      std::string name = json.Find("name")->text;
      programs.push_back({path.stem().string(), std::move(name), std::move(json)});
    }
  }
  return programs;
}

const std::vector<Program>& AllPrograms() {
  static const auto* const programs = new std::vector<Program>(LoadPrograms());
  return *programs;
}

class ConformancePrograms : public ::testing::TestWithParam<int> {
 protected:
  const Json& json() const { return AllPrograms()[GetParam()].json; }

  Status Build() {
    if (const Json* graph = json().Find("meta_graph")) {
      return ImportMetaGraphBytes(graph_, graph->text).status();
    }
    for (const Json& node : json().Find("nodes")->items) RAMET_RETURN_IF_ERROR(AddNode(node));
    return graph_.status();
  }

  StatusOr<std::vector<Output>> Tensors(std::string_view member) {
    std::vector<Output> tensors;
    for (const Json& name : json().Find(member)->items) {
      RAMET_ASSIGN_OR_RETURN(tensors.emplace_back(), graph_.Tensor(name.text));
    }
    return tensors;
  }

  StatusOr<std::vector<Tensor>> Run(const std::vector<Output>& tensors) {
    std::vector<GraphElement> fetches(tensors.begin(), tensors.end());
    RAMET_ASSIGN_OR_RETURN(Session session, Session::Create(graph_, TestedOptions()));
    if (json().Find("once") == nullptr) {
      RAMET_RETURN_IF_ERROR(session.Run(Fetches(fetches)).status());
    }
    return session.Run(Fetches(fetches));
  }

  Graph graph_;
  Scope scope_{graph_};
  Scope device_ = scope_.Device(TestedDevice());

 private:
  Status AddNode(const Json& node) {
    std::vector<Input> inputs;
    std::vector<Operation> controls;
    for (const Json& in : node.items[2].items) {
      const std::string& text = in.text;
      if (text[0] == '^') {
        RAMET_ASSIGN_OR_RETURN(controls.emplace_back(), graph_.FindOperation(text.substr(1)));
        continue;
      }
      const bool whole = text.find(':') != std::string::npos;
      RAMET_ASSIGN_OR_RETURN(Output tensor, graph_.Tensor(whole ? text : text + ":0"));
      inputs.emplace_back(tensor);
    }
    RAMET_ASSIGN_OR_RETURN(AttrMap attrs, ParseAttrs(node.items[3]));
    Scope here(graph_);
    Scope after = here.ControlDependencies(controls);
    return AddOp(graph_, node.items[1].text, inputs, std::move(attrs), node.items[0].text).valid()
               ? OkStatus()
               : graph_.status();
  }
};

// Each program runs twice in one session to detect state left behind by a run, unless that is what
// its operations are for.
TEST_P(ConformancePrograms, Values) {
  // With several memories, the steps of a run are executed in order: a lock would wait for a lock
  // that the same run releases later.
  const Program& program = AllPrograms()[GetParam()];
  if (!TestedDevice().empty() && program.family == "queues" && program.name == "mutex") {
    GTEST_SKIP() << "skipped: two locks of one mutex in a run on several devices";
  }
  const Status built = Build();
  const Json* error = json().Find("error");
  if (error != nullptr) {
    ASSERT_TRUE(built.ok()) << built.ToString();
    auto values = Run(Tensors("fetch").value());
    ASSERT_FALSE(values.ok()) << "expected the error: " << error->text;
    EXPECT_THAT(values.status().message(), ::testing::HasSubstr(error->text));
    return;
  }
  ASSERT_TRUE(built.ok()) << built.ToString();
  auto values = Run(Tensors("fetch").value());
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  const auto& expected = json().Find("out")->items;
  for (size_t i = 0; i < expected.size(); ++i) {
    Status same = Compare((*values)[i], ParseTensor(expected[i].text).value(), -1, -1);
    EXPECT_TRUE(same.ok()) << "fetch " << i << ": " << same.message();
  }
}

TEST_P(ConformancePrograms, Gradients) {
  if (json().Find("grads") == nullptr) return;
  Status built = Build();
  ASSERT_TRUE(built.ok()) << built.ToString();
  std::vector<GradientTarget> xs;
  for (const Output& x : Tensors("xs").value()) xs.push_back(x);
  auto gradients = Gradients(Tensors("fetch").value(), xs);
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  const auto& expected = json().Find("grads")->items;
  for (size_t i = 0; i < expected.size(); ++i) {
    const Gradient& gradient = (*gradients)[i];
    ASSERT_EQ(gradient.exists(), expected[i].kind != Json::Kind::kNull) << "gradient " << i;
    if (!gradient.exists()) continue;
    auto values = Run({gradient.values});
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    Status same = Compare((*values)[0], ParseTensor(expected[i].text).value(), -1, -1);
    EXPECT_TRUE(same.ok()) << "gradient " << i << ": " << same.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ConformancePrograms,
                         ::testing::Range(0, static_cast<int>(AllPrograms().size())),
                         [](const auto& info) {
                           const Program& p = AllPrograms()[info.param];
                           return StrCat(p.family, "_", p.name);
                         });

}  // namespace
}  // namespace ramet::conformance
