// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/peer_tls.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::rpc {
namespace {

constexpr unsigned int kLookAgainSeconds = 2;

using grpc::experimental::FileWatcherCertificateProvider;
using grpc::experimental::TlsChannelCredentialsOptions;
using grpc::experimental::TlsServerCredentialsOptions;

std::shared_ptr<FileWatcherCertificateProvider> Watch(const PeerTls& tls) {
  return std::make_shared<FileWatcherCertificateProvider>(
      tls.key_file, tls.certificate_file, tls.authorities_file,
      kLookAgainSeconds);
}

}  // namespace

absl::Status CheckPeerTls(const PeerTls& tls) {
  const bool has_all = !tls.certificate_file.empty() && !tls.key_file.empty() &&
                       !tls.authorities_file.empty();
  const bool has_none = tls.certificate_file.empty() && tls.key_file.empty() &&
                        tls.authorities_file.empty();
  if (has_none) return absl::OkStatus();
  if (!has_all) {
    return absl::InvalidArgumentError(
        "TLS between daemons needs all of --peer_cert_file, --peer_key_file "
        "and --peer_ca_file");
  }
  for (const std::string& file :
       {tls.certificate_file, tls.key_file, tls.authorities_file}) {
    if (::access(file.c_str(), R_OK) == 0) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(file, " cannot be read: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

std::shared_ptr<grpc::ServerCredentials> PeerServerCredentials(
    const PeerTls& tls) {
  if (!tls.is_on()) return grpc::InsecureServerCredentials();
  TlsServerCredentialsOptions options(Watch(tls));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return grpc::experimental::TlsServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> PeerChannelCredentials(
    const PeerTls& tls) {
  if (!tls.is_on()) return grpc::InsecureChannelCredentials();
  TlsChannelCredentialsOptions options;
  options.set_certificate_provider(Watch(tls));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  return grpc::experimental::TlsCredentials(options);
}

}  // namespace banyan::rpc
