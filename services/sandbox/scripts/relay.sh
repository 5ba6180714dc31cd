# The first program in the container of a workspace with network access:  bash -c "$(< relay.sh)" aish COMMAND...
# A container has no network. If its workspace has network access, the socket of a filtering proxy is mounted. This
# script relays 127.0.0.1:3128 to it, then becomes the given command. A command that kills the relay has no way out.
set -u
cat /etc/ssl/certs/ca-certificates.crt /run/aish/authority.pem >/tmp/.aish-authorities.pem 2>/dev/null
socket=/run/aish/proxy.sock
# Of a parent of its own: the command finds no job and no child that it did not start. -t: an end that was said in one
# direction does not cut the other one short.
(setsid socat -t 300 TCP-LISTEN:3128,bind=127.0.0.1,fork,reuseaddr,max-children=96 "UNIX-CONNECT:$socket" \
  </dev/null >/dev/null 2>&1 &)
for ((try = 0; try < 500; try++)); do
  # Not from stdin, which is the command's.
  while read -r _ address _ state _ <&4; do # 0A: it listens
    if [ "$address $state" = '0100007F:0C38 0A' ]; then exec "$@" 4<&-; fi
  done 4</proc/net/tcp
  sleep 0.01
done
echo 'aish: the way to the network proxy could not be opened' >&2
exit 125
