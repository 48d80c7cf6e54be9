#pragma once

#include <map>
#include <string>
#include <vector>

#include "signature.h"

namespace gen_ops {

// How many cases with TensorFlow's answers there are for each op.
using CaseCounts = std::map<std::string, int>;

// The texts of ramet/builders/ops.gen.h, ramet/builders/ops.gen.cc and docs/ops.md.
std::string HeaderText(const std::vector<Signature>& signatures);
std::string SourceText(const std::vector<Signature>& signatures);
std::string DocsText(const std::vector<const ramet::Op*>& ops, const CaseCounts& counts);

}  // namespace gen_ops
