#include "ramet/base/status.h"

namespace ramet {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk: return "OK";
    case Code::kCancelled: return "CANCELLED";
    case Code::kUnknown: return "UNKNOWN";
    case Code::kInvalidArgument: return "INVALID_ARGUMENT";
    case Code::kDeadlineExceeded: return "DEADLINE_EXCEEDED";
    case Code::kNotFound: return "NOT_FOUND";
    case Code::kAlreadyExists: return "ALREADY_EXISTS";
    case Code::kPermissionDenied: return "PERMISSION_DENIED";
    case Code::kResourceExhausted: return "RESOURCE_EXHAUSTED";
    case Code::kFailedPrecondition: return "FAILED_PRECONDITION";
    case Code::kAborted: return "ABORTED";
    case Code::kOutOfRange: return "OUT_OF_RANGE";
    case Code::kUnimplemented: return "UNIMPLEMENTED";
    case Code::kInternal: return "INTERNAL";
    case Code::kUnavailable: return "UNAVAILABLE";
    case Code::kDataLoss: return "DATA_LOSS";
    case Code::kUnauthenticated: return "UNAUTHENTICATED";
  }
  return "UNKNOWN";
}

Status::Status(Code code, std::string message) {
  if (code != Code::kOk) rep_ = std::make_shared<const Rep>(Rep{code, std::move(message)});
}

const std::string& Status::message() const {
  static const std::string* const empty = new std::string;
  return rep_ ? rep_->message : *empty;
}

void Status::value() const {
  if (!ok()) throw BadStatusAccess(*this);
}

std::string Status::ToString() const {
  return ok() ? "OK" : StrCat(CodeName(code()), ": ", message());
}

Status Status::WithContext(std::string_view context) const {
  return ok() ? *this : Status(code(), StrCat(context, ": ", message()));
}

Status Status::WithSuffix(std::string_view suffix) const {
  return ok() ? *this : Status(code(), StrCat(message(), suffix));
}

namespace status_internal {
void ThrowBadAccess(const Status& status) { throw BadStatusAccess(status); }
}  // namespace status_internal

}  // namespace ramet
