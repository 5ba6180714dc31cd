import { describe, expect, it } from '@jest/globals';
import { hostCalls, readsOnlyOnHost, timesCovered } from './host-calls.js';
import { sshRequest, type SshRequest } from './ssh-request.js';

const asked = (...argv: string[]): SshRequest => {
  const request = sshRequest(argv);
  if ('refused' in request) throw new Error(request.refused);
  return request;
};

describe('the arguments of ssh', () => {
  it.each([
    [['nas', 'df', '-h'], { host: 'nas', command: 'df -h', subsystem: false, stdin: true }],
    [['-n', '-l', 'aish', '-p2222', 'nas', 'df'], { user: 'aish', port: 2222, stdin: false, command: 'df' }],
    [['nas', '-p', '23', '--', 'df'], { host: 'nas', port: 23, command: 'df' }],
    [['root@nas', 'df; ls'], { host: 'nas', user: 'root', command: 'df; ls' }],
    [['ssh://root@nas:23', 'df'], { host: 'nas', user: 'root', port: 23 }],
    [
      ['-x', '-oPermitLocalCommand=no', '-oClearAllForwardings=yes', '-oRemoteCommand=none', '-oRequestTTY=no', '-oForwardAgent=no', '-l', 'aish', '-s', '--', 'nas', 'sftp'], // prettier-ignore
      { host: 'nas', user: 'aish', command: 'sftp', subsystem: true },
    ],
    // These are the arguments that ansible-core 2.19 uses without a terminal.
    [
      ['-C', '-o', 'ControlMaster=auto', '-o', 'ControlPersist=60s', '-o', 'StrictHostKeyChecking=no', '-o', 'KbdInteractiveAuthentication=no', '-o', 'PreferredAuthentications=gssapi-with-mic,publickey', '-o', 'PasswordAuthentication=no', '-o', 'ConnectTimeout=10', '-o', 'ControlPath="/workspace/.ansible/cp/5f14"', '-o', 'NumberOfPasswordPrompts=1', 'nas', 'df -h'], // prettier-ignore
      { host: 'nas', command: 'df -h' },
    ],
    [['-o', 'SendEnv=GIT_PROTOCOL', 'git@nas', "git-upload-pack '/srv/x'"], { command: "git-upload-pack '/srv/x'" }],
  ])('ssh with the arguments %j is understood', (argv, expected) => {
    expect(asked(...argv)).toMatchObject(expected);
  });

  it.each([
    [[], 'no host'],
    [['nas'], 'interactive'],
    [['-t', 'nas', 'top'], 'interactive'],
    [['-L', '80:x:80', 'nas', 'df'], 'forwarded'],
    [['-A', 'nas', 'df'], 'agent'],
    [['-qN', 'nas', 'df'], 'needs a command'],
    [['-o', 'ProxyCommand=nc x 22', 'nas', 'df'], 'ProxyCommand'],
    [['-o', 'LocalCommand=x', 'nas', 'df'], 'LocalCommand'],
    [['-F', 'x', 'nas', 'df'], 'no settings'],
    [['-i', 'key', 'nas', 'df'], 'Leave -i out'],
    [['-S', 'x', 'nas', 'df'], '-S'],
    [['nas', 'df #\0'], 'NUL'],
  ])('ssh with the arguments %j is refused with a reason', (argv, why) => {
    expect(sshRequest(argv)).toEqual({ refused: expect.stringContaining(why) });
  });
});

describe('read-only requests to a host', () => {
  it.each([
    'df -h',
    'zfs list; zpool status',
    'docker compose ps',
    'podman ps -a',
    'systemctl status nginx',
    'qm list',
    'pct list',
    "git-upload-pack '/srv/x'",
    'rsync --server --sender -vlogDtpre.iLsfxCIvu . /tank/x',
  ])('%s is read-only on a host', (command) => {
    expect(readsOnlyOnHost({ command, subsystem: false })).toBe(true);
  });

  it.each([
    'rm -rf /tank/x',
    'touch /tank/x',
    './run.sh',
    'sh',
    'docker restart web',
    'docker compose up -d',
    'podman rm -f x',
    'systemctl restart nginx',
    'zfs destroy tank/x',
    'qm stop 100',
    'pct destroy 100',
    "git-receive-pack '/srv/x'",
    "git-upload-pack '/srv/x'; rm -rf /tank",
    "git-upload-pack '/srv/'$(rm x)''",
    'rsync --server -vlogDtpre.iLsfxCIvu . /tank/x',
    'rsync --server --sender -vlogDtpre.iLsfxCIvu --remove-source-files . /tank/x',
    'rsync --server --sender -vlogDtpre.iLsfxCIvu . $(rm x)',
    'df -h > /etc/passwd',
    // Ansible sends the code of its module on stdin.
    "/bin/sh -c '/usr/bin/python3.13 && sleep 0'",
  ])('%s is not read-only on a host', (command) => {
    expect(readsOnlyOnHost({ command, subsystem: false })).toBe(false);
  });

  it('a file transfer is never read-only, in either direction', () => {
    expect(readsOnlyOnHost({ command: 'sftp', subsystem: true })).toBe(false);
  });
});

