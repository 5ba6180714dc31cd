import { statSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLogger, type RunningService } from '@aish/http';
import {
  Caller,
  cleanUp,
  containersOf,
  docker,
  newTestSettings,
  until,
  type TestSettings,
} from '../testing/sandbox.fixture.js';
import { startSandbox } from './start-sandbox.js';

jest.setTimeout(180_000);

const SECRET = `secret-${randomUUID()}`;
let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
beforeAll(async () => {
  ground = await newTestSettings({
    SANDBOX_TOKEN: SECRET,
    RUN_MEMORY_MB: '128',
    RUN_PIDS: '64',
    RUN_TMP_MB: '16',
    RUN_OUTPUT_MAX_BYTES: '65536',
    RUN_STREAM_MAX_BYTES: '1048576',
  });
  const logger = createLogger('warn', 'sandbox', { write: () => undefined });
  service = await startSandbox(ground.config, logger, { version: '0.0.0', handleSignals: false });
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
});
afterAll(async () => {
  await service.app.close();
  await cleanUp(ground);
});

/** Runs a Python program; most attempts need only a system call. */
const python = (program: string) => sandbox.run(`exec python3 - <<'PY'\n${program}\nPY`);
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const isWell = async () => expect((await sandbox.run('echo well')).stdout).toBe('well\n');

describe('abuse of resources', () => {
  it('a fork bomb stays within the process limit', async () => {
    const { outcome } = await sandbox.run('bomb() { bomb | bomb & }; bomb; while :; do :; done', { timeoutMs: 4_000 });
    expect(outcome).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
    const { stdout } = await python(`
import os, time
n = 0
try:
    while True:
        if os.fork() == 0: time.sleep(60)
        n += 1
except OSError as e: print(n < 64, e.errno, flush=True)
os._exit(0)`);
    expect(stdout).toBe('True 11\n');
    await isWell();
  });

  it('a command that exceeds its memory limit is killed, whether one process or many use the memory', async () => {
    const one = await python('x = [bytearray(2 ** 20) for _ in range(1000)]; print("TOOK IT")');
    expect(one.outcome).toMatchObject({ exitCode: 137, outOfMemory: true });
    const many = await sandbox.run(
      // The test counts processes that hold their memory at the same time, because a killed process frees memory for
      // the next.
      'at=$(($(date +%s) + 5)); for n in 1 2 3 4 5 6 7 8; do python3 -c "import time; x = bytearray(60 * 2**20); ' +
        `time.sleep($at - time.time()); print('HELD', flush=True); time.sleep(1)" & done; wait`,
    );
    expect(many.stdout.match(/HELD/g)?.length ?? 0).toBeLessThan(3);
    await isWell();
  });

  it('a command cannot fill a memory file system beyond its size limit', async () => {
    const { stdout } = await sandbox.run(
      'for d in /tmp /dev/shm; do dd if=/dev/zero of=$d/x bs=1M count=4096 2>/dev/null || echo full; done; ' +
        'stat -c %s /tmp/x; rm -f /tmp/x /dev/shm/x',
    );
    expect(stdout).toBe('full\nfull\n16777216\n');
    await isWell();
  });

  it("ten gigabytes of output take little memory in the service and little space in the engine's log", async () => {
    const before = process.memoryUsage().rss;
    const request = sandbox.request('echo begun; sleep 1; exec head -c 10737418240 /dev/zero', { timeoutMs: 25_000 });
    let logPath = '';
    let largest = 0;
    const ending = sandbox.toEnd(request);
    const [container] = await until(async () => {
      const found = await containersOf(request.runId);
      return found.length > 0 && found;
    }, 'the container is there');
    ({ LogPath: logPath } = await docker.getContainer(container?.Id ?? '').inspect());
    let rss = before;
    const watching = setInterval(() => {
      rss = Math.max(rss, process.memoryUsage().rss);
      // Only root can read the engine's folder.
      if (process.getuid?.() === 0) largest = Math.max(largest, sizeOf(logPath) + sizeOf(`${logPath}.1`));
    }, 200);
    const { outcome, stdout } = await ending;
    clearInterval(watching);
    // The engine logs about 100 MB/s, so the time limit usually ends the command.
    if (!outcome.timedOut) expect(outcome.omittedBytes).toBeGreaterThan(10_700_000_000);
    expect(outcome.omittedBytes).toBeGreaterThan(100_000_000);
    expect(Buffer.byteLength(outcome.output)).toBeLessThanOrEqual(65_536);
    expect(stdout.length).toBeLessThan(1_200_000);
    // The engine keeps two log files, each 1.5 times as large as the part of an output that is kept
    // (RUN_OUTPUT_WHOLE_MAX_MB).
    expect(largest).toBeLessThan(64 * 2 ** 20);
    expect(rss - before).toBeLessThan(400 * 2 ** 20);
    await isWell();
  });
});

