#!/bin/sh
# Prints lines for .env that pin the images of docker-compose.yml by digest, for each image that this engine has pulled.
#   docker compose pull --ignore-buildable && deploy/compose/pin-images.sh >> .env
# Only a registry gives an image its digest. Images built here or by base-images.sh have none, and are listed in a
# comment.
set -eu
cd "$(dirname "$0")/../.."
{
  grep -oE '[A-Z_]+_IMAGE:-[^}]+' docker-compose.yml deploy/compose/socket-proxy.yml | sed 's/^[^:]*:\([A-Z_]*_IMAGE\):-/\1 /'
  sed -n 's/^ARG \([A-Z]*_IMAGE\)=\(.*\)/\1 \2/p' deploy/Dockerfile services/sandbox/image/Dockerfile
} | sort -u | while read -r name image; do
  case $image in aish-*) continue ;; esac
  digest=$(docker image inspect --format '{{range .RepoDigests}}{{println .}}{{end}}' "$image" 2>/dev/null | head -n 1)
  case $digest in
  *@sha256:*) printf '%s=%s@%s\n' "$name" "$image" "${digest##*@}" ;;
  *) printf '# %s=%s: this engine knows no digest\n' "$name" "$image" ;;
  esac
done
