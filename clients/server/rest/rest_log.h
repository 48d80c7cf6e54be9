#pragma once

#include <ramet/ramet.h>

#include <memory>

#include "inference/examples.h"
#include "inference/predict.h"
#include "log/request_log.h"
#include "model/model_spec.h"

namespace server {

// The following return `done`, preceded by writing the request and its answer to the log, as the
// messages of gRPC, if the request is a part of the sample. `log` may be null.
PredictDone LogThen(RequestLog* log, const ModelSpec& spec, std::shared_ptr<ModelVersion> version,
                    const PredictRequest& request, PredictDone done);
ExamplesDone<Classifications> LogThen(RequestLog* log, const ModelSpec& spec,
                                      const ExamplesRequest& request,
                                      ExamplesDone<Classifications> done);
ExamplesDone<Regressions> LogThen(RequestLog* log, const ModelSpec& spec,
                                  const ExamplesRequest& request, ExamplesDone<Regressions> done);

}  // namespace server
