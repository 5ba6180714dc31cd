import { isWithin } from '@aish/contracts/host-folders';

/** What makes a machine a machine. Neither these nor what lies in them nor what holds them may be mounted. */
const PROTECTED = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/lib64',
  '/proc',
  '/run',
  '/sbin',
  '/sys',
  '/usr',
  '/var/run',
  '/var/lib/containerd',
  '/var/lib/docker',
];
/** Where desktops mount what is plugged in. */
const OPEN = ['/run/media'];

/**
 * Why a folder of the host may not be mounted, or null when it may. `ours`: paths of this service, as the engine's
 * socket. Give a path whose links are resolved as well as the one that was written.
 */
export function whyNotMounted(path: string, ours: readonly string[]): string | null {
  if (OPEN.some((open) => isWithin(path, open) && path !== open)) return null;
  for (const closed of [...PROTECTED, ...ours]) {
    if (isWithin(path, closed)) return `${path} is ${path === closed ? '' : 'within '}${closed}`;
    if (isWithin(closed, path)) return `${path} holds ${closed}`;
  }
  return null;
}

/** The options of the mount that holds `path`, read from the text of /proc/self/mountinfo; the last of the longest counts. */
export function mountOptions(path: string, mountinfo: string): readonly string[] {
  let found: { readonly point: string; readonly options: string } = { point: '', options: '' };
  for (const line of mountinfo.split('\n')) {
    const [, , , , point = '', options = ''] = line.split(' ');
    const real = point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCodePoint(Number.parseInt(octal, 8)),
    );
    if (real !== '' && isWithin(path, real) && real.length >= found.point.length) found = { point: real, options };
  }
  return found.options.split(',');
}
