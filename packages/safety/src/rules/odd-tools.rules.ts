import type { Command } from '../shell/command.js';
import { exact, has, operands, path } from './arguments.js';
import { isDestructiveWord } from './destructive-words.js';
import type { Rule } from './rule.js';

/** Programs that say it in words of their own, which `generic.destructive-word` cannot know. */
const ODD: Readonly<Record<string, (c: Command) => boolean>> = {
  recode: (c) => operands(c).length > 1,
  blockdev: (c) => c.args.some((arg) => /^--(set\w+|flushbufs|rereadpt)$/.test(arg)),
  cdrecord: blanks,
  wodim: blanks,
  xorriso: (c) => exact(c, '-blank', '-format', '-rm', '-rm_r', '-commit'),
  watchtower: () => true,
  'auto-cpufreq': (c) => exact(c, '--install', '--remove', '--force'),
  'salt-key': (c) => has(c, '-d', '-D', '-r', '-R', '--delete', '--delete-all', '--reject', '--reject-all'),
  pass: overwritesEntry,
  gopass: overwritesEntry,
  'vim-cmd': (c) =>
    /\/(destroy|unregister|reload|power\.(off|reset|reboot|shutdown|suspend)|snapshot\.(remove\w*|revert))\b/.test(
      path(c),
    ),
  busctl: callsDestroyer,
  'dbus-send': callsDestroyer,
  gdbus: callsDestroyer,
  paccache: (c) => has(c, '-r', '--remove', '-m') && !has(c, '-d', '--dryrun'),
  portupgrade: (c) => !has(c, '-n', '--noexecute'),
  'eclean-dist': (c) => !has(c, '-p', '--pretend'),
  'eclean-pkg': (c) => !has(c, '-p', '--pretend'),
  msiexec: (c) => c.args.some((arg) => /^\/(x|uninstall|f\w*)$/i.test(arg)),
  wmctrl: (c) => has(c, '-c', '-k', '-R'),
  groupmems: (c) => has(c, '-d', '-p', '--delete', '--purge'),
  semodule: (c) => has(c, '-r', '-d', '-X', '-R', '--remove', '--disable', '--reload') || has(c, '-B', '--build'),
  'cpufreq-set': () => true,
  firstboot: () => true,
  jffs2reset: () => true,
  sas2flash: flashes,
  sas3flash: flashes,
  sas2ircu: (c) => /\b(delete|create|bootir|setoffline|activate)\b/i.test(path(c)),
  mstflint: (c) => /\b(burn|b|sg|swreset)\b/.test(path(c)),
  uv: (c) => /^pip sync\b/.test(path(c)),
  'pip-sync': () => true,
  pipenv: (c) => /^(sync|clean|update|uninstall|upgrade)\b/.test(path(c)),
  jail: (c) => has(c, '-r', '-R', '-m'),
  'virt-resize': (c) => operands(c).length > 1,
  'virt-sparsify': (c) => exact(c, '--in-place'),
  bsdtar: unpacksAnywhere,
  tar: unpacksAnywhere,
  gtar: unpacksAnywhere,
};

/** `busctl call … Manager Reboot`: a method of D-Bus that ends, deletes or resets. */
function callsDestroyer(c: Command): boolean {
  return c.args.some((arg) => {
    const method = /(?:^|\.)([A-Z][A-Za-z]+)$/.exec(arg)?.[1];
    return (
      method !== undefined &&
      (isDestructiveWord(method) || /^(PowerOff|Kill\w*|Stop\w*|Reboot\w*|Set\w*|Halt|Hibernate|Suspend)$/.test(method))
    );
  });
}

function flashes(c: Command): boolean {
  return has(c, '-o', '-e', '-f', '-b');
}

function blanks(c: Command): boolean {
  return (
    c.args.some((arg) => /^-?(blank|format)=|^-(blank|format)$/.test(arg)) ||
    (has(c, '-v', '-dao') && c.args.some((arg) => arg.endsWith('.iso')))
  );
}

/** `pass generate -f x`, `pass insert -f x`: the old secret is gone. */
function overwritesEntry(c: Command): boolean {
  return /^(generate|insert|cp|copy|init|regenerate)\b/.test(path(c)) && has(c, '-f', '--force', '-i', '--in-place');
}

/** With -P names keep their leading slash: an archive then says where it writes. */
function unpacksAnywhere(c: Command): boolean {
  const [mode = ''] = c.args;
  return (
    (/^-?[a-zA-Z]*x/.test(mode) || has(c, '-x', '--extract', '--get')) &&
    (has(c, '-P', '--absolute-names') || /^-?[a-z]*P/.test(mode))
  );
}

export const ODD_TOOLS: readonly Rule[] = [
  {
    id: 'tool.own-words',
    title: 'deletes, overwrites or stops something, in words of its own',
    why: 'with these words this program changes what is there',
    severity: 'medium',
    tools: Object.keys(ODD),
    matches: (c) => ODD[c.name]?.(c) ?? false,
    stops: [
      'recode latin1..utf8 a.txt',
      'blockdev --setro /dev/sdb',
      'cdrecord blank=fast dev=/dev/sr0',
      'watchtower --run-once',
      'busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager Reboot b true',
      'paccache -rk1',
      'uv pip sync r.txt',
      'salt-key -D -y',
      'pass generate -f mail',
      'vim-cmd vmsvc/destroy 12',
      'jail -r web',
      'virt-resize --shrink /dev/sda1 a b',
      'bsdtar -xPf a.tar',
    ],
    passes: [
      'recode -l',
      'busctl list',
      'gdbus introspect --session -d org.x -o /org/x',
      'paccache -dk1',
      'semodule -l',
      'cpufreq-info',
      'blockdev --getsize64 /dev/sdb',
      'salt-key -L',
      'pass show mail',
      'pass generate new',
      'vim-cmd vmsvc/getallvms',
      'tar xpf a.tar',
      'tar cPf a.tar /etc',
    ],
  },
];
