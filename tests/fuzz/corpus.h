#pragma once

#include <string>
#include <vector>

#include "progress.h"

namespace ramet::fuzz {

// The graphs in a folder, in the order of their names.
std::vector<std::string> CorpusFiles(const std::string& folder);
// Exercises the GraphDef or MetaGraphDef in a text file several times, each time in another way. A
// file that cannot be read is a finding.
void ExerciseFile(const std::string& path, uint64_t seed, Progress& progress);

}  // namespace ramet::fuzz
