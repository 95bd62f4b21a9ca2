// SPDX-License-Identifier: Apache-2.0
#include "edge/http/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

class OpenSslSession final : public TlsSession {
 public:
  explicit OpenSslSession(SSL* ssl) : ssl_(ssl) {}
  ~OpenSslSession() override { SSL_free(ssl_); }

  Outcome Read(char* buffer, size_t size, size_t& count) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ERR_clear_error();
    return ToOutcome(SSL_read_ex(ssl_, buffer, size, &count));
  }

  Outcome Write(absl::string_view bytes, size_t& count) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ERR_clear_error();
    return ToOutcome(SSL_write_ex(ssl_, bytes.data(), bytes.size(), &count));
  }

  void EndWriting() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ERR_clear_error();
    if (SSL_is_init_finished(ssl_) == 1) SSL_shutdown(ssl_);
  }

 private:
  // REQUIRES: mutex_ is held.
  Outcome ToOutcome(int result) {
    if (result == 1) return Outcome::kDone;
    switch (SSL_get_error(ssl_, result)) {
      case SSL_ERROR_WANT_READ:
        return Outcome::kWantsRead;
      case SSL_ERROR_WANT_WRITE:
        return Outcome::kWantsWrite;
      default:
        return Outcome::kEnd;
    }
  }

  std::mutex mutex_;
  SSL* const ssl_;  // Guarded by mutex_.
};

class OpenSslContext final : public TlsContext {
 public:
  explicit OpenSslContext(SSL_CTX* context) : context_(context) {}
  ~OpenSslContext() override { SSL_CTX_free(context_); }

  std::unique_ptr<TlsSession> Accept(int fd) override {
    SSL* const ssl = SSL_new(context_);
    if (ssl == nullptr) return nullptr;
    auto session = std::make_unique<OpenSslSession>(ssl);
    if (SSL_set_fd(ssl, fd) != 1) return nullptr;
    SSL_set_accept_state(ssl);
    return session;
  }

 private:
  SSL_CTX* const context_;
};

// HTTP/1.1 is all that is spoken here.
int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* size,
                   const unsigned char* offered, unsigned int offered_size,
                   void*) {
  static constexpr unsigned char kHttp11[] = "\x08http/1.1";
  unsigned char* match = nullptr;
  if (SSL_select_next_proto(&match, size, kHttp11, sizeof(kHttp11) - 1, offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *chosen = match;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

absl::StatusOr<std::shared_ptr<TlsContext>> TlsContext::Load(
    const std::string& certificate_file, const std::string& key_file) {
  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
  if (context == nullptr) return absl::InternalError("no TLS in OpenSSL");
  auto loaded = std::make_shared<OpenSslContext>(context);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, nullptr);
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) !=
      1) {
    return absl::InvalidArgumentError(
        absl::StrCat("no certificate in ", certificate_file));
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(),
                                  SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("no key for that certificate in ", key_file));
  }
  return loaded;
}

}  // namespace banyan::edge
