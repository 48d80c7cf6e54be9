#pragma once

#include <ramet/ramet.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ramet::zoo {

// What a fetch must give. With `strides`, `value` is every strides[i]-th slice of dimension i of a
// tensor of `full_shape`.
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
  std::string error_code;     // "INVALID_ARGUMENT", ...: this run must fail so; "": it must succeed
  std::string error_message;  // a part of its message
};

// A Case is the case.json of one model folder with the arrays that it names.
struct Case {
  std::string name, kind;
  std::string graph_path;         // the .meta or .pb file, or the folder of a SavedModel
  std::vector<std::string> tags;  // of a SavedModel
  std::string checkpoint;         // "": nothing to restore
  std::string import_scope;
  bool clear_devices = false;
  bool strip_output_shapes = false;
  bool must_be_fetched = false;  // the model's files are not stored beside case.json
  std::map<std::string, int> device_count;
  std::map<std::string, std::string> restore_map;  // checkpoint key: variable name
  std::vector<std::string> init_ops;
  std::vector<Step> steps;
};

// The folders of RAMET_ZOO that have a case.json, sorted; none if it is not set.
std::vector<std::string> CaseFolders();
// A folder's name as gtest takes names: letters, digits and underscores.
std::string NameOf(const std::string& folder);

// \error kNotFound if there is no case.json or array; kDataLoss naming the file if one is damaged
// or
//   lacks what a case needs; kUnimplemented for an array of a dtype that .npy files do not have.
StatusOr<Case> LoadCase(const std::string& folder);

// Every strides[i]-th slice of dimension i, as tensor[::s0, ::s1]; dimensions without a stride
// whole.
Tensor Subsample(const Tensor& tensor, const std::vector<int64_t>& strides);

}  // namespace ramet::zoo
