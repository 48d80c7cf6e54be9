#pragma once

#include <ramet/ramet.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ramet::zoo {

// The expected value of a fetch. If `strides` is set, `value` is every strides[i]-th slice of
// dimension i of a tensor of `full_shape`.
struct Expected {
  Tensor value;
  std::vector<int64_t> strides = {};
  Shape full_shape = {};
};

// One run of a session.
struct Step {
  std::string comment;
  Feeds feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::vector<Expected> expected;
  double rtol = 0, atol = 0;
  std::string error_code;     // expected error ("INVALID_ARGUMENT", ...); "" if the run succeeds
  std::string error_message;  // a part of its message
};

// A Case is the case.json of one model folder with the arrays that it names.
struct Case {
  std::string name, kind;
  std::string graph_path;         // the .meta or .pb file, or the folder of a SavedModel
  std::vector<std::string> tags;  // of a SavedModel
  std::string checkpoint;         // "" if there is nothing to restore
  std::string import_scope;
  bool clear_devices = false;
  bool strip_output_shapes = false;
  bool must_be_fetched = false;  // the model's files are not stored next to case.json
  std::map<std::string, int> device_count;
  std::map<std::string, std::string> restore_map;  // from checkpoint key to variable name
  std::vector<std::string> init_ops;
  std::vector<Step> steps;
};

// Returns the folders in RAMET_ZOO that have a case.json, sorted; none if RAMET_ZOO is not set.
std::vector<std::string> CaseFolders();
// Returns a folder's name in the form that gtest requires: letters, digits and underscores.
std::string NameOf(const std::string& folder);

// Loads a case.
// \error kNotFound: there is no case.json or array.
// \error kDataLoss: a file is damaged or incomplete. Names the file.
// \error kUnimplemented: an array has a dtype that .npy files do not support.
StatusOr<Case> LoadCase(const std::string& folder);

// Returns every strides[i]-th slice of dimension i, like tensor[::s0, ::s1]; dimensions without a
// stride are kept whole.
Tensor Subsample(const Tensor& tensor, const std::vector<int64_t>& strides);

}  // namespace ramet::zoo
