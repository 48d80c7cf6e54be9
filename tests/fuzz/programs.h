#pragma once

#include <string>
#include <vector>

#include "ramet/proto/meta_graph.pb.h"

namespace ramet::fuzz {

// Loads the graphs of tests/data/conformance_programs: loops, branches, functions, lists, tables
// and TensorArrays that TensorFlow made. Throws BadStatusAccess if a file cannot be read.
std::vector<MetaGraphDef> LoadPrograms(const std::string& folder);

}  // namespace ramet::fuzz
