import { isWithin } from '@aish/contracts';

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
