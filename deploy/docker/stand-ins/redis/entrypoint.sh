#!/bin/sh
# Runs redis-server on /data as the user redis. Like the official image, it answers other containers without a password,
# so use a private network or set a password.
set -e
case ${1-} in '' | -* | *.conf) set -- redis-server "$@" ;; esac
if [ "$1" != redis-server ]; then exec "$@"; fi
case " $* " in *protected-mode* | *.conf*) ;; *) set -- "$@" --protected-mode no ;; esac
umask 0077
if [ "$(id -u)" = 0 ]; then
  find . ! -user redis -exec chown redis {} +
  exec setpriv --reuid=redis --regid=redis --init-groups -- "$@"
fi
exec "$@"
