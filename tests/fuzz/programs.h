#pragma once

#include <string>
#include <vector>

#include "ramet/proto/meta_graph.pb.h"

namespace ramet::fuzz {

// The graphs of tests/data/conformance_programs: loops, branches, functions, lists, tables and
// TensorArrays as real TensorFlow made them. Throws BadStatusAccess if a file cannot be read.
std::vector<MetaGraphDef> LoadPrograms(const std::string& folder);

}  // namespace ramet::fuzz
