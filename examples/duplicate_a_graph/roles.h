#pragma once

#include "options.h"

namespace example {

// The sides: a trainer, and a copy by each of the two ways. Each tells its reports on stdout
// (report.h) and returns its exit code; throws ramet::BadStatusAccess on an error.
int Train(const Options& options);
int FollowMemory(const Options& options);
int FollowFiles(const Options& options);

// What is started from the command line: runs the sides as processes of their own, shows them, and
// says in the end how it went.
int Supervise(const Options& options);

}  // namespace example
