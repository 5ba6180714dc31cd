# This is the first program in the container of a workspace with network access: bash -c "$(< relay.sh)" aish COMMAND...
# The container itself has no network. Instead, the socket of a filtering proxy is mounted. This script relays
# 127.0.0.1:3128 to the socket, then becomes the given command. A command that kills the relay loses its network access.
set -u
cat /etc/ssl/certs/ca-certificates.crt /run/aish/authority.pem >/tmp/.aish-authorities.pem 2>/dev/null
socket=/run/aish/proxy.sock
# The relay has its own parent, so the command sees no job or child that it did not start. With -t, one direction
# continues when the other ends.
(setsid socat -t 300 TCP-LISTEN:3128,bind=127.0.0.1,fork,reuseaddr,max-children=96 "UNIX-CONNECT:$socket" \
  </dev/null >/dev/null 2>&1 &)
for ((try = 0; try < 500; try++)); do
  # The loop reads from descriptor 4, because stdin belongs to the command.
  while read -r _ address _ state _ <&4; do # the state 0A means that the port is listening
    if [ "$address $state" = '0100007F:0C38 0A' ]; then exec "$@" 4<&-; fi
  done 4</proc/net/tcp
  sleep 0.01
done
echo 'aish: the way to the network proxy could not be opened' >&2
exit 125
