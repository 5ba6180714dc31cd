import type { Command } from '../shell/command.js';
import { table } from './table.js';

export const CONTAINERS = table`
rule    container.remove  high  deletes containers, images, volumes or networks
why     data written in a container or volume is deleted with it

program docker podman nerdctl
  values  -H --host -c --context --config -l --log-level -f --filter --file -p --project-name --project-directory
  values  --profile --env-file -t --timeout --time -s --signal --format --tag --name -v -e -w -u --until
  values  --tlscacert --tlscert --tlskey --ansi
  dry     --dry-run
  help    -h
  complete
  loses   rm|rmi|untag, container rm|remove|prune|cleanup|checkpoint -> what was written in the container
  loses   volume rm|remove|prune, system prune|reset|renumber -> the volume, and the data in it
  loses   image|model|artifact|manifest|builder|buildx rm|remove|prune|untag, buildx history rm
  loses   network|context|secret|config|service|stack|node|plugin|pod|machine|quadlet|farm rm|remove|prune|down|reset
  loses   kube|stack down, trust revoke, image untag, scout|checkpoint|sandbox|ai rm, mcp * rm, pod prune
  reads   ps|images|logs|inspect|stats|top|version|info|port|diff|history|events|search
  reads   container|image|volume|network|context|system|stack|service|node|plugin|secret|config|builder|buildx|pod ls|list
  reads   container|image|volume|network|context|stack|service|node|plugin|secret|config|buildx|pod inspect
  reads   system df|info|events, container|service|stack|pod logs|ps|top|stats, image history, context show, builder|buildx du
  reads   compose ps|logs|config|images|top|ls|version|port|events
  harmless -a -q -f -n -s -t --all --quiet --filter --format --follow --tail --since --until --no-trunc --no-stream
  harmless --size --last -v --verbose --volumes --json --no-color --no-log-prefix --ctr-names --timestamps --details --services --type -l --latest --digests -H --host -c --context -p
  stops   docker rm -f web ; docker rmi old ; docker volume rm data ; docker system prune -af ; docker image prune
  stops   docker container rm x ; docker pod rm x ; docker -H tcp://h:2375 volume rm data ; docker rm $(docker ps -aq)
  passes  docker ps -a ; docker run --rm alpine ls ; docker volume ls ; docker system df ; docker inspect rm
  passes  docker logs web ; docker volume create x ; docker images ; docker pull x

rule    container.stop  medium  stops or changes running containers
why     their processes end or are cut off

program docker podman nerdctl
  loses   stop|kill|restart|pause|update|rename, container|pod stop|kill|restart|pause|update|rename
  loses   container restore|checkpoint, service update|scale|rollback, stack deploy, swarm leave|init|update|unlock-key, swarm ca --rotate|--ca-cert|--external-ca|--cert-expiry
  loses   node update|demote|promote, network disconnect, plugin disable|upgrade|set, context update, config set
  loses   secret update, machine stop|reset|set, volume update|import|restore, system migrate, auto-update
  loses   desktop stop|restart|disable, kube|play ... --down|--replace, push --prune, image push --prune
  stops   docker stop web ; docker play kube --down x.yml ; docker kube play --replace x.yml ; docker kill web
  stops   docker service update --image x s ; docker swarm leave --force ; docker update --memory 1g web ; docker pause x
  passes  docker start web ; docker build . ; docker top web ; docker load -i a.tar ; docker stats

rule    container.copy-in  low  overwrites files in a container, or forgets a login
why     the existing file is replaced

program docker podman nerdctl   loses logout, buildx stop|rm|prune, trust signer remove, trust revoke, system connection remove, scout cache prune, namespace rm|remove, cp * *:* $, container cp * *:* $
  stops   docker cp a.conf web:/etc/a.conf ; docker logout
  passes  docker cp web:/etc/a.conf . ; docker cp web:/logs ./logs

rule    container.privileged-run  high  gives a container the host's disks
why     what runs in it can change everything on the host

program docker podman nerdctl
  odd     ${mountsRoot}  the mount, where it may write and what it runs decide together
  stops   docker run -v /:/host alpine chroot /host ; docker run --rm -it -v /:/mnt alpine sh
  passes  docker run -v /srv/a:/a alpine ls ; docker run -v /:/host:ro alpine ls /host ; docker run -v /:/h alpine ls /h

rule    compose.down  high  stops or removes the services of a compose project
why     its containers are removed; with -v also its volumes and their data

program docker podman nerdctl
  loses   compose down|rm|stop|kill|restart|pause|scale|publish, compose volumes rm
  loses   compose up|create|run --force-recreate|-V|--renew-anon-volumes|--remove-orphans|--always-recreate-deps
  stops   docker compose down -v ; docker compose -f a.yml -p x rm -sf web ; docker compose up -d --force-recreate
  passes  docker compose up -d ; docker compose ps ; docker compose logs -f ; docker compose --dry-run down

program docker-compose podman-compose
  values  -f --file -p --project-name --project-directory --profile --env-file -t --timeout -s --ansi -H --host
  dry     --dry-run   help -h   complete
  loses   down|rm|stop|kill|restart|pause|scale|publish, volumes rm
  loses   up|create|run --force-recreate|-V|--renew-anon-volumes|--remove-orphans|--always-recreate-deps
  reads   ps|logs|config|images|top|ls|version|port|events
  harmless -a -q -f --all --quiet --follow --tail --services --format -p --project-name --file
  stops   docker-compose down ; docker-compose up -d --force-recreate ; docker-compose kill
  passes  docker-compose up -d ; docker-compose ps ; docker-compose pull ; docker-compose build

rule    container.low-level  high  deletes or stops containers or images
why     data written in them is deleted with them

program ctr
  values  -n --namespace -a --address
  loses   ... rm|remove|delete|del|kill|prune|stop
  reads   version|info, containers|images|tasks|snapshots|namespaces|content|leases|plugins ls|list|info, tasks ps
  harmless -q -n --namespace
  stops   ctr -n k8s.io images rm x ; ctr tasks kill x   passes ctr images ls ; ctr images pull x

program crictl   loses rm|rmi|rmp|stop|stopp|update   reads ps|pods|images|info|inspect|inspecti|inspectp|logs|stats|version
  harmless -a -q -o --all --name   stops crictl rmi --prune ; crictl stopp x   passes crictl ps ; crictl pull x

program buildah   values --tag --format -f --file -v -e   help -h   loses rm|rmi|prune|rename   reads images|containers|inspect|info
  stops   buildah rm -a ; buildah rmi x   passes buildah images ; buildah bud .

program gcrane   complete   loses delete   stops gcrane delete a/b   passes gcrane gc a/b ; gcrane ls a
program skopeo crane regctl oras   loses ... delete|rm   reads inspect|list-tags|manifest|digest|ls|catalog
  stops   skopeo delete docker://x   passes skopeo inspect docker://x

program lxc-snapshot   loses -d|-r|--destroy|--restore   stops lxc-snapshot -n x -r s0   passes lxc-snapshot -n x
program runc crun   loses delete|kill|pause|update   reads list|state|ps|events   stops runc delete -f x   passes runc list

program machinectl
  loses   terminate|poweroff|reboot|kill|stop|disable|remove|clean|rename|set-limit|read-only
  reads   list|status|show|list-images|image-status   stops machinectl terminate x ; machinectl remove x
  passes  machinectl list ; machinectl start x

program dokku
  loses   *:destroy|*:delete|*:remove|*:unset|*:clear|*:stop|*:restart|*:rename|*:unexpose|*:disable|cleanup
  reads   apps:list|ps:report|logs|config:show|domains:report   stops dokku apps:destroy x ; dokku ps:stop x
  passes  dokku apps:list ; dokku apps:create x
`;

/** Whether the root of the host is mounted writable, for a command that does more than look at it. */
function mountsRoot(c: Command, operands: readonly string[]): boolean {
  if (!/^(container )?(run|create)\b/.test(operands.join(' '))) return false;
  if (/\b(ls|cat|df|du|find)\b/.test(operands.slice(2).join(' '))) return false;
  return c.args.some((arg, at) => {
    const mount = /^(-v|--volume)$/.test(c.args[at - 1] ?? '') ? arg : /^(?:-v|--volume=)(\/:.*)/.exec(arg)?.[1];
    return mount?.startsWith('/:') === true && !/:ro\b/.test(mount);
  });
}
