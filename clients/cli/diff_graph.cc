#include <iostream>

#include "command.h"
#include "graph_match.h"
#include "graph_output.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

constexpr size_t kShown = 20;

struct DiffGraphOptions {
  std::string a, b, scope_a, scope_b;
  std::vector<std::string> tags;
  bool all = false, as_json = false;
};

rm::Status CheckScope(const GraphStructure& graph, const std::string& scope, const char* option) {
  if (scope.empty() || !graph.operations().empty()) return rm::OkStatus();
  return rm::NotFound(option, " ", scope, ": no operation is under that name scope");
}

void PrintAsJson(const GraphStructure& a, const GraphStructure& b, const GraphComparison& c) {
  nlohmann::json differences = nlohmann::json::array();
  for (const GraphDifference& d : c.differences) {
    differences.push_back({{"a", OrNull(d.a)}, {"b", OrNull(d.b)}, {"difference", d.what}});
  }
  PrintJson({{"equal", c.equal()},
             {"ops_a", a.operations().size()},
             {"ops_b", b.operations().size()},
             {"differences", differences},
             {"dependent_a", c.dependent_a},
             {"dependent_b", c.dependent_b}});
}

// Names one side of the comparison: "both.meta", or "copy/dense in both.meta".
std::string Side(const std::string& path, const std::string& scope) {
  return Clean(scope.empty() ? path : rm::StrCat(scope, " in ", path));
}

void PrintText(const DiffGraphOptions& o, const GraphStructure& first, const GraphComparison& c) {
  const auto ops = static_cast<int64_t>(first.operations().size());
  const std::string a = Side(o.a, o.scope_a), b = Side(o.b, o.scope_b);
  if (c.equal()) {
    std::cout << Paint("equal", Color::kGreen) << ": " << Count(ops, "op") << "\n";
    return;
  }
  const size_t shown = o.all ? c.differences.size() : std::min(kShown, c.differences.size());
  for (size_t i = 0; i < shown; ++i) {
    const GraphDifference& d = c.differences[i];
    std::string who;
    if (!d.a.empty() && !d.b.empty()) {
      who = d.a == d.b ? d.a : rm::StrCat(d.a, " and ", d.b);
    } else {
      who = d.a.empty() ? rm::StrCat(d.b, " of ", b) : rm::StrCat(d.a, " of ", a);
    }
    std::cout << Paint(Clean(who), Color::kRed) << "  " << Clean(d.what) << "\n";
  }
  if (shown < c.differences.size()) {
    std::cout << "... and " << c.differences.size() - shown << " more; --all shows them\n";
  }
  std::cout << "the graphs differ at "
            << Count(static_cast<int64_t>(c.differences.size()), "place");
  if (c.dependent_a + c.dependent_b > 0) {
    std::cout << "; " << Count(static_cast<int64_t>(c.dependent_a), "op") << " of " << a << " and "
              << c.dependent_b << " of " << b << " depend on these";
  }
  std::cout << "\n";
}

rm::Status DiffGraphs(const DiffGraphOptions& o, bool* differ) {
  rm::Graph graph_a, graph_b;
  rm::Status imported = ImportGraphOf(o.a, o.tags, &graph_a);
  if (!imported.ok()) return imported.WithContext(o.a);
  imported = ImportGraphOf(o.b, o.tags, &graph_b);
  if (!imported.ok()) return imported.WithContext(o.b);
  const GraphStructure a(graph_a, o.scope_a), b(graph_b, o.scope_b);
  RAMET_RETURN_IF_ERROR(CheckScope(a, o.scope_a, "--scope-a"));
  RAMET_RETURN_IF_ERROR(CheckScope(b, o.scope_b, "--scope-b"));
  const GraphComparison comparison = Compare(a, b);
  o.as_json ? PrintAsJson(a, b, comparison) : PrintText(o, a, comparison);
  *differ = !comparison.equal();
  return rm::OkStatus();
}

}  // namespace

void AddDiffGraph(CLI::App& app, rm::Status* status, bool* differ) {
  auto* command = app.add_subcommand("diff-graph",
                                     "Print where the structures of two graphs differ, ignoring "
                                     "the names of operations");
  auto o = std::make_shared<DiffGraphOptions>();
  command
      ->add_option(
          "A", o->a,
          "A .meta file (or the PREFIX of its checkpoint), a GraphDef, or a SavedModel folder")
      ->required();
  command->add_option("B", o->b, "The graph to compare with A; its format may be different")
      ->required();
  command->add_option("--scope-a", o->scope_a, "Compare only the operations in this scope of A")
      ->type_name("SCOPE");
  command->add_option("--scope-b", o->scope_b, "Compare only the operations in this scope of B")
      ->type_name("SCOPE");
  command->add_option("--tags", o->tags, kTagsHelp)->delimiter(',')->type_name("TAGS");
  command->add_flag("--all", o->all, "Print all differences instead of the first 20");
  command->add_flag("--json", o->as_json, "Print a JSON object");
  command->footer(
      "Compares ops, attrs, constants, inputs, control inputs and functions, but not names, "
      "devices\n"
      "or colocation. Exit codes: 0 equal, 1 different, 2 failure or usage error.\n"
      "Examples:\n  ramet diff-graph a.meta b.meta\n"
      "  ramet diff-graph both.meta both.meta --scope-a net --scope-b copy/net");
  command->callback([=] { *status = DiffGraphs(*o, differ); });
}

}  // namespace cli
