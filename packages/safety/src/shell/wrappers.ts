/** The syntax of a program that runs another one. */
export interface Wrapper {
  /** Options that take the next word. */
  readonly values?: string;
  /** Options that take the next two words. */
  readonly pairs?: string;
  /** The number of words before the command: a host, a container, a time. */
  readonly skip?: number;
  /** Whether the command begins right after `skip` words, even if its first word looks like an option. */
  readonly strict?: true;
  /** Whether `A=1` may come before the command. */
  readonly assignments?: true;
  /** Whether a shell reads the remaining words, joined. */
  readonly joins?: true;
  /** Options whose value is shell text. */
  readonly code?: string;
  /**
   * Whether the program runs a command only with one of the options in `code`. Without it, the remaining words mean
   * something else.
   */
  readonly codeOnly?: true;
  /** Options that make the program only look and run nothing. */
  readonly looks?: string;
  /** Whether a lone dash is an option. */
  readonly dash?: true;
  /** Whether the wrapper adds words from elsewhere to the command. */
  readonly adds?: true;
}

const PLAIN: Wrapper = {};
const LOADER: Wrapper = {
  values: '--preload --library-path --argv0 --inhibit-rpath --audit --glibc-hwcaps-prepend --glibc-hwcaps-mask',
  looks: '--list --verify --list-diagnostics --list-tunables --help --version',
};

