#pragma once

#include <string>

#include "progress.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"
#include "random.h"

// Uses drawn files as programs and tools use files. Errors are fine. Findings are results that
// contradict each other, allocations out of proportion to the files, and outputs that cannot be
// read.
namespace ramet::fuzz {

// The files of one case, and the folder for results.
struct FileUse {
  Random& random;
  Progress& progress;
  std::string path;    // what a user would open
  std::string folder;  // contains all files, which must not change
  std::string out;     // an empty folder
  // A constant of a graph may repeat one value up to 2 GiB (AttrBudget).
  bool has_graph = false;

  // Records the error of a reader. Returns false if there is one. Reaching the memory limit of
  // these programs is a finding, because the files are small.
  bool Ok(const Status& status) const;
  // Reads every byte. It is a finding if a bool is neither 0 nor 1, or if the dtype or the shape is
  // not the announced one.
  void Check(const Tensor& value, DType dtype, const Shape& shape, const char* what) const;
  void Find(std::string what) const { progress.Finding(what); }
};

void UseCheckpoint(FileUse& use);  // V2 or V1
void UseState(FileUse& use);
void UseVersions(FileUse& use);
void UseMetaGraph(FileUse& use);
void UseGraph(FileUse& use);
void UseSavedModel(FileUse& use);
void UseSafetensors(FileUse& use);
void UseNpz(FileUse& use);
void UseNpy(FileUse& use);
void UseIdx(FileUse& use);
void UseMnist(FileUse& use);

// Uses all tensors of a file, whatever its format, as `ramet list`, `print` and `convert` do.
void UseTensors(FileUse& use);

}  // namespace ramet::fuzz
