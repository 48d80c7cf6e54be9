// .meta files, GraphDefs and SavedModels.
#include "base_model.h"
#include "formats.h"
#include "graph_draft.h"
#include "mutate.h"
#include "programs.h"
#include "ramet/graph/collections.h"
#include "ramet/proto/control_flow.pb.h"
#include "ramet/proto/saved_model.pb.h"
#include "ramet/proto/variable.pb.h"
#include "ramet/saved_model/saved_model_files.h"
#include "spoil.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

namespace files = saved_model_files;

constexpr int64_t kManyItems = 2000;

const std::vector<MetaGraphDef>& Programs() {
  static const std::vector<MetaGraphDef> programs = LoadPrograms(RAMET_CONFORMANCE_PROGRAMS);
  return programs;
}

std::string DrawKey(Random& random) {
  return random.Pick({"variables", "trainable_variables", "local_variables", "cond_context",
                      "while_context", "saveable_objects", "savers", "unbound_inputs",
                      "queue_runners", "losses", "saved_model_main_op", "legacy_init_op",
                      "saved_model_assets", "asset_filepaths", "global_step", "train_op",
                      "table_initializer", "", "mine"});
}

std::string DrawNodeName(Random& random, const MetaGraphDef& meta) {
  if (meta.graph_def().node().empty() || random.Percent(10)) return DrawString(random);
  const auto at = static_cast<int>(random.Below(meta.graph_def().node_size()));
  const std::string name = meta.graph_def().node(at).name();
  return name + random.Pick({"", ":0", ":0", ":1", ":7", ":-1", ":2147483648", "/"});
}

VariableDef DrawVariableDef(Random& random, const MetaGraphDef& meta) {
  VariableDef variable;
  for (auto* name : {variable.mutable_variable_name(), variable.mutable_initializer_name(),
                     variable.mutable_snapshot_name(), variable.mutable_initial_value_name()}) {
    *name = DrawNodeName(random, meta);
  }
  variable.set_is_resource(random.Percent(50));
  if (random.Percent(50)) {
    auto* slice = variable.mutable_save_slice_info_def();
    slice->set_full_name(DrawTensorName(random));
    for (int64_t n = random.In(0, 3); n > 0; --n) {
      slice->add_full_shape(LyingNumber(random, 4));
      slice->add_var_offset(LyingNumber(random, 0));
      slice->add_var_shape(LyingNumber(random, 2));
    }
  }
  return variable;
}

// Fills a context, with others nested in it.
template <class Context>
std::string DrawContext(Random& random, const MetaGraphDef& meta) {
  Context context;
  context.set_context_name(DrawNodeName(random, meta));
  context.set_pivot_name(DrawNodeName(random, meta));
  for (int64_t n = random.Below(3); n > 0; --n) {
    context.mutable_values_def()->add_values(DrawNodeName(random, meta));
    (*context.mutable_values_def()->mutable_external_values())[DrawNodeName(random, meta)] =
        DrawNodeName(random, meta);
  }
  ControlFlowContextDef* nested = context.add_nested_contexts();
  for (int64_t depth = random.Pick({0, 1, 3, 40, 200}); depth > 0; --depth) {
    nested = random.Percent(50) ? nested->mutable_cond_ctxt()->add_nested_contexts()
                                : nested->mutable_while_ctxt()->add_nested_contexts();
  }
  for (int64_t n = random.Below(3); n > 0; --n) SpoilMessage(random, &context);
  return WireOf(random, context);
}

std::string DrawItem(Random& random, const MetaGraphDef& meta, const std::string& key) {
  if (key == graph_keys::kCondContext) return DrawContext<CondContextDef>(random, meta);
  if (key == graph_keys::kWhileContext) return DrawContext<WhileContextDef>(random, meta);
  if (key == graph_keys::kSavers) return WireOf(random, meta.saver_def());
  if (random.Percent(20)) return DrawString(random);
  return WireOf(random, DrawVariableDef(random, meta));
}

