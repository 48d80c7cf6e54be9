// Duplicates a graph and keeps the copy up to date in two ways, with a trainer and two followers in
// separate processes. One follower has only an address in shared memory, the other one only a
// folder of checkpoints. trainer.cc and follower.cc are what a user of the library writes; the rest
// starts the processes and shows their progress.
#include <exception>
#include <iostream>

#include "report.h"
#include "roles.h"

namespace example {
namespace {

int RunSide(const Options& options) try {
  if (options.role == kTrainer) return Train(options);
  return options.role == kMemoryFollower ? FollowMemory(options) : FollowFiles(options);
} catch (const ramet::BadStatusAccess& e) {
  Tell(Failure{kFailed, e.status().message()});
  return kFailed;
}

}  // namespace
}  // namespace example

int main(int argc, char** argv) try {
  int exit_code = 0;
  auto options = example::ParseOptions(argc, argv, &exit_code);
  if (!options) return exit_code;
  return options->role.empty() ? example::Supervise(*options) : example::RunSide(*options);
} catch (const std::exception& e) {
  std::cerr << "duplicate_a_graph: " << e.what() << "\n";
  return example::kFailed;
}
