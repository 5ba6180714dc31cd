import * as z from 'zod';

export const SurroundingsDigest = z.string().regex(/^[0-9a-f]{64}$/);

/** A file that decides what a command does: one that its words name, that it is fed by `<`, or whose content it runs. */
export const BoundFile = z.object({ path: z.string().min(1).max(4_096), use: z.enum(['names', 'feeds', 'runs']) });
export type BoundFile = z.infer<typeof BoundFile>;

/** Such a file, as it was when the command was looked at. */
export const FoundFile = BoundFile.extend({
  bytes: z.int(),
  /** The beginning of what the command is fed. */
  head: z.string().optional(),
});
export type FoundFile = z.infer<typeof FoundFile>;

/** What the next command of a workspace begins in, as far as it changes what a command means. */
export const CommandSurroundings = z
  .object({
    folder: z.string(),
    /** Exported by earlier commands, by name: PATH, LD_PRELOAD, GIT_SSH_COMMAND and their like. */
    variables: z.array(z.object({ name: z.string(), value: z.string() })),
    /** Exported by earlier commands, and what the command works with or on: those that it names, KUBECONFIG and their like. */
    uses: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
    /** What lay at the paths that it was looked at for. Told where a person is asked. */
    files: z.array(FoundFile).optional(),
    /** SHA-256 of all of this, in hex, the content of the files included. */
    digest: SurroundingsDigest,
    /** The same for grants: of the files only what runs and what is fed, and where links lead. */
    grantDigest: SurroundingsDigest.optional(),
    /** The same of the variables that change meaning, alone. Not told by an earlier version. */
    variablesDigest: SurroundingsDigest.optional(),
    /** Whether what it does can be taken back, all of it: it reaches nothing but its workspace, which is of layers. */
    undoable: z.boolean().optional(),
  })
  .meta({ id: 'CommandSurroundings' });
export type CommandSurroundings = z.infer<typeof CommandSurroundings>;

const NAMES_MAX = 200;
const NAME = /[A-Za-z_]\w*/g;
/** Stands for every name. */
export const ALL_NAMES = '*';

/**
 * The names of variables that a command may read: those behind a `$`, and where names alone count (`${a[i]}`, `((`, `let`, `[[`)
 * every word of it.
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