describe('requests to hosts in the text of a command', () => {
  it('the text of a command covers exactly the command lines that it contains, once for each occurrence', () => {
    const text = "ssh nas 'rm -rf /tank/x'";
    expect(timesCovered(text, ['nas'], asked('nas', 'rm -rf /tank/x'))).toBe(1);
    expect(timesCovered(`${text}; ${text}`, ['nas'], asked('nas', 'rm -rf /tank/x'))).toBe(2);
    expect(timesCovered(text, ['nas'], asked('nas', 'rm -rf /tank/xy'))).toBe(0);
    expect(timesCovered(text, ['nas'], asked('nas', 'rm -rf /tank/x '))).toBe(0);
    expect(timesCovered(text, ['other'], asked('other', 'rm -rf /tank/x'))).toBe(0);
    expect(timesCovered(`ssh nas 'rm -rf '\\''/tank/x y'\\'''`, ['nas'], asked('nas', "rm -rf '/tank/x y'"))).toBe(1);
    expect(timesCovered('echo "ssh nas rm -rf /tank/x"', ['nas'], asked('nas', 'rm -rf /tank/x'))).toBe(0);
  });

  it.each([
    'for h in nas; do ssh $h "$(cat order)"; done',
    'for h in nas; do ssh $h "rm -rf /tank/$(cat x)"; done',
    'X=$(cat order); ssh nas "rm -rf $X"',
    'read X; ssh nas "rm -rf $X"',
    'alias d="ssh nas"; d "$X"',
    'sh clean.sh',
    'echo nas | xargs -I{} ssh {} rm -rf /tank/x',
    'ssh "$HOST" rm -rf /tank/x',
  ])('the text of a command does not cover a request that is known only when it runs: %s', (text) => {
    expect(timesCovered(text, ['nas'], asked('nas', 'rm -rf /tank/x'))).toBe(0);
  });

  it('the text of a command covers the commands of its loops, with the values that they have when they run', () => {
    const text =
      'for m in web media; do for f in key crt; do ssh ca "cat /srv/$f" | ssh $m "sudo tee /etc/ssl/$f > /dev/null"; done; done';
    const tee = (f: string) => `sudo tee /etc/ssl/${f} > /dev/null`;
    expect(timesCovered(text, ['media'], asked('media', tee('key')))).toBeGreaterThan(0);
    expect(timesCovered(text, ['web'], asked('web', tee('crt')))).toBeGreaterThan(0);
    expect(timesCovered(text, ['web'], asked('web', tee('other')))).toBe(0);
    expect(timesCovered(text, ['ca'], asked('ca', 'cat /srv/key'))).toBeGreaterThan(1);
    expect(timesCovered('X=/tank/x; ssh nas "rm -rf $X"', ['nas'], asked('nas', 'rm -rf /tank/x'))).toBe(1);
  });

  it('the text of a copy command covers requests for its host and path only', () => {
    const server = asked('nas', 'rsync --server -logDtpre.iLsfxCIvu . /tank/x');
    expect(timesCovered('rsync -a a/ nas:/tank/x', ['nas'], server)).toBe(1);
    expect(timesCovered('rsync -a a/ nas:/tank/y', ['nas'], server)).toBe(0);
    expect(timesCovered('rsync -a a/ other:/tank/x', ['nas'], server)).toBe(0);
    const deletes = asked('nas', 'rsync --server -logDtpre.iLsfxCIvu --delete-during . /tank/x');
    expect(timesCovered('rsync -a a/ nas:/tank/x', ['nas'], deletes)).toBe(0);
    expect(timesCovered('rsync -a --delete a/ nas:/tank/x', ['nas'], deletes)).toBe(1);
    expect(timesCovered('scp a nas:/tank/x', ['nas'], asked('-s', 'nas', 'sftp'))).toBe(1);
    expect(timesCovered('scp nas:/tank/x a', ['nas'], asked('-s', 'nas', 'other'))).toBe(0);
    expect(timesCovered('git push backup main', ['nas'], asked('nas', "git-receive-pack '/srv/x'"))).toBe(1);
    expect(timesCovered('git push backup main', ['nas'], asked('nas', "rm -rf '/srv/x'"))).toBe(0);
  });

  it('hostCalls lists the requests to hosts that the text shows', () => {
    expect(hostCalls('rsync rsync://nas/backup')).toEqual([]);
    expect(hostCalls("ssh nas 'df -h'; scp a nas:/b")).toEqual([
      { kind: 'command', host: 'nas', command: 'df -h' },
      { kind: 'files', host: 'nas', path: '/b', deletes: false, fetches: false },
    ]);
  });
});
