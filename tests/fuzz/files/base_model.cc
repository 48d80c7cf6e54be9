#include "base_model.h"

#include "ramet/builders/control_flow.h"
#include "ramet/checkpoint/saver.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/collections.h"
#include "ramet/graph/scope.h"
#include "ramet/saved_model/saved_model_files.h"
#include "ramet/saved_model/signature.h"

namespace ramet::fuzz {
namespace {

void SetInfo(const Output& tensor, TensorInfo* info) {
  info->set_name(tensor.name());
  info->set_dtype(static_cast<DataType>(tensor.dtype()));
}

// Computes y = tanh(x * w + b) in a branch and a loop. Has an asset and an op to run after loading.
MetaGraphDef MakeMeta(bool sharded) {
  Graph graph;
  Scope scope(graph);
  VariableOptions resource;
  resource.use_resource = true;
  const Output x = scope.Placeholder("x", kFloat, Shape{-1, 2});
  const Variable w = scope.NewVariable(Tensor::Of<float>(Shape{2, 3}, {1, 2, 3, 4, 5, 6}), "w");
  const Variable b = scope.NewVariable(Tensor::Vector<float>({1, 2, 3}), "b", resource);
  scope.NewVariable(Tensor(int64_t{7}), "global_step");
  scope.NewVariable(Tensor("text"), "label");
  const Output product = AddOp(graph, "MatMul", {x, w}).output(0);
  const Output sum = AddOp(graph, "AddV2", {product, ReadVariable(b)}).output(0);
  const Output yes = scope.Placeholder("yes", kBool, Shape());
  const Output chosen = Cond(
      scope, yes, [&] { return Outputs{AddOp(graph, "Tanh", {sum}).output(0)}; },
      [&] { return Outputs{AddOp(graph, "Neg", {sum}).output(0)}; })[0];
  const Output i = Constant(graph, Tensor(int32_t{0}), "i");
  const Outputs last = WhileLoop(
      scope,
      [&](const Outputs& v) {
        return AddOp(graph, "Less", {v[0], Constant(graph, Tensor(int32_t{3}))}).output(0);
      },
      [&](const Outputs& v) {
        const Output one = Constant(graph, Tensor(int32_t{1}));
        return Outputs{AddOp(graph, "AddV2", {v[0], one}).output(0),
                       AddOp(graph, "Square", {v[1]}).output(0)};
      },
      {i, chosen});
  const Output y = AddOp(graph, "Identity", {last[1]}, {}, "y").output(0);
  const Output path = Constant(graph, Tensor("nowhere"), "path");
  AddOp(graph, "Identity", {path}, {}, "seen");
  graph.collections().Add(graph_keys::kLosses, y);
  Saver saver(graph, {.sharded = sharded});
  MetaGraphDef meta;
  meta.ParseFromString(ExportMetaGraph(graph, {.saver = saver.definition()}).value());
  meta.mutable_meta_info_def()->add_tags("serve");
  SignatureDef& signature = (*meta.mutable_signature_def())["serving_default"];
  SetInfo(x, &(*signature.mutable_inputs())["x"]);
  SetInfo(yes, &(*signature.mutable_inputs())["yes"]);
  SetInfo(y, &(*signature.mutable_outputs())["y"]);
  signature.set_method_name(saved_model_keys::kPredictMethod);
  AssetFileDef asset;
  SetInfo(path, asset.mutable_tensor_info());
  asset.set_filename("words.txt");
  *meta.add_asset_file_def() = asset;
  auto& assets = (*meta.mutable_collection_def())[saved_model_files::kAssetsCollection];
  auto* any = assets.mutable_any_list()->add_value();
  any->set_type_url(saved_model_files::kAssetTypeUrl);
  any->set_value(asset.SerializeAsString());
  (*meta.mutable_collection_def())[saved_model_files::kMainOpCollection]
      .mutable_node_list()
      ->add_value("seen");
  return meta;
}

BaseModel Make() {
  BaseModel model;
  model.meta = MakeMeta(false);
  model.sharded = MakeMeta(true);
  model.values = {{"w", Tensor::Of<float>(Shape{2, 3}, {6, 5, 4, 3, 2, 1})},
                  {"b", Tensor::Vector<float>({3, 2, 1})},
                  {"global_step", Tensor(int64_t{8})},
                  {"label", Tensor("other")}};
  return model;
}

}  // namespace

const BaseModel& TheBaseModel() {
  static const BaseModel model = Make();
  return model;
}

}  // namespace ramet::fuzz
