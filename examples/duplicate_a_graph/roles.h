#pragma once

#include "options.h"

namespace example {

// The sides: a trainer and two followers. Each one prints its reports on stdout (report.h) and
// returns its exit code. Throws ramet::BadStatusAccess on an error.
int Train(const Options& options);
int FollowMemory(const Options& options);
int FollowFiles(const Options& options);

// Runs the sides in separate processes, shows their progress and prints a summary. Returns the exit
// code of the program.
int Supervise(const Options& options);

}  // namespace example