void DrawCollection(Random& random, MetaGraphDef* meta) {
  const std::string key = DrawKey(random);
  CollectionDef& collection = (*meta->mutable_collection_def())[key];
  const int64_t kind = random.Below(10);
  const int64_t items = random.Percent(2) ? kManyItems : random.Below(4);
  for (int64_t n = items; n > 0; --n) {
    if (kind < 5) {
      collection.mutable_bytes_list()->add_value(DrawItem(random, *meta, key));
    } else if (kind < 8) {
      collection.mutable_node_list()->add_value(DrawNodeName(random, *meta));
    } else if (kind < 9) {
      auto* any = collection.mutable_any_list()->add_value();
      any->set_type_url(random.Percent(70) ? files::kAssetTypeUrl : DrawString(random));
      any->set_value(DrawItem(random, *meta, key));
    } else {
      collection.mutable_int64_list()->add_value(HostileInt(random));
    }
  }
}

void SpoilSaver(Random& random, MetaGraphDef* meta) {
  SaverDef* saver = meta->mutable_saver_def();
  switch (random.Below(6)) {
    case 0: saver->set_filename_tensor_name(DrawNodeName(random, *meta)); break;
    case 1: saver->set_save_tensor_name(DrawNodeName(random, *meta)); break;
    case 2: saver->set_restore_op_name(DrawNodeName(random, *meta)); break;
    case 3:
      saver->set_version(static_cast<SaverDef::CheckpointFormatVersion>(random.In(-1, 4)));
      break;
    case 4: saver->set_max_to_keep(static_cast<int>(HostileInt(random))); break;
    default: SpoilMessage(random, saver);
  }
}

void SpoilSignature(Random& random, MetaGraphDef* meta) {
  SignatureDef& signature = (*meta->mutable_signature_def())[random.Pick(
      {"serving_default", "__saved_model_init_op", "__saved_model_train_op", ""})];
  TensorInfo& info =
      random.Percent(50) ? (*signature.mutable_inputs())["x"] : (*signature.mutable_outputs())["y"];
  if (random.Percent(20)) info.mutable_coo_sparse()->set_values_tensor_name("x:0");
  if (random.Percent(20)) info.set_name(DrawNodeName(random, *meta));
  if (random.Percent(30)) {
    TensorProto& value = (*signature.mutable_defaults())["x"];
    value.set_dtype(static_cast<DataType>(random.In(-1, 30)));
    value.mutable_tensor_shape()->add_dim()->set_size(LyingNumber(random, 2));
    if (random.Percent(50)) value.add_float_val(1);
    if (random.Percent(50)) value.set_tensor_content("12345678");
  }
  SpoilMessage(random, &signature);
}

// Makes a constant claim more elements than it has.
void SpoilConstant(Random& random, GraphDef* graph) {
  NodeDef* node = graph->add_node();
  node->set_name("hostile");
  node->set_op("Const");
  const auto dtype = static_cast<DataType>(random.In(1, 23));
  (*node->mutable_attr())["dtype"].set_type(dtype);
  TensorProto* value = (*node->mutable_attr())["value"].mutable_tensor();
  value->set_dtype(random.Percent(90) ? dtype : DT_FLOAT);
  for (int64_t rank = random.Below(4); rank > 0; --rank) {
    value->mutable_tensor_shape()->add_dim()->set_size(LyingNumber(random, 3));
  }
  switch (random.Below(6)) {
    case 0:
      value->set_tensor_content(std::string(static_cast<size_t>(random.Below(100)), '\2'));
      break;
    case 1: value->add_float_val(1); break;
    case 2: value->add_int_val(static_cast<int>(HostileInt(random))); break;
    case 3: value->add_string_val(DrawString(random)); break;
    case 4: value->add_half_val(static_cast<int>(HostileInt(random))); break;
    default: SpoilMessage(random, value);
  }
}

