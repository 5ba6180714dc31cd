import type { KnowledgeNode } from '@aish/contracts/knowledge';
import { AishError, isAishError } from '@aish/contracts/problems';
import { movesIn } from '../curate/moves.js';
import { gitText, type GitOptions } from '../git/git.js';
import { isBound, type ProjectScope } from '../query/access.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The maximum length of a chain of merges. */
const MOVES_MAX = 20;

interface Moved {
  readonly to: string | null;
  readonly at: string;
  readonly commit: string;
}

/**
 * Reads a node by its current ID, or by an ID that a merge or deletion has redirected.
 *
 * @throws AishError `not_found`. Its text says what happened to the node only to callers who may see everything.
 */
export async function readFollowing(
  id: string,
  scope: ProjectScope,
  git: GitOptions,
  read: (id: string) => Promise<KnowledgeNode>,
): Promise<KnowledgeNode> {
  const asked = id.toLowerCase();
  let wanted = asked;
  let first: Moved | null = null;
  for (let n = 0; n <= MOVES_MAX; n += 1) {
    try {
      const node = await read(wanted);
      return first === null ? node : { ...node, movedFrom: { id: asked, at: first.at } };
    } catch (error) {
      if (!isAishError(error, 'not_found') || !UUID.test(wanted)) throw error;
      const moved = await lastMove(wanted, git);
      if (moved === null) throw error;
      if (moved.to === null) throw gone(asked, scope, moved);
      first ??= moved;
      wanted = moved.to;
    }
  }
  throw new AishError('not_found', `There is no node ${id}`);
}

function gone(id: string, scope: ProjectScope, { at, commit }: Moved): AishError {
  const past = `it was deleted on ${at.slice(0, 10)}; git keeps its history: git show ${commit.slice(0, 12)}`;
  return new AishError('not_found', `There is no node ${id}${isBound(scope) ? '' : `: ${past}`}`);
}

async function lastMove(id: string, git: GitOptions): Promise<Moved | null> {
  const args = ['log', '-1', '--format=%H%n%cI%n%B', '--fixed-strings', `--grep=Moved: ${id} to `, 'HEAD', '--'];
  const [commit = '', at = '', subject = '', ...rest] = (await gitText(args, git)).split('\n');
  // Only commits of curation count, because the title of a node may contain anything.
  if (!subject.startsWith('curate: ')) return null;
  const move = movesIn(rest.join('\n')).findLast((each) => each.id === id);
  return move === undefined ? null : { to: move.to, at: new Date(at).toISOString(), commit };
}
