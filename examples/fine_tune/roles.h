#pragma once

#include <ramet/ramet.h>

#include <string>

#include "options.h"

namespace example {

// Trains a convolutional network on the first five kinds of garments and saves a checkpoint with a
// .meta file at `prefix`.
void TrainTheirs(const std::string& prefix, const ramet::Mnist& data, const Options& options);

// Makes a network for the other five kinds from the checkpoint at `theirs` and saves it at `ours`.
// Returns its accuracy on the test pictures.
double FineTune(const std::string& theirs, const std::string& ours, const ramet::Mnist& data,
                const Options& options);

// Returns the accuracy of the model saved at `ours`, using its files alone.
double Serve(const std::string& ours, const ramet::Mnist& data, const Options& options);

}  // namespace example
