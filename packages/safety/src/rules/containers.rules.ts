import { has, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

const ENGINES = ['docker', 'podman', 'nerdctl'];
const COMPOSE = ['docker-compose', 'podman-compose', 'docker', 'podman', 'nerdctl'];

/** What follows `compose`, or the operands of docker-compose. */
const compose = (name: string, text: string): string =>
  name.endsWith('-compose') ? text : (/^compose (.*)$/.exec(text)?.[1] ?? '');

export const CONTAINERS: readonly Rule[] = [
  {
    id: 'container.remove',
    title: 'deletes containers, images, volumes or networks',
    why: 'what was written in a container or volume goes with it',
    severity: 'high',
    tools: ENGINES,
    matches: (c) =>
      /^(rm|rmi|untag|((container|image|volume|network|context|secret|config|service|stack|node|plugin|manifest|trust|buildx|builder|pod|machine|kube|checkpoint|scout|model|sandbox|artifact|quadlet|farm) (rm|remove|down|revoke|prune|history rm|checkpoint rm))|buildx (rm|prune|history rm)|(system|builder|buildx|volume|image|container|network|pod) (prune|reset|renumber)|builder prune|image untag|container cleanup|checkpoint rm|ai rm|mcp \S+ rm)\b/.test(
        path(c),
      ),
    stops: [
      'docker rm -f web',
      'docker rmi old',
      'docker volume rm data',
      'docker system prune -af',
      'docker image prune',
      'docker container rm x',
      'podman pod rm x',
      'docker -H tcp://h:2375 volume rm data',
      'docker builder prune',
      'docker network rm n',
      'docker stack rm s',
      'docker rm $(docker ps -aq)',
    ],
    passes: [
      'docker ps -a',
      'docker run --rm alpine ls',
      'docker volume ls',
      'docker system df',
      'docker inspect rm',
      'docker logs web',
      'docker volume create x',
      'docker images',
    ],
  },
  {
    id: 'container.stop',
    title: 'stops or changes running containers',
    why: 'what runs in them ends or is cut off',
    severity: 'medium',
    tools: ENGINES,
    matches: (c) =>
      (/^((container |pod )?(stop|kill|restart|pause|update|rename)|service (update|scale|rollback)|swarm (leave|init|ca|update|unlock-key)|node (update|demote|promote)|network disconnect|plugin (disable|upgrade|set)|context update|stack deploy|machine (stop|reset|set)|volume (update|import|restore)|config set|secret update|system migrate|container (restore|checkpoint)|trust revoke|(image )?(load|import|push)|auto-update|kube down|desktop (stop|restart|disable))\b/.test(
        path(c),
      ) &&
        !/^(image )?(load|import|push)\b/.test(path(c))) ||
      (/^(play )?kube( play)?\b/.test(path(c)) && has(c, '--down', '--replace')) ||
      (/^(push|image push)\b/.test(path(c)) && has(c, '--prune')),
    stops: [
      'docker stop web',
      'podman play kube --down x.yml',
      'podman kube play --replace x.yml',
      'docker kill web',
      'docker restart web',
      'docker service update --image x s',
      'docker swarm leave --force',
      'docker update --memory 1g web',
      'docker pause x',
    ],
    passes: [
      'docker start web',
      'docker build .',
      'docker pull x',
      'docker top web',
      'docker load -i a.tar',
      'docker stats',
    ],
  },
  {
    id: 'container.copy-in',
    title: 'overwrites files in a container, or forgets a login',
    why: 'the file that is there is replaced',
    severity: 'low',
    tools: ENGINES,
    matches: (c) =>
      /^logout\b/.test(path(c)) || (/^(container )?cp\b/.test(path(c)) && (operands(c).at(-1) ?? '').includes(':')),
    stops: ['docker cp a.conf web:/etc/a.conf', 'docker logout'],
    passes: ['docker cp web:/etc/a.conf .', 'docker cp web:/logs ./logs'],
  },
  {
    id: 'container.privileged-run',
    title: "gives a container the host's disks",
    why: 'what runs in it can change everything on the host',
    severity: 'high',
    tools: ENGINES,
    matches: (c) =>
      /^(run|create|container run|container create)\b/.test(path(c)) &&
      c.args.some(
        (arg, at) =>
          (/^(-v|--volume)$/.test(c.args[at - 1] ?? '') && arg.startsWith('/:') && !/:ro\b/.test(arg)) ||
          (/^(-v|--volume=)\/:\S+$/.test(arg) && !arg.endsWith(':ro')),
      ) &&
      !/\b(ls|cat|df|du|find)\b/.test(operands(c).slice(2).join(' ')),
    stops: ['docker run -v /:/host alpine chroot /host', 'docker run --rm -it -v /:/mnt alpine sh'],
    passes: [
      'docker run -v /srv/a:/a alpine ls',
      'docker run -v /:/host:ro alpine ls /host',
      'docker run -v /:/host alpine ls /host',
    ],
  },
  {
    id: 'compose.down',
    title: 'stops or removes the services of a compose project',
    why: 'its containers go, with -v its volumes and their data too',
    severity: 'high',
    tools: COMPOSE,
    matches: (c) => {
      const text = compose(c.name, path(c));
      if (/^(down|rm|stop|kill|restart|pause|scale|publish|volumes rm)\b/.test(text)) return true;
      return (
        /^(up|create|run)\b/.test(text) &&
        has(c, '--force-recreate', '-V', '--renew-anon-volumes', '--remove-orphans', '--always-recreate-deps')
      );
    },
    stops: [
      'docker compose down -v',
      'docker-compose down',
      'docker compose -f a.yml -p x rm -sf web',
      'docker compose stop',
      'docker compose restart web',
      'docker compose up -d --force-recreate',
      'docker compose kill',
    ],
    passes: [
      'docker compose up -d',
      'docker compose ps',
      'docker compose logs -f',
      'docker compose --dry-run down',
      'docker compose pull',
      'docker compose config',
      'docker compose build',
    ],
  },
  {
    id: 'container.low-level',
    title: 'deletes or stops containers or images',
    why: 'what was written in them goes with them',
    severity: 'high',
    tools: [
      'ctr',
      'crictl',
      'buildah',
      'skopeo',
      'regctl',
      'crane',
      'runc',
      'crun',
      'lxc-destroy',
      'lxc-stop',
      'lxc-snapshot',
      'lxc-copy',
      'systemd-nspawn',
      'machinectl',
      'img',
      'oras',
      'reg',
      'docker-machine',
      'dive',
      'portainer',
      'distrobox',
      'toolbox',
      'apptainer',
      'balena',
      'colima',
      'lima',
      'limactl',
      'rdctl',
      'orb',
      'dokku',
      'caprover',
      'casaos-cli',
    ],
    matches: (c) => {
      if (/^lxc-(destroy|stop)$/.test(c.name)) return c.args.length > 0;
      if (c.name === 'lxc-snapshot') return has(c, '-d', '-r', '--destroy', '--restore');
      if (c.name === 'skopeo' || c.name === 'crane' || c.name === 'regctl' || c.name === 'oras')
        return /\b(delete|rm)\b/.test(path(c));
      return /\b(rm|rmi|rmp|remove|delete|del|kill|stop|stopp|prune|destroy|purge|poweroff|terminate|restart|reboot|clean|factory-reset|reset|disable|unexpose|apps:destroy|ps:stop|\w+:(destroy|delete|remove|unset|clear|stop|restart))\b/.test(
        path(c),
      );
    },
    stops: [
      'crictl rmi --prune',
      'ctr -n k8s.io images rm x',
      'lxc-destroy -n x',
      'buildah rm -a',
      'skopeo delete docker://x',
      'dokku apps:destroy x',
    ],
    passes: ['crictl ps', 'ctr images ls', 'skopeo inspect docker://x', 'buildah images', 'machinectl list'],
  },
];
