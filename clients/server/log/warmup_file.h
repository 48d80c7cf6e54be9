#pragma once

#include <ramet/ramet.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/warmup.h"

namespace server {

inline constexpr size_t kMaxWarmupRecords = 1000;

// Reads FOLDER/assets.extra/tf_serving_warmup_requests: a TFRecord file of PredictionLog messages,
// such as the request log. Returns an empty list if the file does not exist.
// \error kDataLoss: the file is not a TFRecord file, or a record is not a PredictionLog.
// \error kInvalidArgument: a record's request cannot be parsed, or there are more than
//   kMaxWarmupRecords.
// \error kUnimplemented: a record is a session_run_log or a predict_streamed_log.
ramet::StatusOr<std::vector<WarmupRequest>> ReadWarmupRequests(const std::string& version_folder);

// Parses one record of such a file. Returns nothing for a record without a kind.
// \error as for ReadWarmupRequests.
ramet::StatusOr<std::optional<WarmupRequest>> ParseWarmupRecord(std::string_view record);

}  // namespace server
