import { describe, expect, it } from '@jest/globals';
import { evidenceSubjects, subjectName } from './evidence-subjects.js';

const named = (command: string) => evidenceSubjects(command).map(subjectName);

describe('the subjects of evidence', () => {
  it.each<[string, readonly string[]]>([
    ['systemctl restart nginx', ['unit nginx']],
    ['sudo systemctl restart nginx.service redis', ['unit nginx.service', 'unit redis']],
    ['systemctl -q --no-block try-restart php-fpm', ['unit php-fpm']],
    ['systemctl kill -s HUP nginx', ['unit nginx']],
    ['systemctl reload caddy', ['unit caddy']],
    ['systemctl --user restart syncthing', ['user unit syncthing']],
    ['systemctl disable --now cups', ['unit cups']],
    ['systemctl reset-failed', ['the host']],
    ['systemctl reboot', ['the host']],
    ['systemctl -H root@web restart nginx', ['the host']],
    ['service nginx restart', ['unit nginx']],
    ['/etc/init.d/nginx stop', ['unit nginx']],
    ['rc-service -q sshd restart', ['unit sshd']],
    ['sv -w 7 restart /etc/service/unbound', ['unit unbound']],
    ['sv d unbound', ['unit unbound']],
    ['docker restart web', ['container web']],
    ['docker --context nas stop -t 5 web db', ['container web', 'container db']],
    ['docker container rm -f web', ['container web']],
    ['podman kill --signal HUP web', ['container web']],
    ['docker compose down', ['compose project']],
    ['docker compose -f a.yml restart -t 3 web', ['compose project web']],
    ['cd /opt/app && sudo docker compose up -d --force-recreate web', ['compose /opt/app web']],
    ['cd /opt; cd app; docker-compose down', ['compose /opt/app']],
    ['docker system prune -af', ['the host']],
    ['docker pod rm x; podman pod rm x', ['the host']],
    ['kill 12', ['process 12']],
    ['kill -9 12 13', ['process 12', 'process 13']],
    ['kill -s TERM -- -12', ['process 12']],
    ['pkill -u www-data -f gunicorn', ['process gunicorn']],
    ['killall -9 nginx', ['process nginx']],
    ['reboot', ['the host']],
    ['shutdown -r now', ['the host']],
    ['init 6', ['the host']],
    ['qm stop 100', ['the host']],
  ])('`%s` ends these subjects: %j', (command, subjects) => {
    expect(named(command)).toEqual(subjects);
  });

  it.each<[string, readonly string[]]>([
    ['sudo -n sh -c "systemctl stop a; sleep 1; systemctl start a"', ['unit a']],
    ['if ! docker restart web; then reboot; fi', ['container web', 'the host']],
    ['nohup sh -c "sleep 2; systemctl restart a" >/dev/null 2>&1 &', ['unit a']],
    ['for c in a b; do docker restart $c; done', ['container a', 'container b']],
    ['timeout 60 env LANG=C systemctl restart a | tee log', ['unit a']],
    ['docker restart web && docker restart web', ['container web']],
    ['docker restart a b c d e f', ['container a', 'container b', 'container c', 'container d']],
  ])('shell syntax around `%s` hides no subject', (command, subjects) => {
    expect(named(command)).toEqual(subjects);
  });

  it.each([
    'docker restart $(docker ps -q)',
    'docker ps -q | xargs docker rm -f',
    'kill $(cat /run/app.pid)',
    'systemctl restart "$UNIT"',
    'cd "$DIR" && docker compose down',
  ])('the whole host is the subject if the text of `%s` does not show the subject', (command) => {
    expect(named(command)).toEqual(['the host']);
  });

  it('the subject of a command inside a container or a guest is that container or guest', () => {
    expect(named('docker exec -u root web kill -HUP 1')).toEqual(['container web']);
    expect(named('docker exec web sh -c "kill 1"')).toEqual(['container web']);
    expect(named('pct exec 101 -- systemctl restart nginx')).toEqual(['the host']);
  });

  it.each([
    "ssh web 'systemctl restart nginx'",
    'systemctl status nginx',
    'systemctl start nginx',
    'systemctl enable nginx',
    'docker ps; docker logs web; docker start web; docker rmi x',
    'docker compose pull && docker compose ps',
    'kill -0 12',
    'kill -l',
    'pkill -0 nginx',
    'shutdown -c',
    'echo systemctl restart nginx',
    'rm -rf /tank/x',
    'apt-get upgrade -y',
    'sv status nginx',
    'service --status-all',
  ])('`%s` has no subject on this host', (command) => {
    expect(named(command)).toEqual([]);
  });

  it('a subject keeps the options that choose the engine and the project', () => {
    expect(evidenceSubjects('docker --context nas compose -p app --file a.yml rm -sf web')).toEqual([
      {
        kind: 'compose',
        engine: ['docker', '--context', 'nas', 'compose', '-p', 'app', '--file', 'a.yml'],
        folder: null,
        services: ['web'],
      },
    ]);
  });
});
