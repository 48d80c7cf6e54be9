// Exercises whole graphs with functions, branches, loops, variables, lists and tables: drawn ones,
// those of tests/data/conformance_programs, and both with broken structure. They are imported, run,
// differentiated, cloned between cuts, exported and frozen.
#include "corpus.h"
#include "exercise.h"
#include "graph_draft.h"
#include "mutate.h"
#include "programs.h"
#include "supervisor.h"

namespace ramet::fuzz {
namespace {

struct DrawnGraph {
  std::string kind;
  MetaGraphDef graph;
};

DrawnGraph DrawGraph(const std::vector<MetaGraphDef>& programs, Random& random) {
  DrawnGraph drawn;
  const bool program = !programs.empty() && random.Percent(55);
  drawn.kind = program ? "program" : "drawn graph";
  if (program) {
    drawn.graph = random.Pick(programs);
  } else {
    *drawn.graph.mutable_graph_def() = DraftGraph(random).def();
  }
  const int64_t mutations = random.Pick({0, 1, 1, 2, 3, 6});
  for (int64_t i = 0; i < mutations; ++i) Mutate(random, drawn.graph.mutable_graph_def());
  if (mutations > 0) drawn.kind += ", changed";
  return drawn;
}

int Main(int argc, char** argv) {
  const FuzzOptions options = ParseFuzzOptions(argc, argv);
  const std::vector<MetaGraphDef> programs = LoadPrograms(RAMET_CONFORMANCE_PROGRAMS);
  const std::vector<std::string> corpus = CorpusFiles(options.corpus);
  return Supervise(
      options, corpus,
      [&](uint64_t index, Progress& progress) {
        const std::string& path = options.replay.empty() ? corpus[index] : options.replay;
        ExerciseFile(path, options.seed, progress);
      },
      [&](uint64_t index, Progress& progress) {
        Random random(options.seed, index);
        const DrawnGraph drawn = DrawGraph(programs, random);
        progress.Subject(drawn.kind);
        progress.Text(TextOf(drawn.graph));
        Exercise(drawn.graph, random, progress);
      });
}

}  // namespace
}  // namespace ramet::fuzz

int main(int argc, char** argv) { return ramet::fuzz::Main(argc, argv); }
