#pragma once

#include <string>
#include <vector>

#include "signature.h"

namespace gen_ops {

// The texts of ramet/builders/ops.gen.h, ramet/builders/ops.gen.cc and docs/ops.md.
std::string HeaderText(const std::vector<Signature>& signatures);
std::string SourceText(const std::vector<Signature>& signatures);
std::string DocsText(const std::vector<const ramet::Op*>& ops);

}  // namespace gen_ops
