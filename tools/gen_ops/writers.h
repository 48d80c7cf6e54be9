#pragma once

#include <map>
#include <string>
#include <vector>

#include "signature.h"

namespace gen_ops {

// For each op, the number of cases that have TensorFlow's results.
using CaseCounts = std::map<std::string, int>;

// The text of ramet/builders/ops.gen.h, of ramet/builders/ops.gen.cc and of docs/ops.md.
std::string HeaderText(const std::vector<Signature>& signatures);
std::string SourceText(const std::vector<Signature>& signatures);
std::string DocsText(const std::vector<const ramet::Op*>& ops, const CaseCounts& counts);

}  // namespace gen_ops
