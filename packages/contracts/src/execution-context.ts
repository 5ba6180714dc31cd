import * as z from 'zod';

export const ContextDigest = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * A file that decides what a command does: one that the command names, reads as input, takes names or words from, or
 * executes.
 */
export const BoundFile = z.object({
  path: z.string().min(1).max(4_096),
  use: z.enum(['names', 'feeds', 'decides', 'runs']),
});
export type BoundFile = z.infer<typeof BoundFile>;

/** A file of a command, as it was when the command was checked. */
export const FoundFile = BoundFile.extend({
  bytes: z.int(),
  /** The beginning of the command's input, or of a file that decides what it does. Absent for files with secrets. */
  head: z.string().optional(),
});
export type FoundFile = z.infer<typeof FoundFile>;

/** Maximum bytes of a script on a host that a person can read. */
export const HOST_FILE_HEAD_MAX_BYTES = 8_192;

/** A script that a command runs on a host, as it was when a person was asked. */
export const HostFile = z.object({
  host: z.string(),
  path: z.string(),
  /** SHA-256 of the content, in hex; `missing` if there was no file; null if aish could not read it. */
  content: z.union([ContextDigest, z.literal('missing')]).nullable(),
  bytes: z.int(),
  /** The beginning of its text, with secrets masked. */
  head: z.string(),
  /** Why aish asks about its text. */
  finding: z.string().nullable(),
});
export type HostFile = z.infer<typeof HostFile>;

/** The execution context of a workspace's next command, limited to the parts that change what the command means. */
export const ExecutionContext = z
  .object({
    folder: z.string(),
    /**
     * Variables exported by earlier commands that change what commands mean: PATH, LD_PRELOAD, GIT_SSH_COMMAND and
     * similar ones, sorted by name.
     */
    variables: z.array(z.object({ name: z.string(), value: z.string() })),
    /**
     * Variables exported by earlier commands that this command uses: those that it names, KUBECONFIG and similar ones.
     */
    uses: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
    /** The content of the checked paths. Present if a person is asked. */
    files: z.array(FoundFile).optional(),
    /** Scripts on hosts that the command runs there. Present if a person is asked. */
    hostFiles: z.array(HostFile).optional(),
    /** SHA-256 of the fields above in hex. It includes the content of the files, but not of the scripts on hosts. */
    digest: ContextDigest,
    /**
     * The digest for grants. It includes all these files, also those on hosts, but not the content of those that are
     * only named.
     */
    grantDigest: ContextDigest.optional(),
    /** The digest of only those variables that change what commands mean. Earlier versions do not send it. */
    variablesDigest: ContextDigest.optional(),
    /**
     * Whether all changes of the command can be undone. This is so if it reaches only its workspace and the workspace
     * has layers.
     */
    undoable: z.boolean().optional(),
  })
  .meta({ id: 'ExecutionContext' });
export type ExecutionContext = z.infer<typeof ExecutionContext>;

const NAMES_MAX = 200;
const NAME = /[A-Za-z_]\w*/g;
/** Means that a command may read every variable. */
export const ALL_NAMES = '*';

/**
 * Returns the names of variables that a command may read: names after a `$`. If names can be read without a `$`
 * (`${a[i]}`, `((`, `let`, `[[`), every word counts.
 */
export function usedNames(command: string): readonly string[] {
  const found = new Set(Array.from(command.matchAll(/\$\{?[!#]?([A-Za-z_]\w*)/g), ([, name = '']) => name));
  if (/\(\(|\$\{|\$\[|\[\[|\blet\b|\b(?:declare|typeset|local|readonly)\b|\bprintenv\b|\s-v\s/.test(command))
    for (const [name] of command.matchAll(NAME)) found.add(name);
  const names = [...found].filter((name) => name.length <= 64);
  return names.length > NAMES_MAX ||
    names.length < found.size ||
    /\b(?:eval|source|env|envsubst)\b|^\s*\.\s/.test(command)
    ? [ALL_NAMES]
    : names;
}
