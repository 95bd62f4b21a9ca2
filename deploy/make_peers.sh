#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# deploy/make_peers.sh FOLDER [DAYS]
#
# Certificates by which edge, sessiond and lspd know each other: an authority
# and one certificate for each, in PEM. Run it again before they end: running
# programs take the new files up by themselves. The authority stays until it is
# deleted.
set -euo pipefail

folder=${1:?where to put them}
days=${2:-90}
umask 077
mkdir -p "$folder"
cd "$folder"

curve=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
if [ ! -e ca.key ]; then
  openssl req -x509 "${curve[@]}" -days 3650 -subj "/CN=banyan" -keyout ca.key -out ca.pem 2>/dev/null
fi

for name in edge sessiond lspd; do
  case $name in
    sessiond) names="DNS:sessiond,DNS:sessiond-redis,DNS:localhost" ;;
    *) names="DNS:$name,DNS:localhost" ;;
  esac
  openssl req "${curve[@]}" -subj "/CN=$name" -keyout "$name.key.new" -out "$name.csr" 2>/dev/null
  openssl x509 -req -days "$days" -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial \
    -extfile <(printf 'subjectAltName=%s' "$names") -out "$name.pem.new" 2>/dev/null
  mv "$name.key.new" "$name.key"
  mv "$name.pem.new" "$name.pem"
  rm "$name.csr"
done
