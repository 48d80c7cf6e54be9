#pragma once

#include "ramet/proto/meta_graph.pb.h"
#include "ramet/saved_model/signature.h"

namespace ramet {

// \error as for ParseSignature.
StatusOr<Signature> SignatureFromProto(const SignatureDef& proto);
// \error kInvalidArgument: a composite is not a serialized message, or a default value is not in
//   host memory.
Status SignatureToProto(const Signature& signature, SignatureDef* proto);
// \error kInvalidArgument: as for SignatureToProto.
Status SignatureTensorToProto(const SignatureTensor& tensor, TensorInfo* proto);

}  // namespace ramet
