#pragma once

#include "ramet/proto/meta_graph.pb.h"
#include "ramet/saved_model/signature.h"

namespace ramet {

// \error as ParseSignature.
StatusOr<Signature> SignatureFromProto(const SignatureDef& proto);
// \error kInvalidArgument if a composite is not a serialised message or a default is not in host
// memory.
Status SignatureToProto(const Signature& signature, SignatureDef* proto);
// \error kInvalidArgument as SignatureToProto.
Status SignatureTensorToProto(const SignatureTensor& tensor, TensorInfo* proto);

}  // namespace ramet
