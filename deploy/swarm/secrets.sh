#!/bin/sh
# This script creates the random secrets of a stack in its Swarm once. Like its volumes, they outlive the stack. For a
# stack that is not called `aish`, set AISH_STACK.
set -eu
stack=${AISH_STACK:-aish}

random() { od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n'; }
# The secret goes through a pipe, so that no process list shows it.
keep() { printf '%s' "$2" | docker secret create --label "dev.aish.stack=$stack" "${stack}_$1" - >/dev/null; }

there=$(docker secret ls --filter "label=dev.aish.stack=$stack" --format '{{.Name}}')
case "$there" in
  *_metrics-token*)
    # This secret is missing if an earlier version without hosts created the others.
    case "$there" in *_hosts-ca-key*) ;; *) keep hosts-ca-key "$(random)" ;; esac
    echo "secrets: all there"; exit 0 ;; # this one is created last
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
