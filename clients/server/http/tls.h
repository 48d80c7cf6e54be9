#pragma once

#include <ramet/ramet.h>

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "http/http_server.h"

namespace server {

// Makes a context for TLS 1.2 and later. With a CA, clients without a valid certificate fail in the
// handshake.
// \error kNotFound: a file cannot be read.
// \error kInvalidArgument: a file does not hold what it should, or the key does not fit.
ramet::StatusOr<std::unique_ptr<boost::asio::ssl::context>> MakeTlsContext(const TlsFiles& files);

}  // namespace server
