import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { STAKES, type Stake } from '@aish/safety';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REVERT_AFTER_S, revertCommand, type RevertMode } from './revert-script.js';

const run = promisify(execFile);
const ID = '7f1c0a52-1111-4222-8333-123456789abc';
const OTHER = '7f1c0a52-1111-4222-8333-cba987654321';

/**
 * A separate machine for one script, with its own network, processes, /etc and /var/lib. The machine ends with the
 * script.
 */
const MACHINE = String.raw`set -e
mount --make-rprivate /
mount -t tmpfs tmpfs "$1/over"
mkdir "$1/over/up" "$1/over/work" "$1/over/root"
cp -a /etc/hosts /etc/nsswitch.conf "$1/over/root/"
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/lib
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$1/over/up,workdir=$1/over/work" /etc
rm -f /etc/resolv.conf
mkdir -p /etc/ssh /etc/cron.d /etc/local.d
echo 'Port 22' >/etc/ssh/sshd_config
echo 'nameserver 10.7.0.1' >/etc/resolv.conf
ip link set lo up
ip link add eth0 type veth peer name far
ip link set far up
ip addr add 10.7.0.5/24 dev eth0
ip link set eth0 up
ip route add default via 10.7.0.1
ip rule add from 10.8.0.0/16 lookup 100 pref 700
iptables -A INPUT -p tcp --dport 22 -j ACCEPT
look() {
  ip -o -4 addr | sed 's/ *valid_lft.*//'
  ip route
  ip rule
  ip -o link | sed 's/NO-CARRIER,//; s/LOWER_UP//; s/ state.*//'
  iptables -S
  iptables -t nat -S
  cat /etc/ssh/* /etc/resolv.conf
  ls -ln /etc/ssh/sshd_config
}
left() { ls /var/lib/aish-back /etc/local.d; }
set +e
. "$1/script"
`;

const CHANGES: readonly (readonly [Stake, string])[] = [
  ['firewall', 'iptables -F; iptables -P INPUT DROP; iptables -t nat -A PREROUTING -p tcp --dport 22 -j REDIRECT'],
  ['network', 'ip route del default; ip route add blackhole 10.9.0.0/16; ip rule del pref 700; ip rule add from 10.9.9.9 lookup 7 pref 600'], // prettier-ignore
  ['network', 'ip addr flush dev eth0; ip addr add 10.99.0.1/24 dev eth0'],
  ['network', 'ip link set eth0 down; ip link set eth0 mtu 1300'],
  ['sshd', 'echo Port 2222 >/etc/ssh/sshd_config; echo x >/etc/ssh/more; chmod 666 /etc/ssh/sshd_config'],
  ['dns', 'rm /etc/resolv.conf; ln -s /nowhere /etc/resolv.conf'],
];

