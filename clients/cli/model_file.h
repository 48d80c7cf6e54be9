#pragma once

#include <ramet/ramet.h>

#include <string>

namespace cli {

// A ModelFile describes what is at a path that a user names, according to the content of the files
// rather than their names.
struct ModelFile {
  enum class Kind { kGraphDef, kMetaGraph, kSavedModel, kCheckpoint, kSafetensors, kNpz };
  Kind kind = Kind::kGraphDef;
  std::string path;        // the file, SavedModel folder or checkpoint prefix
  std::string graph;       // the file with the graph, or the SavedModel folder; "" if none
  std::string checkpoint;  // an argument for CheckpointReader::Open; "" if there is none
};

// Returns a noun for messages: "a MetaGraphDef", "a checkpoint".
std::string KindName(ModelFile::Kind kind);

// Finds the model or tensors at `path`: a file; a checkpoint prefix, one of its files, or a pattern
// of V1 files; a SavedModel folder; or a folder with a `checkpoint` state file (or that file),
// which stands for its latest checkpoint.
// \error kNotFound: there is nothing at `path`; the message lists similar names.
// \error kDataLoss: the content is none of these.
// \error kInvalidArgument: `path` is neither a file nor a folder, is a single .npy array, or is the
//   file of a SavedModel under a different name.
// \error kPermissionDenied: `path` cannot be read.
ramet::StatusOr<ModelFile> FindModelFile(const std::string& path);

}  // namespace cli