// Changes the op definitions that the message records for its writer.
void SpoilOpList(Random& random, MetaGraphDef* meta) {
  OpList* ops = meta->mutable_meta_info_def()->mutable_stripped_op_list();
  if (ops->op().empty()) ops->add_op()->set_name("Identity");
  const auto at = static_cast<int>(random.Below(ops->op_size()));
  for (int64_t n = random.In(1, 3); n > 0; --n) SpoilMessage(random, ops->mutable_op(at));
}

void SpoilMeta(Random& random, MetaGraphDef* meta) {
  switch (random.Below(12)) {
    case 0:
    case 1: return SpoilSaver(random, meta);
    case 2:
    case 3: return DrawCollection(random, meta);
    case 4: return SpoilSignature(random, meta);
    case 5: return SpoilConstant(random, meta->mutable_graph_def());
    case 6: return SpoilOpList(random, meta);
    case 7: return Mutate(random, meta->mutable_graph_def());
    case 8: {
      if (meta->asset_file_def().empty()) meta->add_asset_file_def();
      return SpoilMessage(random, meta->mutable_asset_file_def(0));
    }
    case 9: return SpoilMessage(random, meta->mutable_graph_def()->mutable_library());
    case 10: {
      if (meta->collection_def().empty()) return;
      auto at = meta->mutable_collection_def()->begin();
      std::advance(at, random.Below(meta->collection_def_size()));
      return SpoilMessage(random, &at->second);
    }
    default: SpoilMessage(random, meta);
  }
}

FileSet OneFile(Random& random, std::string format, std::string name, std::string bytes) {
  FileSet set{std::move(format), name, {}};
  set.Add(name, std::move(bytes));
  if (random.Percent(50)) AddModelBundle(random, "m", random.Pick({0, 0, 30}), &set);
  return set;
}

std::string DrawAssetName(Random& random) {
  return random.Pick({"words.txt", "../words.txt", "/etc/hostname", "a/b", ".", "..", ""});
}

}  // namespace

MetaGraphDef DrawMetaGraphDef(Random& random) {
  MetaGraphDef meta;
  const int64_t base = random.Below(10);
  if (base < 6) {
    meta = base < 4 ? TheBaseModel().meta : TheBaseModel().sharded;
  } else if (base < 8 && !Programs().empty()) {
    meta = random.Pick(Programs());
  } else {
    *meta.mutable_graph_def() = DraftGraph(random).def();
  }
  for (int64_t n = random.Pick({0, 1, 1, 2, 3, 8}); n > 0; --n) SpoilMeta(random, &meta);
  return meta;
}

FileSet DrawMetaGraph(Random& random) {
  const MetaGraphDef meta = DrawMetaGraphDef(random);
  if (random.Percent(25)) {
    return OneFile(random, "graph", "g.pb", BytesOf(random, meta.graph_def(), 25));
  }
  return OneFile(random, "meta", "m.meta", BytesOf(random, meta, 20));
}

FileSet DrawSavedModel(Random& random) {
  SavedModel model;
  model.set_saved_model_schema_version(1);
  for (int64_t n = random.Pick({1, 1, 1, 2, 0}); n > 0; --n) {
    *model.add_meta_graphs() = DrawMetaGraphDef(random);
  }
  if (random.Percent(15)) SpoilMessage(random, &model);
  for (MetaGraphDef& meta : *model.mutable_meta_graphs()) {
    if (meta.asset_file_def().empty() || !random.Percent(30)) continue;
    meta.mutable_asset_file_def(0)->set_filename(DrawAssetName(random));
  }
  FileSet set{"saved_model", "s", {}};
  const bool text = random.Percent(20);
  set.Add(text ? "s/saved_model.pbtxt" : "s/saved_model.pb",
          BytesOf(random, model, text ? 100 : 0));
  if (random.Percent(85)) {
    AddModelBundle(random, "s/variables/variables", random.Pick({0, 0, 0, 30, 60}), &set);
  }
  if (random.Percent(80)) set.Add("s/assets/words.txt", "one\ntwo\n");
  if (random.Percent(3)) ReplaceByOddFile(random, &set);
  return set;
}

}  // namespace ramet::fuzz