describe.each([
  ['dash', 'dash'],
  ['BusyBox sh', 'busybox sh'],
] as const)('automatic revert on a host under %s', (_, shell) => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-revert-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const command = (mode: RevertMode, id: string = ID, kinds: readonly Stake[] = STAKES, seconds = 1) =>
    `(${revertCommand(mode, id, kinds, 'root')
      .replaceAll(` ${REVERT_AFTER_S} root`, ` ${seconds} root`)
      .replaceAll(/\bsh -c ("\$T"|')/g, `${shell} -c $1`)}) </dev/null`;

  /** Returns the output of the script on such a machine. */
  const onMachine = async (script: string) => {
    const place = await mkdtemp(join(dir, 'machine-'));
    await mkdir(join(place, 'over'));
    await writeFile(join(place, 'machine'), MACHINE);
    await writeFile(join(place, 'script'), script);
    const apart = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];
    const options = { cwd: place, timeout: 60_000 };
    return (await run('unshare', [...apart, 'sh', join(place, 'machine'), place], options)).stdout;
  };

  it('a host restores each change by itself, and only that change', async () => {
    const printed = await Promise.all(
      CHANGES.map(([kind, change]) =>
        onMachine(`look >before
${command('arm', ID, [kind], 4)}
${change}
look >after
if cmp -s before after; then echo 'nothing was changed'; fi
until [ -f /var/lib/aish-back/${ID}.back/result ]; do sleep 0.2; done
look >after
diff before after
left`),
      ),
    );
    expect(printed).toEqual(CHANGES.map(() => `ready boot\n/etc/local.d:\n\n/var/lib/aish-back:\n${ID}.back\n`));
  }, 60_000);

  it('a confirmed change stays on the host, and no trace of the undo is left', async () => {
    const printed = await onMachine(`
${command('check')}
${command('arm', ID, ['firewall'], 2)}
iptables -P INPUT DROP
sleep 1
${command('renew', ID, ['firewall'], 5)}
left
sleep 3
${command('confirm', ID, ['firewall'])}
sleep 3
iptables -S INPUT
echo left:
left
${command('confirm', ID, ['firewall'])}`);
    expect(printed).toMatch(/^can firewall\ncannot sshd: no sshd was found.*\ncan network\ncan dns\nboot \nend \n/);
    expect(printed).toMatch(/armed[^]*aish-back\.start[^]*7f1c0a52[^]*kept[^]*-P INPUT DROP[^]*left:/);
    expect(printed.split('left:')[1]?.replaceAll('/etc/local.d:', '').replace('/var/lib/aish-back:', '').trim()).toBe('gone'); // prettier-ignore
  }, 60_000);

  it('a confirmation that comes after the undo changes nothing and reports the undo', async () => {
    const printed = await onMachine(`
${command('arm', ID, ['firewall'], 1)}
iptables -P INPUT DROP
sleep 4
${command('confirm', ID, ['firewall'])}
iptables -S INPUT | head -n 1`);
    expect(printed).toMatch(/^ready boot\nback \d\d:\d\d:\d\d\n-P INPUT ACCEPT$/m);
  }, 60_000);

  it('a second change on a host does not begin before the first one is confirmed', async () => {
    const printed = await onMachine(`
${command('arm', ID, ['firewall'], 5)}
${command('arm', OTHER, ['network'], 5)}
${command('confirm', ID, ['firewall'])}
${command('arm', OTHER, ['network'], 5)}`);
    expect(printed).toBe('ready boot\nbusy \nkept \nready boot\n');
  }, 60_000);

  it('a host without the program ip saves everything else', async () => {
    const printed = await onMachine(`
mkdir /run/bin
ln -s $(command -v busybox) /run/bin/busybox
for tool in $(busybox --list); do [ $tool = ip ] || ln -s busybox /run/bin/$tool; done
for tool in dash env iptables-save iptables-restore iptables nft; do ln -s $(command -v $tool) /run/bin/; done
PATH=/run/bin
${command('check').replace('/usr/sbin:/sbin:/usr/local/sbin', '/run/bin')}
${command('arm').replace('/usr/sbin:/sbin:/usr/local/sbin', '/run/bin')}
rm /etc/resolv.conf
until [ -f /var/lib/aish-back/${ID}.back/result ]; do sleep 1; done
cat /etc/resolv.conf`);
    expect(printed).toMatch(/^cannot network: it has no program ip$[^]*^ready boot\nnameserver 10\.7\.0\.1$/m);
  }, 60_000);

  it('a host without the timer restores its state after a restart', async () => {
    const printed = await onMachine(`
${command('arm', ID, ['sshd', 'firewall'], 30)}
echo Port 2222 >/etc/ssh/sshd_config
pkill -f 'script - wait'
iptables -P INPUT DROP
sh /etc/local.d/aish-back.start
until [ -f /var/lib/aish-back/${ID}.back/result ]; do sleep 0.2; done
cat /etc/ssh/sshd_config
iptables -S INPUT | head -n 1
left`);
    expect(printed).toContain('Port 22\n-P INPUT ACCEPT\n');
    expect(printed).not.toContain('aish-back.start');
  }, 60_000);
});

describe('the script of automatic revert', () => {
  it.each(STAKES.map((kind) => [kind] as const))('the script for %s is short enough for dropbear', (kind) => {
    expect(Buffer.byteLength(revertCommand('arm', ID, [kind], 'a-long-user-name'))).toBeLessThan(9_000);
  });
});