/** Programs that run the command in their arguments. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>(
  Object.entries({
    sudo: {
      values: '-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --role --type --other-user',
      assignments: true,
      looks: '-l --list -v --validate -k -K -V --version',
    },
    doas: { values: '-u -C', assignments: true },
    env: { values: '-a -u -C --argv0 --unset --chdir', assignments: true, code: '-S --split-string', dash: true },
    nice: { values: '-n --adjustment' },
    ionice: { values: '-c -n --class --classdata', looks: '-p --pid' },
    nohup: PLAIN,
    setsid: PLAIN,
    command: { looks: '-v -V' },
    builtin: PLAIN,
    exec: { values: '-a' },
    time: { values: '-f -o --format --output' },
    timeout: { values: '-s -k --signal --kill-after', skip: 1 },
    stdbuf: { values: '-i -o -e --input --output --error' },
    chrt: { values: '-T -P -D', skip: 1, looks: '-p --pid -m --max' },
    taskset: { skip: 1, looks: '-p --pid' },
    numactl: {
      values: '-N -m -C -i -p --cpunodebind --membind --physcpubind --interleave',
      looks: '-H -s --hardware --show',
    },
    unshare: { values: '-S -G -R -w --setuid --setgid --root --wd' },
    nsenter: { values: '-t -S -G --target --setuid --setgid' },
    chroot: { skip: 1 },
    flock: { values: '-w -E --wait --timeout --conflict-exit-code', skip: 1, code: '-c --command' },
    setpriv: { values: '--reuid --regid --groups --inh-caps --bounding-set' },
    runuser: { values: '-u -g -G -s --user --group --shell', code: '-c --command --session-command' },
    su: { values: '-g -G -s --group --shell', code: '-c --command --session-command', codeOnly: true },
    sg: { skip: 1, joins: true, code: '-c' },
    pkexec: { values: '--user' },
    gosu: { skip: 1 },
    'su-exec': { skip: 1 },
    firejail: PLAIN,
    bwrap: {
      values:
        '--uid --gid --hostname --chdir --unsetenv --lock-file --sync-fd --info-fd --json-status-fd --block-fd --userns-block-fd --seccomp --exec-label --file-label --proc --dev --tmpfs --mqueue --dir --perms --size --cap-add --cap-drop --remount-ro --userns --pidns --args --argv0',
      pairs:
        '--bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --setenv --file --bind-data --ro-bind-data --symlink --overlay-src --chmod',
    },
    fakeroot: { values: '-l -s -i -b' },
    fakechroot: PLAIN,
    faketime: { values: '-f', skip: 1 },
    eatmydata: PLAIN,
    unbuffer: PLAIN,
    rlwrap: { values: '-f -H -s -p' },
    proxychains: { values: '-f' },
    proxychains4: { values: '-f' },
    torsocks: PLAIN,
    torify: PLAIN,
    tsocks: PLAIN,
    'dbus-run-session': PLAIN,
    'dbus-launch': PLAIN,
    'xvfb-run': { values: '-n -s -f -e -w -p --server-args --server-num' },
    'systemd-inhibit': PLAIN,
    'systemd-cat': { values: '-t -p --identifier --priority' },
    'systemd-run': {
      values:
        '-u -p -E -M -H --unit --property --setenv --machine --description --slice --uid --gid --working-directory --on-calendar --on-active --on-boot --nice',
    },
    choom: { values: '-n -p --adjust' },
    cpulimit: { values: '-l -e -p --limit --exe --pid' },
    prlimit: PLAIN,
    'ssh-agent': { values: '-a -t -E -P -O', looks: '-k' },
    busybox: { looks: '--list --help' },
    toybox: { looks: '--help' },
    tini: PLAIN,
    'dumb-init': PLAIN,
    strace: { values: '-o -e -s -u -a -P -E -O -S -I -b', looks: '-p' },
    ltrace: { values: '-o -e -s -u -a -l -n', looks: '-p' },
    valgrind: PLAIN,
    catchsegv: PLAIN,
    caffeinate: { values: '-t -w' },
    watch: { values: '-n --interval', joins: true },
    entr: { code: '-s' },
    script: { values: '-I -O -B -m -E -o -T -t', code: '-c --command', codeOnly: true },
    hyperfine: {
      values: '-w -r -m -M --warmup --runs --min-runs --max-runs --export-json --export-markdown',
      joins: true,
      code: '-p -s -c --prepare --setup --cleanup',
    },
    ssh: { values: '-b -B -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w', skip: 1, joins: true },
    autossh: { values: '-M -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -R -S -W -w', skip: 1, joins: true },
    mosh: { values: '-p --port --server --client', skip: 1, code: '--ssh' },
    sshpass: { values: '-p -f -d -P' },
    pdsh: { values: '-w -x -l -t -u -f -R -g', joins: true },
    clush: { values: '-w -x -g -l -t -u -f', joins: true },
    pssh: { values: '-h -H -l -p -o -e -t -O -x', joins: true },
    'parallel-ssh': { values: '-h -H -l -p -o -e -t -O -x', joins: true },
    xargs: {
      values:
        '-I -d -E -L -n -P -s -a --arg-file --delimiter --max-args --max-procs --max-lines --max-chars --replace --process-slot-var',
      adds: true,
    },
    npx: { values: '-p --package', code: '-c --call' },
    bunx: PLAIN,
    uvx: { values: '--from --with --python' },
    pipx: PLAIN,
    'aws-vault': PLAIN,
    wsl: { values: '-d -u --distribution --user' },
    cmd: { skip: 1, joins: true },
    'cmd.exe': { skip: 1, joins: true },
    winpty: PLAIN,
    wine: PLAIN,
    wine64: PLAIN,
    arch: PLAIN,
    daemonize: { values: '-a -e -o -p -l -u -c -E' },
    winexe: { values: '-U -A', skip: 1, joins: true },
    et: { values: '-p', skip: 1, code: '-c --command', codeOnly: true },
    chpst: { values: '-u -U -e -m -d -o -p -f -c -r -t -n' },
    setuidgid: { skip: 1 },
    softlimit: { values: '-m -d -s -l -a -o -p -f -c -r -t' },
    envdir: { skip: 1 },
    nocache: PLAIN,
    tsp: { values: '-L -N -S -w' },
    chronic: PLAIN,
    ifne: PLAIN,
    trickle: { values: '-d -u -w -t -l' },
    setarch: { skip: 1 },
    linux32: PLAIN,
    linux64: PLAIN,
    x86_64: PLAIN,
    i386: PLAIN,
    uname26: PLAIN,
    apptainer: PLAIN,
    'ld.so': LOADER,
    'ld-linux.so.2': LOADER,
    'ld-linux-x86-64.so.2': LOADER,
    'ld-linux-aarch64.so.1': LOADER,
    'ld-musl-x86_64.so.1': LOADER,
    apply: { joins: true },
    rush: { values: '-i -j -k -D -d -n -o -p -r -T -t -v --infile --jobs --retries --timeout', joins: true },
  } satisfies Record<string, Wrapper>),
);

const EXEC_VALUES = '-e -u -w --env --env-file --user --workdir --index --detach-keys';
const RUN_VALUES =
  '-a -c -e -h -l -m -p -u -v -w --name --env --env-file --user --workdir --volume --mount --network --net --publish --entrypoint ' +
  '--hostname --label --memory --cpus --restart --device --cap-add --cap-drop --security-opt --add-host --dns --log-driver --log-opt ' +
  '--pid --ipc --platform --pull --shm-size --tmpfs --ulimit --runtime --gpus --volumes-from --expose --ip --userns --cgroupns --annotation --link --group-add --stop-signal --stop-timeout --health-cmd --cpuset-cpus --memory-swap --cidfile --sysctl --pids-limit --cpu-shares --domainname --mac-address --network-alias';
const KUBE_VALUES =
  '-n -c -f -l -o -s --namespace --context --cluster --kubeconfig --container --user --server --token --as --request-timeout --pod-running-timeout --image --restart --overrides --env --labels --port --replicas --filename --target';

/** Subcommands that run the command in their arguments, with their syntax, keyed by the path of the subcommand. */
export const NESTED: ReadonlyMap<string, Readonly<Record<string, Wrapper>>> = new Map(
  Object.entries({
    docker: dockerLike(),
    podman: dockerLike(),
    nerdctl: dockerLike(),
    'docker-compose': { exec: { values: EXEC_VALUES, skip: 1 }, run: { values: RUN_VALUES, skip: 1 } },
    'podman-compose': { exec: { values: EXEC_VALUES, skip: 1 }, run: { values: RUN_VALUES, skip: 1 } },
    kubectl: { exec: { values: KUBE_VALUES, skip: 1 }, run: { values: KUBE_VALUES, skip: 1 } },
    oc: { exec: { values: KUBE_VALUES, skip: 1 }, rsh: { values: KUBE_VALUES, skip: 1 } },
    k3s: { kubectl: { skip: 0 } },
    microk8s: { kubectl: { skip: 0 } },
    minikube: { kubectl: { skip: 0 }, ssh: { values: '-n -p', joins: true } },
    crictl: { exec: { values: '-i -t', skip: 1 } },
    lxc: { exec: { values: EXEC_VALUES, skip: 1 } },
    incus: { exec: { values: EXEC_VALUES, skip: 1 } },
    'lxc-attach': { '': { values: '-n -P -o -l --name' } },
    pct: { exec: { skip: 1 } },
    qm: { 'guest exec': { values: '--timeout --synchronous', skip: 1 } },
    multipass: { exec: { skip: 1 } },
    machinectl: { shell: { skip: 1 } },
    vagrant: { ssh: { code: '-c --command', codeOnly: true } },
    flatpak: { run: { values: '--command --branch', skip: 1 } },
    adb: { shell: { joins: true } },
    distrobox: { enter: { values: '-n --name', skip: 0 } },
    toolbox: { run: { values: '-c -d -r --container' } },
    poetry: { run: {} },
    dotenv: { run: { values: '-e -f' }, '': { values: '-e -f' } },
    uv: { run: { values: '--with --python -p --project --directory --extra --group --env-file' } },
    pipenv: { run: {} },
    pdm: { run: {} },
    hatch: { run: {} },
    conda: { run: { values: '-n -p --name --prefix' } },
    mamba: { run: { values: '-n -p --name --prefix' } },
    micromamba: { run: { values: '-n -p --name --prefix' } },
    pnpm: { exec: {}, dlx: {} },
    npm: { exec: { values: '-p --package', code: '-c --call' } },
    yarn: { exec: {}, dlx: {} },
    bundle: { exec: {} },
    rbenv: { exec: {} },
    pyenv: { exec: {} },
    asdf: { exec: {} },
    mise: { exec: { skip: 0 }, x: { skip: 0 } },
    direnv: { exec: { skip: 1 } },
    sops: { 'exec-env': { skip: 1, joins: true }, 'exec-file': { skip: 1, joins: true } },
    op: { run: { values: '--env-file' } },
    doppler: { run: { values: '-p -c --project --config', code: '--command' } },
    chamber: { exec: { skip: 1 } },
    heroku: { run: { values: '-a --app -s --size', joins: true } },
    fly: { 'ssh console': { values: '-a --app', code: '-C --command', codeOnly: true } },
    flyctl: { 'ssh console': { values: '-a --app', code: '-C --command', codeOnly: true } },
    gcloud: { 'compute ssh': { values: '--zone --project', code: '--command', codeOnly: true } },
    'nix-shell': { '': { values: '-p -I --packages', code: '--run --command', codeOnly: true } },
    nix: { develop: { code: '-c --command' }, shell: { code: '-c --command' } },
    perf: { record: { values: '-e -F -o -g' }, stat: { values: '-e -o -r' } },
    ip: { 'netns exec': { skip: 1 }, 'vrf exec': { skip: 1 } },
    git: { 'bisect run': {}, 'submodule foreach': { joins: true } },
    'virt-customize': { '': { values: '-a -d', code: '--run-command --firstboot-command', codeOnly: true } },
    vault: {},
  } satisfies Record<string, Record<string, Wrapper>>),
);

function dockerLike(): Record<string, Wrapper> {
  const exec = { values: EXEC_VALUES, skip: 1, strict: true } as const;
  const run = { values: RUN_VALUES, skip: 1, strict: true } as const;
  return {
    exec,
    run,
    create: run,
    'container exec': exec,
    'container run': run,
    'compose exec': exec,
    'compose run': run,
    machine: {},
    unshare: {},
  };
}
