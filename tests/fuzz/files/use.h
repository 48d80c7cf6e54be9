#pragma once

#include <string>

#include "progress.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"
#include "random.h"

// Does with drawn files what programs and tools do with files. Errors are fine. Findings are
// results that contradict each other, memory that was asked for and is out of proportion, and
// outputs that cannot be read.
namespace ramet::fuzz {

// The files of one case, and where results go.
struct FileUse {
  Random& random;
  Progress& progress;
  std::string path;    // what a user would open
  std::string folder;  // that all files are in; they must stay as they are
  std::string out;     // an empty folder
  // A constant of a graph may repeat one value up to 2 GiB (AttrBudget).
  bool has_graph = false;

  // Notes the error of a reader and reports whether there is none. That the memory limit of these
  // programs was reached is a finding: the files are small.
  bool Ok(const Status& status) const;
  // Reads every byte. A bool that is neither 0 nor 1 is a finding, and so is another dtype or shape
  // than was announced.
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
