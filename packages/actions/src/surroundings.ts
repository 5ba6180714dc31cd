import { createHash } from 'node:crypto';
import { boundDigest, type BoundContent } from '@aish/contracts/bound-digest';
import type { CommandSurroundings } from '@aish/contracts/surroundings';
import type { Classification } from '@aish/contracts/safety';

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Why a person is asked a second time about what they let through. */
export const CHANGED = 'the folder, the variables or the files changed since you were asked';
/** The same where an earlier version asked, or where it was under a grant that nobody knows the place of after a crash. */
export const NOT_SHOWN = 'nothing tells in which folder this was approved';
/** The same where it was to run only if what it does can be taken back. */
export const NOT_HELD = 'what it does could not be taken back now';
/** The same where its goal has used up its room for undo. */
export const UNDO_FULL =
  'this goal has used up its room for undo; if it goes on, what its oldest commands changed cannot be undone any more';
/** The same of what was let through for the change window. */
export const JUDGED_OTHERWISE = 'it is judged otherwise than when you were asked';
export const WINDOW_CLOSED = 'the change window closed before it could begin';
/** The same of a tool. */
export const TOOL_CHANGED = 'what its server says of the tool changed since you were asked';

/** Nobody can say what a command does whose programs, or whose orders, earlier commands chose. */
export function withCarried(classification: Classification, { variables }: CommandSurroundings): Classification {
  if (classification.verdict !== 'safe' || variables.length === 0) return classification;
  const names = variables.map(({ name }) => name).join(', ');
  const reason = `earlier commands set what changes its meaning: ${names}`;
  return { verdict: 'unknown', reason, ruleId: null, span: null, by: 'rule' };
}

/** What a grant of a command is good for: the folder, the variables, the code, the mounts and the hosts that it was given in. */
export function bindingOf(
  { digest, grantDigest = digest }: CommandSurroundings,
  hostFolders: readonly string[],
  hosts: readonly string[] = [],
): string {
  return createHash('sha256')
    .update(JSON.stringify([grantDigest, hostFolders.toSorted(), ...(hosts.length === 0 ? [] : [hosts.toSorted()])]))
    .digest('hex');
}

/** The same where a session begins: in its workspace, without variables of earlier commands, and running this code alone. */
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
