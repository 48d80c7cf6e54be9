#pragma once

#include <string>
#include <vector>

#include "progress.h"

namespace ramet::fuzz {

// Returns the graph files in a folder, sorted by name.
std::vector<std::string> CorpusFiles(const std::string& folder);
// Exercises the GraphDef or MetaGraphDef in a text file several times, each time differently. A
// file that cannot be read is a finding.
void ExerciseFile(const std::string& path, uint64_t seed, Progress& progress);

}  // namespace ramet::fuzz
