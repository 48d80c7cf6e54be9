#include "ramet/base/exception.h"

#include <new>
#include <stdexcept>
#include <system_error>

#include "ramet/base/log.h"

namespace ramet {

Status StatusOfException() {
  try {
    throw;
  } catch (const BadStatusAccess& e) {
    return e.status();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory");
  } catch (const std::length_error& e) {
    return ResourceExhausted("a container would exceed its maximum size (", e.what(), ")");
  } catch (const std::system_error& e) {
    return Unavailable("the system refused a resource: ", e.what());
  } catch (const std::exception& e) {
    return Internal("unexpected exception: ", e.what());
  } catch (...) {
    return Internal("unexpected exception of unknown type");
  }
}

void LogIfThrown(std::string_view what, const std::function<void()>& fn) {
  try {
    fn();
  } catch (...) {
    LogError(what, ": ", StatusOfException().ToString());
  }
}

}  // namespace ramet
