import { readFile, readlink } from 'node:fs/promises';
import type { KnowledgeDoctorCheck } from '@aish/contracts/knowledge-upkeep';
import { AishError, isAishError } from '@aish/contracts/problems';
import { runProgram, type GitOptions } from '../git/git.js';
import { adapterText, orgRoamDatabase } from './adapter.js';
import { adapterFile, adapterLink, putAdapter } from './provision.js';

/** The data that org-roam has about a clone. */
export interface OrgRoamIndex {
  readonly database: string;
  readonly nodes: number;
  readonly links: number;
}

const TIMEOUT_MS = 900_000;
const SAID = /^aish-kb: \((\d+) (\d+)\)$/m;

/**
 * Updates org-roam's database of a clone with the real Emacs. It includes the changes since the last time, or
 * everything.
 *
 * @throws AishError `knowledge_index` if Emacs or org-roam is missing or refuses a node.
 */
export async function syncOrgRoam(dir: string, env: GitOptions['env'], signal?: AbortSignal): Promise<OrgRoamIndex> {
  await putAdapter(dir);
  // No code in a node is executed: there are no local variables and no init file.
  const safely = '(progn (setq enable-local-variables nil enable-dir-local-variables nil) (package-initialize))';
  const args = ['--batch', '--eval', safely, '--load', adapterFile(dir), '--funcall', 'aish-kb-sync'];
  const answer = await runProgram('emacs', args, { dir, env, signal, timeoutMs: TIMEOUT_MS }).catch(
    (error: unknown) => {
      if (!isAishError(error, 'knowledge_git')) throw error;
      throw new AishError('knowledge_index', error.message);
    },
  );
  const message = SAID.exec(answer.stderr);
  if (answer.code === 0 && message !== null) {
    return { database: orgRoamDatabase(dir), nodes: Number(message[1]), links: Number(message[2]) };
  }
  const why = answer.stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  throw new AishError('knowledge_index', `org-roam could not read the nodes: ${why}`);
}

/** Checks whether Emacs shows a clone. If there is no Emacs, nothing counts as missing. */
export async function emacsChecks(
  dir: string,
  { env, configHome }: { readonly env: GitOptions['env']; readonly configHome: string },
  signal?: AbortSignal,
): Promise<readonly KnowledgeDoctorCheck[]> {
  const found = await runProgram('emacs', ['--version'], { dir, env, signal, timeoutMs: 10_000 }).catch(() => null);
  if (found?.code !== 0) return [{ name: 'org-roam', state: 'ok', detail: 'no Emacs here', advice: null }];
  return [await linked(dir, configHome), await buildable(dir, env, signal)];
}

async function linked(dir: string, configHome: string): Promise<KnowledgeDoctorCheck> {
  const path = adapterLink(configHome);
  const [target, text] = await Promise.all([
    readlink(path).catch(() => null),
    readFile(adapterFile(dir), 'utf8').catch(() => null),
  ]);
  const isLinked = target === adapterFile(dir) && text === adapterText(dir);
  return isLinked
    ? { name: 'adapter', state: 'ok', detail: `${path} leads here`, advice: null }
    : { name: 'adapter', state: 'warning', detail: `${path} does not lead here`, advice: 'aish kb init --emacs' };
}

async function buildable(dir: string, env: GitOptions['env'], signal?: AbortSignal): Promise<KnowledgeDoctorCheck> {
  try {
    const { nodes, links } = await syncOrgRoam(dir, env, signal);
    return { name: 'org-roam', state: 'ok', detail: `its database holds ${nodes} nodes, ${links} links`, advice: null };
  } catch (error) {
    if (!isAishError(error) || error.code === 'aborted') throw error;
    return { name: 'org-roam', state: 'warning', detail: error.message, advice: 'install org-roam in Emacs' };
  }
}
