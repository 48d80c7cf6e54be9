#include "http/tls.h"

#include <openssl/ssl.h>
#include <unistd.h>

namespace server {
namespace {

namespace ssl = boost::asio::ssl;
using ErrorCode = boost::system::error_code;

ramet::Status FileError(std::string_view what, const std::string& path, const ErrorCode& error) {
  if (!error) return ramet::OkStatus();
  if (access(path.c_str(), R_OK) != 0) {
    return ramet::NotFound(what, " '", path, "' cannot be read");
  }
  return ramet::InvalidArgument(what, " '", path, "' cannot be used: ", error.message(),
                                "; expected a file in PEM form");
}

ramet::Status LoadFiles(const TlsFiles& files, ssl::context* context) {
  ErrorCode error;
  context->use_certificate_chain_file(files.certificate_chain, error);
  RAMET_RETURN_IF_ERROR(FileError("certificate", files.certificate_chain, error));
  context->use_private_key_file(files.private_key, ssl::context::pem, error);
  RAMET_RETURN_IF_ERROR(FileError("private key", files.private_key, error));
  if (files.client_ca.empty()) return ramet::OkStatus();
  context->load_verify_file(files.client_ca, error);
  RAMET_RETURN_IF_ERROR(FileError("CA of clients", files.client_ca, error));
  context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, error);
  return ramet::OkStatus();
}

}  // namespace

ramet::StatusOr<std::unique_ptr<ssl::context>> MakeTlsContext(const TlsFiles& files) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Sessions are resumed by tickets, so that the server keeps nothing of its clients.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  constexpr unsigned char kContext[] = "ramet";
  SSL_CTX_set_session_id_context(native, kContext, sizeof kContext - 1);
  RAMET_RETURN_IF_ERROR(LoadFiles(files, context.get()));
  return context;
}

}  // namespace server
