import { createHash } from 'node:crypto';
import { boundDigest, type BoundContent } from '@aish/contracts/bound-digest';
import type { ExecutionContext } from '@aish/contracts/execution-context';
import type { Classification } from '@aish/contracts/safety';
import { maskSecrets } from '@aish/secrets';

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** The reason why a person who approved a command is asked again: its execution context has changed. */
export const CONTEXT_CHANGED = 'the folder, the variables or the files changed since you were asked';
/** The reason if scripts on hosts have changed. */
export const CHANGED_ON_HOST = 'a script on the host changed since you were asked';
/**
 * The reason if the approved folder is unknown: an earlier version asked, or the command ran under a grant before a
 * crash.
 */
export const CONTEXT_UNKNOWN = 'it is unknown in which folder this was approved';
/** The reason if the approval requires that the changes can be undone, but they cannot. */
export const NOT_HELD = 'its changes could no longer be undone';
/** The reason if the goal has no space left for undo. */
export const UNDO_FULL =
  'this goal has used up its space for undo; if it continues, the changes of its oldest commands can no longer be undone';
/** The reason if the verdict has changed since a person approved the action for the change window. */
export const JUDGED_OTHERWISE = 'its safety verdict has changed since you were asked';
export const WINDOW_CLOSED = 'the change window closed before it could start';
/** The reason if the description of the tool has changed. */
export const TOOL_CHANGED = 'its server has changed the description of the tool since you were asked';

/**
 * Makes a classification unknown if earlier commands chose the programs or options of a command, because nobody can
 * then say what it does.
 */
export function withCarried(classification: Classification, { variables }: ExecutionContext): Classification {
  if (classification.verdict !== 'safe' || variables.length === 0) return classification;
  const names = variables.map(({ name }) => name).join(', ');
  const reason = `earlier commands set variables that change its meaning: ${names}`;
  return { verdict: 'unknown', reason, ruleId: null, span: null, by: 'rule' };
}

/** Masks known secrets in the parts of files that a decision shows. The digests still cover the real content. */
export async function withoutSecrets(executionContext: ExecutionContext): Promise<ExecutionContext> {
  const { files = [] } = executionContext;
  if (files.every(({ head }) => head === undefined)) return executionContext;
  const masked = files.map(async (file) =>
    file.head === undefined ? file : { ...file, head: await maskSecrets(file.head) },
  );
  return { ...executionContext, files: await Promise.all(masked) };
}

/**
 * Returns the digest that limits a grant for a command: the folder, the variables, the code, the mounts and the hosts.
 */
export function bindingOf(
  { digest, grantDigest = digest }: ExecutionContext,
  hostFolders: readonly string[],
  hosts: readonly string[] = [],
): string {
  return createHash('sha256')
    .update(JSON.stringify([grantDigest, hostFolders.toSorted(), ...(hosts.length === 0 ? [] : [hosts.toSorted()])]))
    .digest('hex');
}

/**
 * Returns the digest for the start of a session: in its workspace, without carried variables, and with only this code.
 */
export function bindingAtStart(
  hostFolders: readonly string[],
  hosts: readonly string[],
  code: readonly BoundContent[],
): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(['/workspace', []]))
    .digest('hex');
  const folder = '/workspace';
  const grantDigest = boundDigest(digest, { folder, real: folder }, code, sha256);
  return bindingOf({ folder, variables: [], digest, grantDigest }, hostFolders, hosts);
}
