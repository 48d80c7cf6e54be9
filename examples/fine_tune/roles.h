#pragma once

#include <ramet/ramet.h>

#include <string>

#include "options.h"

namespace example {

// Teaches a convolutional network the first five kinds of garments and leaves a checkpoint with a
// .meta file at `prefix`.
void TrainTheirs(const std::string& prefix, const ramet::Mnist& data, const Options& options);

// Makes a network for the other five kinds from what somebody left at `theirs` and saves it at
// `ours`. Returns how many of the test pictures it gets right, from 0 to 1.
double FineTune(const std::string& theirs, const std::string& ours, const ramet::Mnist& data,
                const Options& options);

// The same figure, from the files at `ours` alone.
double Serve(const std::string& ours, const ramet::Mnist& data, const Options& options);

// Throws what ended in an error, as StatusOr::value() does.
inline void Check(const ramet::Status& status) {
  if (!status.ok()) throw ramet::BadStatusAccess(status);
}

}  // namespace example
