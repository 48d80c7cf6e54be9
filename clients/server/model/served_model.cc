#include "model/served_model.h"

namespace server {

ramet::Status NotServed(const ModelSpec& spec, const std::string& why) {
  const std::string reason = why.empty() ? "" : "; " + why;
  if (!spec.version) {
    return ramet::NotFound("Servable not found for request: Latest(", spec.name, ")", reason);
  }
  return ramet::NotFound("Servable not found for request: Specific(", spec.name, ", ",
                         *spec.version, ")", reason);
}

ramet::Status UnknownLabel(const std::string& label) {
  return ramet::InvalidArgument("Unrecognized servable version label: ", label);
}

}  // namespace server
