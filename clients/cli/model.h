#pragma once

#include <ramet/ramet.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model_file.h"

namespace cli {

// The command-line options that say where to find a model.
struct ModelOptions {
  std::string path;        // as FindModelFile takes it
  std::string meta;        // the path of the graph; "" for the one at `path`
  std::string checkpoint;  // the path of the values; "" for those at `path`, if there are any
  // The tags of a SavedModel's graph; if empty, the only graph or the one tagged "serve".
  std::vector<std::string> tags;
  bool clear_devices = true;
  bool run_init_op = true;  // whether to run the init op of a SavedModel
};

// The command-line options of a run: the model, and the arguments of Model::Prepare.
struct StepOptions {
  ModelOptions model;
  std::vector<std::string> feeds, fetches;
  std::string signature;
};

// Returns the tag set in a SavedModel folder that `wanted` names. If `wanted` is empty, returns the
// only tag set, or "serve" if there are several.
// \error kNotFound: there is no such tag set; the message lists those there are.
// \error as for SavedModelTags.
ramet::StatusOr<std::vector<std::string>> ChooseTags(const std::string& folder,
                                                     const std::vector<std::string>& wanted);

// Adds the option that helps to an error of Model::Run.
ramet::Status WithHint(const ramet::Status& status);

class Model;

// Opens the model of a command and prepares its run. `verb` says what the command does with
// fetches.
// \error kInvalidArgument: neither fetches nor a signature are given.
// \error as for Model::Open and Model::Prepare.
ramet::StatusOr<Model> OpenStep(const StepOptions& step, const char* verb);

// A Model is a graph with a session and the values of its variables, ready to run.
class Model {
 public:
  // Imports the graph and restores the values, if there are any.
  // \error as for FindModelFile, importing, Saver::Restore and the init op.
  // \error kNotFound: there is no graph.
  // \error kInvalidArgument: ModelOptions::checkpoint is not a checkpoint, or the graph has no
  //   saver to restore it with.
  static ramet::StatusOr<Model> Open(const ModelOptions& options);
  // Imports a .meta file without values, ignoring the devices it names.
  // \error as for ImportMetaGraph and Session::Create.
  static ramet::StatusOr<Model> Import(const std::string& meta_path);
  // Wraps an existing session and its values. The session must outlive the Model.
  static Model Over(ramet::Session& session);

  // \error as for Saver::Restore.
  ramet::Status Restore(const std::string& prefix);
  // Resolves the feeds and fetches of Run and reads the values of the feeds. `feeds` have the form
  // "NAME=VALUE" (see ReadFeedValue); `fetches` are names of tensors ("x" means "x:0") or
  // operations. With a signature, its keys are names too, and no fetches means all its outputs.
  // \error as for Graph::Tensor and ReadFeedValue.
  // \error kInvalidArgument: a feed has a different form, or an input of the signature is not fed.
  // \error kNotFound: there is no such signature; the message lists those there are.
  ramet::Status Prepare(const std::vector<std::string>& feeds,
                        const std::vector<std::string>& fetches, const std::string& signature = "");
  // \error as for Session::Run.
  ramet::StatusOr<std::vector<ramet::Tensor>> Run() { return session_->Run(feeds_, fetches_); }
  // \error as for Session::Run.
  ramet::StatusOr<std::vector<ramet::Tensor>> Run(const ramet::RunOptions& options,
                                                  ramet::RunMetadata* metadata) {
    return session_->Run(feeds_, fetches_, options, metadata);
  }
  // Describes how Run is executed.
  // \error as for ExplainRun.
  ramet::StatusOr<ramet::PlanReport> Explain() const;
  // The names in the order of the fetches: "out:0" for a tensor, "train" for an operation, and the
  // key for an output of a signature.
  const std::vector<std::string>& fetched_names() const { return fetched_names_; }

  // \error kNotFound: there is no such signature; the message lists those there are.
  ramet::StatusOr<ramet::Signature> FindSignature(const std::string& name) const;
  // The signatures of the SavedModel or meta graph, by key.
  const std::map<std::string, ramet::Signature>& signatures() const { return signatures_; }
  const ramet::Graph& graph() const { return *graph_; }
  // The prefix of the checkpoint with the values; "" if there is none.
  const std::string& checkpoint() const { return checkpoint_; }
  ramet::Session& session() { return *session_; }
  // Reports whether the variables have values from a file or from the session given to Over.
  bool has_values() const { return has_values_; }

 private:
  Model() = default;
  ramet::Status ImportSavedModel(const ModelOptions& options, const ModelFile& file);
  ramet::Status ImportGraph(const ModelOptions& options, const ModelFile& file);
  ramet::Status AddFeed(const std::string& feed, const ramet::Signature& signature);
  ramet::Status AddFetch(const std::string& fetch, const ramet::Signature& signature);
  ramet::Status AddDefaults(const std::string& name, const ramet::Signature& signature);

  std::shared_ptr<ramet::Graph> graph_ = std::make_shared<ramet::Graph>();
  std::unique_ptr<ramet::Saver> saver_;
  std::shared_ptr<ramet::Session> session_;
  bool has_values_ = false;
  std::string checkpoint_;
  std::map<std::string, ramet::Signature> signatures_;
  ramet::Feeds feeds_;
  std::vector<ramet::GraphElement> fetches_;
  std::vector<std::string> fetched_names_;
};

}  // namespace cli
