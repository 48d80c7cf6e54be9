#include "http/listen_address.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace server {
namespace {

ramet::Status Malformed(const std::string& text) {
  return ramet::InvalidArgument("address '", text,
                                "' is malformed; expected HOST:PORT, [IPV6]:PORT, *:PORT or "
                                "unix:PATH, such as 127.0.0.1:8501");
}

bool ParsePort(std::string_view text, int* port) {
  int64_t number = 0;
  if (!ramet::ParseInt64(text, &number) || number < 0 || number > 65535) return false;
  *port = static_cast<int>(number);
  return true;
}

bool IsListening(const sockaddr_un& address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const int result = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  close(fd);
  return result == 0;
}

}  // namespace

ramet::StatusOr<ListenAddress> ParseListenAddress(const std::string& text) {
  ListenAddress address;
  if (text.starts_with("unix:")) {
    address.unix_path = text.substr(5);
    constexpr size_t kMaxPathBytes = sizeof(sockaddr_un{}.sun_path) - 1;
    if (address.unix_path.empty() || address.unix_path.size() > kMaxPathBytes) {
      return ramet::InvalidArgument("address '", text, "': the path of a Unix socket has 1 to ",
                                    kMaxPathBytes, " bytes");
    }
    return address;
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return Malformed(text);
  if (!ParsePort(std::string_view(text).substr(colon + 1), &address.port)) return Malformed(text);
  address.host = text.substr(0, colon);
  const bool bracketed = address.host.starts_with("[") && address.host.ends_with("]");
  if (bracketed) address.host = address.host.substr(1, address.host.size() - 2);
  if (address.host.empty() || (!bracketed && address.host.find(':') != std::string::npos)) {
    return Malformed(text);
  }
  if (address.host == "localhost") address.host = "127.0.0.1";
  if (address.host == "*") {
    address.host = "::";
    address.any_host = true;
  }
  return address;
}

void RemoveStaleSocket(const std::string& path) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) return;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (!IsListening(address)) unlink(path.c_str());
}

}  // namespace server
