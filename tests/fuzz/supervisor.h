#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "progress.h"

namespace ramet::fuzz {

// The command line of a generator.
struct FuzzOptions {
  uint64_t seed = 1;
  double seconds = 0;  // 0 means until `cases` cases have run
  uint64_t cases = 1000;
  std::optional<uint64_t> single_case;  // replayed in this process with details
  std::vector<std::string> only, skip;  // ops
  std::string corpus;                   // a folder of graphs that run first
  std::string replay;                   // one such file
  std::string findings;                 // the folder for the graphs of findings
  bool list_unrun = false;              // names the ops that never ran
  bool strict = false;                  // see Progress

  // Reports whether --only or --skip leave the op out.
  bool LeavesOut(const std::string& op) const;
};

// Parses the command line. Prints the usage and exits if the arguments are wrong or ask for help.
FuzzOptions ParseFuzzOptions(int argc, char** argv);

// Runs one case of a generator. An exception that it throws is a finding.
using CaseFunction = std::function<void(uint64_t index, Progress& progress)>;

// Runs the corpus and then the cases in child processes, one after another, in a scratch folder. A
// child that crashes, hangs or uses too much memory is a finding, and another child continues with
// the next case. Prints each finding and a summary. Returns the exit status: 0 if there were no
// findings.
//
// The caller must not have started threads.
int Supervise(const FuzzOptions& options, const std::vector<std::string>& corpus,
              const CaseFunction& corpus_case, const CaseFunction& drawn_case);

}  // namespace ramet::fuzz
