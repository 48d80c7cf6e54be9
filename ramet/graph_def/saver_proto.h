#pragma once

#include "ramet/graph_def/meta_graph.h"
#include "ramet/proto/saver.pb.h"

// Conversion between SaverNames and SaverDef. Pure and thread-safe.
namespace ramet {

SaverNames SaverFromProto(const SaverDef& proto);
// Sets the fields of `*proto` from `saver`.
void SaverToProto(const SaverNames& saver, SaverDef* proto);

}  // namespace ramet
