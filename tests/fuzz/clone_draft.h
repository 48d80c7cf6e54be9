#pragma once

#include <string>

#include "ramet/edit/clone.h"
#include "random.h"
#include "use_session.h"

namespace ramet::fuzz {

// Draws options for cloning `graph` into itself or into `other`: boundaries, replacements, names,
// devices and dtypes, some of which do not fit.
CloneOptions DrawCloneOptions(Random& random, Graph& graph, Graph* other, const Targets& targets);

// Describes the options that determine the structure of the clone.
std::string Describe(const CloneOptions& options);

}  // namespace ramet::fuzz
