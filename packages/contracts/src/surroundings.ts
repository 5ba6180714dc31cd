import { z } from 'zod';

export const SurroundingsDigest = z.string().regex(/^[0-9a-f]{64}$/);

/** What the next command of a workspace begins in, as far as it changes what a command means. */
export const CommandSurroundings = z
  .object({
    folder: z.string(),
    /** Exported by earlier commands, by name: PATH, LD_PRELOAD, GIT_SSH_COMMAND and their like. */
    variables: z.array(z.object({ name: z.string(), value: z.string() })),
    /** SHA-256 of both, in hex. */
    digest: SurroundingsDigest,
    /** The same of the variables alone. Not told by an earlier version. */
    variablesDigest: SurroundingsDigest.optional(),
    /** Whether what it does can be taken back, all of it: it reaches nothing but its workspace, which is of layers. */
    undoable: z.boolean().optional(),
  })
  .meta({ id: 'CommandSurroundings' });
export type CommandSurroundings = z.infer<typeof CommandSurroundings>;

/**
 * What a person reads of where a command would begin: the folder, and each variable of earlier commands that changes what it
 * means. One line each; none where nothing is known, as of a tool.
 */
export function surroundingLines(surroundings: CommandSurroundings | null): readonly string[] {
  if (surroundings === null) return [];
  const { folder, variables } = surroundings;
  const carried = variables.map(({ name, value }) => `earlier commands set ${name}=${value}`);
  const kept = carried.length === 0 ? [] : ['it runs without that, unless you say otherwise'];
  return [`in ${folder}`, ...carried, ...kept].map((each) => each.replaceAll('\n', '⟨U+000A⟩'));
}
