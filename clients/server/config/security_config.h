#pragma once

#include <string>

namespace server {

// The certificates of a server, as the texts of PEM files.
struct TlsConfig {
  std::string key = {};
  std::string certificate = {};  // the server's, followed by intermediate ones
  std::string client_ca = {};    // checks clients' certificates
  bool client_verify = false;    // a client must have a certificate
};

}  // namespace server