describe('attempts to leave the container', () => {
  it('a command can write only to the workspace and to memory file systems', async () => {
    const { stdout } = await python(`
import os
for root, dirs, files in os.walk('/', onerror=lambda e: None):
    if root.startswith(('/proc', '/sys', '/workspace')): dirs[:] = []; continue
    try: os.close(os.open(root + '/.attempt', os.O_CREAT | os.O_WRONLY)); os.unlink(root + '/.attempt'); print(root)
    except OSError: pass
for path in ('/etc/passwd', '/etc/shadow', '/etc/hosts', '/etc/resolv.conf', '/etc/hostname', '/usr/bin/env', '/sbin/docker-init'):
    try: os.close(os.open(path, os.O_WRONLY)); print('WROTE', path)
    except OSError: pass`);
    expect(stdout.trim().split('\n').toSorted()).toEqual(['/dev/mqueue', '/dev/shm', '/tmp']);
  });

  it('a command gains no privileges from a setuid file', async () => {
    const { stdout } = await sandbox.run(
      'find / -xdev -perm /6000 -type f 2>/dev/null; getcap -r / 2>/dev/null; ' +
        'cp /usr/bin/id .; chmod 6755 id; ./id -u; chown 0:0 id 2>/dev/null && echo OWNED; ' +
        'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status | tr -d "\\t"; su -c id 2>/dev/null; sudo id 2>/dev/null',
    );
    const none = ':0000000000000000';
    expect(stdout.trim().split('\n')).toEqual([
      '1000',
      ...['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((set) => set + none),
      'NoNewPrivs:1',
      'Seccomp:2',
    ]);
  });

  it('a command cannot mount anything, even in its own namespace', async () => {
    const { stdout } = await sandbox.run(
      `mount -t tmpfs x /tmp 2>/dev/null && echo MOUNTED; mount -o remount,rw / 2>/dev/null && echo REMOUNTED
for flag in -U -Ur -m -n -p -i -u -C -T; do unshare $flag true 2>/dev/null && echo UNSHARED $flag; done
nsenter -t 1 -m true 2>/dev/null && echo ENTERED; chroot / true 2>/dev/null && echo ROOTED; echo done`,
    );
    expect(stdout).toBe('done\n');
  });

  it('a command that makes a privileged system call gets an error', async () => {
    const { stdout } = await python(`
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
# name: (x86_64, arm64), arguments that would be understood or fail with another error than the refusal
calls = {
  'mount': (165, 40), 'umount2': (166, 39), 'pivot_root': (155, 41), 'fsopen': (430, 430), 'open_tree': (428, 428),
  'move_mount': (429, 429), 'swapon': (167, 224), 'reboot': (169, 142), 'settimeofday': (164, 170),
  'sethostname': (170, 161), 'init_module': (175, 105), 'finit_module': (313, 273), 'delete_module': (176, 106),
  'kexec_load': (246, 104), 'bpf': (321, 280), 'perf_event_open': (298, 241), 'keyctl': (250, 219),
  'add_key': (248, 217), 'request_key': (249, 218), 'open_by_handle_at': (304, 265), 'quotactl': (179, 60),
  'acct': (163, 89), 'setns': (308, 268), 'unshare': (272, 97), 'userfaultfd': (323, 282), 'io_uring_setup': (425, 425),
  'lookup_dcookie': (212, 18), 'chroot': (161, 51), 'kcmp': (312, 272), 'vhangup': (153, 58), 'syslog': (103, 116),
}
column = 0 if os.uname().machine == 'x86_64' else 1
for name, numbers in calls.items():
    ctypes.set_errno(0)
    first = {'unshare': 0x10000000, 'syslog': 3, 'kcmp': os.getpid()}.get(name, 0)
    result = libc.syscall(numbers[column], ctypes.c_long(first), 0, 0, 0, 0, 0)
    if result >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS): print(name, result, errno.errorcode.get(ctypes.get_errno()))
print(len(calls))`);
    expect(stdout).toBe('31\n');
  });

  it('a command cannot inspect processes outside its container', async () => {
    const { stdout } = await python(`
import ctypes, os
pids = [int(n) for n in os.listdir('/proc') if n.isdigit()]
foreign = [p for p in pids if os.stat(f'/proc/{p}').st_uid != 1000]
print(len(pids) < 6, foreign)
libc = ctypes.CDLL(None, use_errno=True)
for pid in set(range(1, 40000)) - set(pids):
    if libc.ptrace(16, pid, 0, 0) == 0: print('ATTACHED', pid)
    try: os.kill(pid, 0); print('SIGNALLED', pid)
    except ProcessLookupError: pass`);
    expect(stdout).toBe('True []\n');
  });

  it('a command cannot open devices', async () => {
    const { stdout } = await sandbox.run(
      'ls /dev | sort | tr "\\n" " "; find /dev -type b; for n in "b 8 0" "b 254 0" "c 1 1" "c 1 11" "c 10 229"; do mknod d $n 2>/dev/null && echo MADE $n; done; ' +
        'for d in core mem kmem port kmsg sda vda fuse kvm loop0 net/tun; do head -c 1 /dev/$d >/dev/null 2>&1 && echo READ $d; done; echo; dmesg 2>/dev/null | head -1',
    );
    // Some runtimes add `core`, which is a link to a masked file.
    expect(stdout.replace(/^core /, '')).toBe(
      'fd full mqueue null ptmx pts random shm stderr stdin stdout tty urandom zero \n',
    );
  });

  it('a command cannot change kernel settings', async () => {
    const { stdout } = await python(`
import os
for top in ('/proc/sys', '/sys', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/acpi', '/proc/scsi'):
    for root, dirs, files in os.walk(top):
        for name in files:
            try: os.close(os.open(os.path.join(root, name), os.O_WRONLY)); print('WRITABLE', root, name)
            except OSError: pass
for path in ('/proc/sysrq-trigger', '/proc/kcore', '/proc/kmsg', '/proc/keys', '/proc/timer_list', '/proc/latency_stats', '/proc/1/mem'):
    for flag in (os.O_RDONLY, os.O_WRONLY):
        try:
            fd = os.open(path, flag)
            if os.fstat(fd).st_rdev == os.makedev(1, 3): continue # covered by /dev/null
            if flag == os.O_RDONLY and not os.read(fd, 1): continue
            print('OPENED', path, flag)
        except OSError: pass
try: os.write(os.open('/proc/self/uid_map', os.O_WRONLY), b'0 0 1'); print('MAPPED')
except OSError: pass
print('done')`);
    expect(stdout.replace(/^OPENED \/proc\/1\/mem [01]\n/gm, '')).toBe('done\n');
  });

  it('a command finds no socket of the engine and cannot reach the engine over the network', async () => {
    const { stdout } = await sandbox.run(
      'find / -type s -not -path "/proc/*" 2>/dev/null; find / -iname "*docker*" -not -path "/proc/*" -not -path "/sys/*" 2>/dev/null | grep -v -e "^/.dockerenv$" -e "/docker-init$"; ' +
        'for s in /var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock; do curl -s --unix-socket $s http://x/version; done; ' +
        'ls -d /host /rootfs /mnt/* 2>/dev/null; echo done',
    );
    expect(stdout).toBe('done\n');
  });
});

describe('secrets', () => {
  it('a container contains no secret of a service', async () => {
    const { stdout } = await sandbox.run(
      'env -0 | tr "\\0" "\\n" | cut -d= -f1 | grep -v -e ^_$ | sort | tr "\\n" " "; echo; cut -d" " -f2 /proc/mounts | grep -v -e ^/proc -e ^/sys -e docker-init | sort | tr "\\n" " "; echo; ' +
        'cat /proc/*/environ /proc/*/cmdline /proc/*/mountinfo 2>/dev/null | tr "\\0" "\\n"; cat /etc/hosts /etc/resolv.conf; ' +
        'ls /run/secrets /var/lib/aish 2>/dev/null',
    );
    const [variables, mounts] = stdout.split('\n');
    expect(variables?.trim().split(' ')).toEqual('GIT_PAGER HOME HOSTNAME LANG OLDPWD PAGER PATH PWD SHLVL'.split(' '));
    expect(mounts?.trim().split(' ')).toEqual(
      '/ /dev /dev/mqueue /dev/pts /dev/shm /etc/hostname /etc/hosts /etc/resolv.conf /tmp /workspace'.split(' '),
    );
    expect(stdout).not.toContain(SECRET);
    expect(stdout).not.toMatch(/token|password|DATABASE_URL|REDIS_URL|API_KEY|SANDBOX/i);
  });

  it('a command cannot see a secret of another workspace', async () => {
    const other = randomUUID();
    await sandbox.run('echo precious > treasure; chmod 777 treasure; ln -sf / root', { workspaceId: other });
    const { stdout } = await sandbox.run('find / -name treasure -not -path "/proc/*" 2>/dev/null; ls; rm -rf id');
    expect(stdout).not.toContain('treasure');
    const again = await sandbox.run('ls root/workspace/treasure; ls root/var/lib/docker 2>&1', { workspaceId: other });
    expect(again.stdout).toMatch(/^root\/workspace\/treasure\n.*No such file/);
  });
});
