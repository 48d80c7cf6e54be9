// Exercises whole graphs with functions, branches, loops, variables, lists and tables: drawn ones,
// chains of any ops, also within functions and loops, those of tests/data/conformance_programs, and
// all of them with broken structure. They are imported, run,
// differentiated, cloned between cuts, exported and frozen.
#include <algorithm>

#include "chain_draft.h"
#include "corpus.h"
#include "exercise.h"
#include "extreme_draft.h"
#include "graph_draft.h"
#include "move_chain.h"
#include "mutate.h"
#include "programs.h"
#include "supervisor.h"

namespace ramet::fuzz {
namespace {

struct DrawnGraph {
  std::string kind;
  MetaGraphDef graph;
};

struct Material {
  std::vector<MetaGraphDef> programs;
  std::vector<const Op*> ops;
};

Material FindMaterial(const FuzzOptions& options) {
  Material material{LoadPrograms(RAMET_CONFORMANCE_PROGRAMS), {}};
  for (const Op* op : OpRegistry::Global().All()) {
    const bool skipped = std::ranges::find(options.skip, op->name()) != options.skip.end();
    if (!op->calls_program() && !skipped) material.ops.push_back(op);
  }
  return material;
}

void DrawChain(const Material& material, Random& random, DrawnGraph* drawn) {
  const Chain chain = DraftChain(random, material.ops, random.Pick({2, 4, 8, 16}));
  const int64_t place = random.Below(4);
  drawn->kind = place < 2 ? "chain" : place == 2 ? "chain in a function" : "chain in a loop";
  *drawn->graph.mutable_graph_def() = place < 2    ? chain.draft.def()
                                      : place == 2 ? MoveIntoFunction(random, chain).def()
                                                   : MoveIntoLoop(random, chain).def();
}

DrawnGraph DrawGraph(const Material& material, Random& random) {
  DrawnGraph drawn;
  const int64_t percent = random.Below(100);
  if (percent < 40) {
    drawn.kind = "program";
    drawn.graph = random.Pick(material.programs);
  } else if (percent < 60) {
    drawn.kind = "drawn graph";
    *drawn.graph.mutable_graph_def() = DraftGraph(random).def();
  } else if (percent < 62) {
    drawn.kind = "extreme graph";
    *drawn.graph.mutable_graph_def() = DraftExtreme(random).def();
  } else {
    DrawChain(material, random, &drawn);
  }
  const bool chain = percent >= 60;  // most are already hostile
  const int64_t mutations = chain ? random.Pick({0, 0, 0, 1}) : random.Pick({0, 1, 1, 2, 3, 6});
  for (int64_t i = 0; i < mutations; ++i) Mutate(random, drawn.graph.mutable_graph_def());
  if (mutations > 0) drawn.kind += ", changed";
  return drawn;
}

int Main(int argc, char** argv) {
  const FuzzOptions options = ParseFuzzOptions(argc, argv);
  const Material material = FindMaterial(options);
  const std::vector<std::string> corpus = CorpusFiles(options.corpus);
  return Supervise(
      options, corpus,
      [&](uint64_t index, Progress& progress) {
        const std::string& path = options.replay.empty() ? corpus[index] : options.replay;
        ExerciseFile(path, options.seed, progress);
      },
      [&](uint64_t index, Progress& progress) {
        Random random(options.seed, index);
        const DrawnGraph drawn = DrawGraph(material, random);
        progress.Subject(drawn.kind);
        progress.Text(TextOf(drawn.graph));
        Exercise(drawn.graph, random, progress);
      });
}

}  // namespace
}  // namespace ramet::fuzz

int main(int argc, char** argv) { return ramet::fuzz::Main(argc, argv); }
