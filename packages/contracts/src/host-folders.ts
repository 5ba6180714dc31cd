import * as z from 'zod';

export const HostFolderName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, {
  error: 'must be lowercase letters, digits, - and _, such as media (the name, not the path)',
});

/**
 * An absolute path in its simplest form: no `..`, no `.`, no empty part, and nothing that could be read as a mount
 * option.
 */
const PlainPath = z
  .string()
  .max(1024)
  .regex(
    /^(?:\/[^/\0,:\n]+)+$/,
    'must be an absolute path without a slash at the end, and must not contain a comma or a colon',
  )
  .refine((path) => path.split('/').every((part) => part !== '.' && part !== '..'), {
    error: 'must not contain . or ..',
  });

/**
 * The access of commands to a host folder. `held`: they write to a layer above it, and the changes are copied once they
 * are approved. `direct`: they write to the folder itself, and nothing can undo that.
 */
export const FolderMode = z.enum(['read-only', 'held', 'direct']);

/** A host folder that commands may use, by name. `readOnly: false` is the old way to write the mode `held`. */
export const HostFolder = z
  .strictObject({
    name: HostFolderName,
    hostPath: PlainPath,
    containerPath: PlainPath.regex(/^\/(?:mnt|workspace)\/./, 'must be below /mnt or /workspace'),
    mode: FolderMode.optional(),
    readOnly: z.boolean().optional(),
  })
  .refine(({ mode, readOnly }) => mode === undefined || readOnly === undefined || readOnly === (mode === 'read-only'), {
    message: 'mode and readOnly contradict each other; use only mode',
    path: ['mode'],
  })
  .transform(({ mode, readOnly, ...folder }) => ({
    ...folder,
    mode: mode ?? (readOnly === false ? ('held' as const) : ('read-only' as const)),
  }))
  .refine(({ mode, hostPath }) => mode !== 'held' || !hostPath.includes('\\'), {
    message: 'must not contain a backslash in mode held, because no overlay can be mounted there',
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
        if (folder.name === other.name) context.addIssue(`the name ${folder.name} is used twice`);
        if (
          isWithin(folder.containerPath, other.containerPath) ||
          isWithin(other.containerPath, folder.containerPath)
        ) {
          context.addIssue(`${folder.name} and ${other.name} would overlap in the container`);
        }
      }
    }
  });

/** The information that a model needs about a folder before it asks for it. */
export const HostFolderOffer = z.object({
  name: z.string(),
  containerPath: z.string(),
  readOnly: z.boolean(),
  mode: FolderMode.default('direct'),
  /**
   * Why changes to the folder cannot be held. Commands that ask for it are then refused. Null if they can be held or
   * need not be.
   */
  whyNotHeld: z.string().nullable().default(null),
});
export type HostFolderOffer = z.infer<typeof HostFolderOffer>;

/** The folders that a goal, a chat or a run asks for. */
export const HostFolderNames = z.array(HostFolderName).max(16).default([]);

/** Whether `path` is `folder` or is inside it. Both are plain absolute paths. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** System folders. These folders, their contents and their parents must not be mounted. */
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
/** The folders in which desktops mount removable drives. */
const OPEN = ['/run/media'];

/**
 * Returns the reason why a host folder must not be mounted, or null if it may be. `ours` are paths of this service, for
 * example the engine's socket. Check both the path as written and the path with its links resolved.
 */
export function whyNotMounted(path: string, ours: readonly string[]): string | null {
  if (OPEN.some((open) => isWithin(path, open) && path !== open)) return null;
  for (const closed of [...PROTECTED, ...ours]) {
    if (isWithin(path, closed)) return `${path} is ${path === closed ? '' : 'within '}${closed}`;
    if (isWithin(closed, path)) return `${path} contains ${closed}`;
  }
  return null;
}
