// Exercises every registered op with drawn attrs, shapes, dtypes and values: builds, inspects,
// runs, differentiates, clones, exports and freezes it.
#include <algorithm>
#include <map>

#include "corpus.h"
#include "exercise.h"
#include "op_draft.h"
#include "ramet/op/op.h"
#include "supervisor.h"

namespace ramet::fuzz {
namespace {

struct Subjects {
  std::vector<const Op*> ops;
  std::map<std::string, std::vector<conformance::Case>> cases;
};

Subjects FindSubjects(const FuzzOptions& options) {
  Subjects subjects;
  for (const Op* op : OpRegistry::Global().All()) {
    if (!op->calls_program() && !options.LeavesOut(op->name())) subjects.ops.push_back(op);
  }
  for (conformance::Case& c : conformance::LoadCases(RAMET_CONFORMANCE_DATA)) {
    subjects.cases[c.op].push_back(std::move(c));
  }
  return subjects;
}

// Each op is drawn once in as many cases as there are ops, in a different order each time.
GraphDraft DraftCase(const Subjects& subjects, uint64_t seed, uint64_t index, const Op** subject) {
  const uint64_t count = subjects.ops.size();
  Random order(seed, index / count);
  std::vector<const Op*> ops = subjects.ops;
  for (uint64_t i = count; i > 1; --i) {
    std::swap(ops[i - 1], ops[static_cast<size_t>(order.Below(static_cast<int64_t>(i)))]);
  }
  *subject = ops[index % count];
  Random random(seed, index);
  const auto cases = subjects.cases.find((*subject)->name());
  if (cases != subjects.cases.end() && random.Percent(50)) {
    return DraftChangedCase(random, random.Pick(cases->second));
  }
  return DraftOp(random, **subject);
}

int Main(int argc, char** argv) {
  const FuzzOptions options = ParseFuzzOptions(argc, argv);
  const Subjects subjects = FindSubjects(options);
  const std::vector<std::string> corpus = CorpusFiles(options.corpus);
  return Supervise(
      options, corpus,
      [&](uint64_t index, Progress& progress) {
        const std::string& path = options.replay.empty() ? corpus[index] : options.replay;
        ExerciseFile(path, options.seed, progress);
      },
      [&](uint64_t index, Progress& progress) {
        const Op* op = nullptr;
        MetaGraphDef graph;
        *graph.mutable_graph_def() = DraftCase(subjects, options.seed, index, &op).def();
        progress.Subject(op->name());
        progress.Text(TextOf(graph));
        Random random(options.seed + 1, index);
        Exercise(graph, random, progress);
      });
}

}  // namespace
}  // namespace ramet::fuzz

int main(int argc, char** argv) { return ramet::fuzz::Main(argc, argv); }
