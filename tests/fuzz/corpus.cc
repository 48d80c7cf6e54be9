#include "corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "exercise.h"
#include "ramet/wire/message_file.h"

namespace ramet::fuzz {

std::vector<std::string> CorpusFiles(const std::string& folder) {
  std::vector<std::string> files;
  if (folder.empty()) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(std::filesystem::absolute(entry.path()));
  }
  std::ranges::sort(files);
  return files;
}

void ExerciseFile(const std::string& path, uint64_t seed, Progress& progress) {
  constexpr int kTimes = 8;
  progress.Subject(std::filesystem::path(path).stem().string());
  MetaGraphDef graph;
  Status read = ParseMessageFile(path, "MetaGraphDef", &graph);
  if (!read.ok()) read = ParseMessageFile(path, "GraphDef", graph.mutable_graph_def());
  if (!read.ok()) return progress.Finding("corpus: " + read.ToString());
  for (int i = 0; i < kTimes; ++i) {
    Random random(seed, static_cast<uint64_t>(i));
    Exercise(graph, random, progress);
  }
}

}  // namespace ramet::fuzz
