import * as z from 'zod';

export const HostFolderName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, {
  error: 'must be lowercase letters, digits, - and _, as in media (the name, not the path)',
});

/** Absolute and plain: no `..`, no `.`, no empty part, nothing that a mount option could be read into. */
const PlainPath = z
  .string()
  .max(1024)
  .regex(/^(?:\/[^/\0,:\n]+)+$/, 'must be an absolute path without a slash at its end, and without , and :')
  .refine((path) => path.split('/').every((part) => part !== '.' && part !== '..'), {
    error: 'must not hold . or ..',
  });

/**
 * What commands may do in a folder of the host. `held`: they write to a layer over it, and what they did is carried over
 * once it counts. `direct`: they write to it themselves, and nothing brings back what they did.
 */
export const FolderMode = z.enum(['read-only', 'held', 'direct']);

/** A folder of the host that commands may be given, by its name. `readOnly: false` is a mode without a name: `held`. */
export const HostFolder = z
  .strictObject({
    name: HostFolderName,
    hostPath: PlainPath,
    containerPath: PlainPath.regex(/^\/(?:mnt|workspace)\/./, 'must lie below /mnt or /workspace'),
    mode: FolderMode.optional(),
    readOnly: z.boolean().optional(),
  })
  .refine(({ mode, readOnly }) => mode === undefined || readOnly === undefined || readOnly === (mode === 'read-only'), {
    message: 'mode and readOnly say different things; mode alone is enough',
    path: ['mode'],
  })
  .transform(({ mode, readOnly, ...folder }) => ({
    ...folder,
    mode: mode ?? (readOnly === false ? ('held' as const) : ('read-only' as const)),
  }))
  .refine(({ mode, hostPath }) => mode !== 'held' || !hostPath.includes('\\'), {
    message: 'no overlay can be mounted over a path with a backslash',
    path: ['hostPath'],
  });
export type HostFolder = z.infer<typeof HostFolder>;

/** The allowlist as one setting: a JSON array. */
export const HostFolderAllowlist = z
  .string()
  .default('[]')
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({
        code: 'custom',
        message: 'must be a JSON array of {name, hostPath, containerPath, mode}',
      });
      return z.NEVER;
    }
  })
  .pipe(z.array(HostFolder).max(64))
  .superRefine((folders, context) => {
    for (const [index, folder] of folders.entries()) {
      const why = whyNotMounted(folder.hostPath, []);
      if (why !== null) context.addIssue(`${folder.name}: ${why}, which is never mounted`);
      for (const other of folders.slice(0, index)) {
        if (folder.name === other.name) context.addIssue(`the name ${folder.name} stands there twice`);
        if (
          isWithin(folder.containerPath, other.containerPath) ||
          isWithin(other.containerPath, folder.containerPath)
        ) {
          context.addIssue(`${folder.name} and ${other.name} would cover one another in the container`);
        }
      }
    }
  });

/** What a model that asks for a folder needs to know about it. */
export const HostFolderOffer = z.object({
  name: z.string(),
  containerPath: z.string(),
  readOnly: z.boolean(),
  mode: FolderMode.default('direct'),
  /** Why it cannot be held, so that commands that ask for it are refused; null where it can, or need not. */
  whyNotHeld: z.string().nullable().default(null),
});
export type HostFolderOffer = z.infer<typeof HostFolderOffer>;

/** Folders that a goal, a chat or a run asks for. */
export const HostFolderNames = z.array(HostFolderName).max(16).default([]);

/** Whether `path` is `folder` or lies in it. Both are plain absolute paths. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

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
 * The reason why a host folder must not be mounted, or null if it may be. `ours` are paths of this service, for example
 * the engine's socket. Check both the path as written and the path with its links resolved.
 */
export function whyNotMounted(path: string, ours: readonly string[]): string | null {
  if (OPEN.some((open) => isWithin(path, open) && path !== open)) return null;
  for (const closed of [...PROTECTED, ...ours]) {
    if (isWithin(path, closed)) return `${path} is ${path === closed ? '' : 'within '}${closed}`;
    if (isWithin(closed, path)) return `${path} holds ${closed}`;
  }
  return null;
}
