#include "ramet/replica/redis/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <limits>

#include "ramet/base/strings.h"

namespace ramet::redis {
namespace {

// Returns the first of OpenSSL's pending errors and clears the rest.
std::string LastError() {
  char text[256] = "unknown error";
  if (const unsigned long code = ERR_get_error(); code != 0) {
    ERR_error_string_n(code, text, sizeof(text));
  }
  ERR_clear_error();
  return text;
}

int ClampedSize(size_t size) {
  return static_cast<int>(std::min<size_t>(size, std::numeric_limits<int>::max()));
}

}  // namespace

Tls::~Tls() {
  SSL_free(ssl_);
  SSL_CTX_free(context_);
}

StatusOr<std::unique_ptr<Tls>> Tls::Create(const RedisUrl& url) {
  std::unique_ptr<Tls> tls(new Tls);
  ERR_clear_error();
  tls->context_ = SSL_CTX_new(TLS_client_method());
  if (tls->context_ == nullptr) return Internal("OpenSSL: ", LastError());
  SSL_CTX_set_min_proto_version(tls->context_, TLS1_2_VERSION);
  SSL_CTX_set_verify(tls->context_, SSL_VERIFY_PEER, nullptr);
  RAMET_RETURN_IF_ERROR(tls->Use(url.tls));
  tls->ssl_ = SSL_new(tls->context_);
  if (tls->ssl_ == nullptr) return Internal("OpenSSL: ", LastError());
  RAMET_RETURN_IF_ERROR(tls->CheckFor(url.host));
  SSL_set_bio(tls->ssl_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(tls->ssl_);
  return tls;
}

Status Tls::Use(const TlsSettings& settings) {
  const bool trusts = settings.ca.empty() ? SSL_CTX_set_default_verify_paths(context_) == 1
                                          : SSL_CTX_load_verify_locations(
                                                context_, settings.ca.c_str(), nullptr) == 1;
  if (!trusts) {
    return InvalidArgument("the certificates in '", settings.ca,
                           "' (option ca, RAMET_REDIS_CA) cannot ", "be used: ", LastError());
  }
  if (settings.cert.empty()) return OkStatus();
  const std::string& key = settings.key.empty() ? settings.cert : settings.key;
  if (SSL_CTX_use_certificate_chain_file(context_, settings.cert.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context_, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return InvalidArgument(
        "certificate '", settings.cert, "' with key '", key, "' (options cert and ",
        "key, RAMET_REDIS_CERT and RAMET_REDIS_KEY) cannot be used: ", LastError());
  }
  return OkStatus();
}

Status Tls::CheckFor(const std::string& host) {
  X509_VERIFY_PARAM* param = SSL_get0_param(ssl_);
  if (X509_VERIFY_PARAM_set1_ip_asc(param, host.c_str()) == 1) return OkStatus();
  ERR_clear_error();
  if (X509_VERIFY_PARAM_set1_host(param, host.c_str(), host.size()) == 1 &&
      SSL_set_tlsext_host_name(ssl_, host.c_str()) == 1) {
    return OkStatus();
  }
  return InvalidArgument("'", host, "' is not a host name that TLS can verify: ", LastError());
}

Status Tls::Handshake(bool* done) {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_);
  *done = result == 1;
  if (*done) return OkStatus();
  const int error = SSL_get_error(ssl_, result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return OkStatus();
  const long verified = SSL_get_verify_result(ssl_);
  if (verified != X509_V_OK) {
    return PermissionDenied(
        "the server's certificate is not trusted: ", X509_verify_cert_error_string(verified),
        "; set the authority's ", "certificate with option ca or RAMET_REDIS_CA");
  }
  return Unavailable("the TLS handshake failed: ", LastError());
}

Status Tls::Feed(std::string_view bytes) {
  const int size = ClampedSize(bytes.size());
  if (BIO_write(SSL_get_rbio(ssl_), bytes.data(), size) == size) return OkStatus();
  return ResourceExhausted("out of memory for data received over TLS");
}

StatusOr<size_t> Tls::Read(char* out, size_t size, bool* closed) {
  ERR_clear_error();
  const int count = SSL_read(ssl_, out, ClampedSize(size));
  if (count > 0) return static_cast<size_t>(count);
  const int error = SSL_get_error(ssl_, count);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return size_t{0};
  if (error != SSL_ERROR_ZERO_RETURN) return Unavailable("TLS: ", LastError());
  *closed = true;
  return size_t{0};
}

Status Tls::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    ERR_clear_error();
    const int count = SSL_write(ssl_, bytes.data(), ClampedSize(bytes.size()));
    if (count <= 0) return Unavailable("TLS: ", LastError());
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return OkStatus();
}

std::string Tls::TakeOutput() {
  BIO* bio = SSL_get_wbio(ssl_);
  std::string out(BIO_ctrl_pending(bio), '\0');
  if (out.empty()) return out;
  const int count = BIO_read(bio, out.data(), ClampedSize(out.size()));
  out.resize(static_cast<size_t>(std::max(count, 0)));
  return out;
}

}  // namespace ramet::redis
