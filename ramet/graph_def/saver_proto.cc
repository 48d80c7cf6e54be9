#include "ramet/graph_def/saver_proto.h"

namespace ramet {

SaverNames SaverFromProto(const SaverDef& proto) {
  SaverNames saver;
  saver.filename_tensor_name = proto.filename_tensor_name();
  saver.save_tensor_name = proto.save_tensor_name();
  saver.restore_op_name = proto.restore_op_name();
  saver.max_to_keep = proto.max_to_keep();
  saver.sharded = proto.sharded();
  saver.keep_checkpoint_every_n_hours = proto.keep_checkpoint_every_n_hours();
  saver.version = static_cast<SaverNames::Format>(proto.version());
  return saver;
}

void SaverToProto(const SaverNames& saver, SaverDef* proto) {
  proto->set_filename_tensor_name(saver.filename_tensor_name);
  proto->set_save_tensor_name(saver.save_tensor_name);
  proto->set_restore_op_name(saver.restore_op_name);
  proto->set_max_to_keep(saver.max_to_keep);
  proto->set_sharded(saver.sharded);
  proto->set_keep_checkpoint_every_n_hours(saver.keep_checkpoint_every_n_hours);
  proto->set_version(static_cast<SaverDef::CheckpointFormatVersion>(saver.version));
}

}  // namespace ramet
