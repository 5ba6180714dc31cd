#!/bin/sh
# Makes the secrets of a stack in its Swarm: random, once. They outlive the stack, as its volumes do.
# Another stack than `aish` says its name in AISH_STACK.
set -eu
stack=${AISH_STACK:-aish}

random() { od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n'; }
# Through a pipe, so that no process list shows the secret.
keep() { printf '%s' "$2" | docker secret create --label "dev.aish.stack=$stack" "${stack}_$1" - >/dev/null; }

there=$(docker secret ls --filter "label=dev.aish.stack=$stack" --format '{{.Name}}')
case "$there" in
  *_metrics-token*)
    # Made by a version that had no hosts.
    case "$there" in *_hosts-ca-key*) ;; *) keep hosts-ca-key "$(random)" ;; esac
    echo "secrets: all there"; exit 0 ;; # the last one that is made
  ?*) echo "secrets: some of them exist, and none can be read; remove them first: docker secret rm" $there >&2; exit 1 ;;
esac
postgres=$(random)
redis=$(random)
keep postgres-password "$postgres"
keep database-url "postgresql://aish:$postgres@postgres:5432/aish"
keep redis.conf "requirepass $redis
"
keep redis-url "redis://:$redis@redis:6379/0"
keep sandbox-token "$(random)"
keep hosts-ca-key "$(random)"
keep metrics-token "$(random)"
echo "secrets: made"
