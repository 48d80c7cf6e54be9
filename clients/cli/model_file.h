#pragma once

#include <ramet/ramet.h>

#include <string>

namespace cli {

// A ModelFile is what stands at a path that a user names: found out from the content of the files,
// not from their names.
struct ModelFile {
  enum class Kind { kGraphDef, kMetaGraph, kSavedModel, kCheckpoint, kSafetensors, kNpz };
  Kind kind = Kind::kGraphDef;
  std::string path;   // the file, the folder of a SavedModel, the prefix of a checkpoint
  std::string graph;  // the file with the graph, the folder of a SavedModel; "" if there is none
  std::string checkpoint;  // what CheckpointReader::Open takes; "" if there is none
};

// "a MetaGraphDef", "a checkpoint".
std::string KindName(ModelFile::Kind kind);

// `path` is a file of a model or of tensors; a checkpoint's prefix, one of its files, or a pattern
// of V1 files; the folder of a SavedModel; a folder with a state file `checkpoint` (or that file),
// which stands for the latest checkpoint.
// \error kNotFound, with near names, if there is nothing; kDataLoss if the content is none of
//   these; kInvalidArgument for what is neither file nor folder, and for a SavedModel's file under
//   another name; kPermissionDenied, ... of reading.
ramet::StatusOr<ModelFile> FindModelFile(const std::string& path);

}  // namespace cli
