import type { KnowledgeDoctorCheck, KnowledgeDoctorReport, KnowledgeSyncState } from '@aish/contracts/knowledge-upkeep';
import { isAishError } from '@aish/contracts/problems';
import { curationReport } from '../curate/curation-report.js';
import { git, runProgram, withoutSecrets } from '../git/git.js';
import { probeRemotePrivacy } from './remote-privacy.js';
import type { Repository } from './repository.js';
import type { Snapshot } from './snapshot.js';
import type { Writer } from './writer.js';

/** The knowledge base to check. */
export interface Examined {
  readonly repository: Repository;
  snapshot(signal?: AbortSignal): Promise<Snapshot>;
  syncState(signal?: AbortSignal): Promise<KnowledgeSyncState>;
}

export interface DoctorOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
  readonly signal?: AbortSignal;
}

type Check = KnowledgeDoctorCheck;
const REMOTE_TIMEOUT_MS = 10_000;

/** Checks everything. It repairs only the state that a killed writer left. */
export async function doctorReport(
  base: Examined,
  writer: Writer,
  options: DoctorOptions,
): Promise<KnowledgeDoctorReport> {
  const found = await tools(base, options);
  const checks: Check[] = [found];
  // All further checks need this result.
  if (found.state === 'failed') return report(checks);
  const { repository } = base;
  const held = options.signal === undefined ? {} : { signal: options.signal };
  const say = (name: Check['name'], state: Check['state'], detail: string, advice: string | null = null): void => {
    checks.push({ name, state, detail, advice });
  };
  const head = (await repository.exists()) ? await repository.head(held) : null;
  if (head === null) {
    say('repository', 'failed', `there is no knowledge base at ${repository.dir}`, 'aish kb init');
    return report(checks);
  }
  say('repository', 'ok', repository.dir);
  const branch = await repository.checkedOut();
  if (branch === repository.branch) say('branch', 'ok', branch);
  else say('branch', 'failed', `${branch ?? 'no branch'} is checked out`, `git switch ${repository.branch}`);
  await tree(base, writer, say, options.signal);
  await remote(base, say, options);
  await contents(base, say, options);
  return report(checks);
}

type Say = (name: Check['name'], state: Check['state'], detail: string, advice?: string | null) => void;

function report(checks: Check[]): KnowledgeDoctorReport {
  return { ok: checks.every(({ state }) => state !== 'failed'), checks };
}

async function tools(base: Examined, options: DoctorOptions): Promise<Check> {
  const missing: string[] = [];
  const dir = (await base.repository.exists()) ? base.repository.dir : '/';
  for (const program of ['git', 'flock']) {
    await runProgram(program, ['--version'], { dir, env: options.env, timeoutMs: 5_000 }).catch(() =>
      missing.push(program),
    );
  }
  return missing.length === 0
    ? { name: 'tools', state: 'ok', detail: 'git, flock', advice: null }
    : {
        name: 'tools',
        state: 'failed',
        detail: `missing: ${missing.join(', ')}`,
        advice: 'install git and util-linux',
      };
}

async function tree(base: Examined, writer: Writer, say: Say, signal: AbortSignal | undefined): Promise<void> {
  try {
    const dirt = await writer.locked((held) => base.repository.dirt(held), signal);
    if (dirt.length === 0) say('tree', 'ok', 'clean');
    else
      say(
        'tree',
        'failed',
        `not committed: ${dirt.slice(0, 5).join(', ')}`,
        'commit or remove this; until then aish writes nothing',
      );
  } catch (error) {
    if (!isAishError(error)) throw error;
    say('tree', 'warning', error.message, 'wait for the writer, then check again');
  }
}

async function remote(base: Examined, say: Say, options: DoctorOptions): Promise<void> {
  const { repository } = base;
  const held = options.signal === undefined ? {} : { signal: options.signal };
  const url = await repository.remoteUrl(held);
  if (url === null) {
    say('remote', 'warning', 'none: the only copy is here', 'aish kb init --remote URL, with a private repository');
    return;
  }
  const args = ['ls-remote', '--heads', 'origin', `refs/heads/${repository.branch}`];
  const answer = await git(args, repository.git(held, { timeoutMs: REMOTE_TIMEOUT_MS })).catch((error: unknown) => {
    if (isAishError(error, 'knowledge_git')) return { code: -1, stdout: Buffer.alloc(0), stderr: error.message };
    throw error;
  });
  const shown = withoutSecrets(url);
  const isReached = answer.code === 0;
  if (isReached) say('remote', 'ok', `${shown} responds`);
  else {
    const why = withoutSecrets(answer.stderr.trim().split('\n')[0] ?? '').slice(0, 200);
    say(
      'remote',
      'failed',
      `remote unreachable: ${shown}: ${why}`,
      'writes continue here and are pushed when it is reachable again',
    );
  }
  const privacy = await probeRemotePrivacy(url, options.signal);
  say('remote-private', privacy.state, privacy.detail, privacy.advice);
  const theirs = answer.stdout.toString('utf8').split(/\s/)[0] ?? '';
  await sync(base, say, isReached ? theirs : null, held);
}

async function sync(base: Examined, say: Say, theirs: string | null, held: { signal?: AbortSignal }): Promise<void> {
  const { repository } = base;
  const state = await base.syncState(held.signal);
  const [head, known] = [await repository.head(held), await repository.remoteHead(held)];
  const hasMoved = theirs !== null && theirs !== '' && theirs !== known && theirs !== head;
  if (state.diverged || (hasMoved && (state.ahead ?? 0) > 0)) {
    const detail = `remote diverged: ${state.ahead ?? 0} commits here, ${state.diverged ? (state.behind ?? 0) : 'some'} there`;
    say('sync', 'failed', detail, `git pull --rebase origin ${repository.branch}, or merge by hand, then aish kb push`);
  } else if (hasMoved || (state.behind ?? 0) > 0) say('sync', 'ok', 'behind the remote; the next write updates it');
  else if (state.ahead === null) say('sync', 'warning', 'not yet pushed', 'aish kb push');
  else if (state.ahead > 0) say('sync', 'ok', `ahead ${state.ahead}`);
  else say('sync', 'ok', 'the same as the remote');
  const failure = state.pushFailure;
  if (failure === null)
    say('push', 'ok', state.pushedAt === null ? 'nothing has been pushed yet' : `last pushed ${state.pushedAt}`);
  else {
    const advice =
      failure.kind === 'rejected' ? 'aish does not retry until you merge this by hand' : 'aish retries automatically';
    say('push', 'failed', `push ${failure.kind} at ${failure.at}: ${failure.detail}`, advice);
  }
}

async function contents(base: Examined, say: Say, options: DoctorOptions): Promise<void> {
  const snapshot = await base.snapshot(options.signal);
  const fatal = snapshot.findings.filter((finding) => finding.fatal);
  const index = fatal.filter(({ code }) => code === 'index-missing' || code === 'index-stale');
  const secrets = fatal.filter(({ code }) => code === 'secret-found');
  const rest = fatal.length - index.length - secrets.length;
  if (index.length === 0) say('index', 'ok', `${snapshot.nodes.length} nodes`);
  else say('index', 'failed', `${index.length} findings, such as ${index[0]?.path ?? ''}`, 'aish kb sync --files');
  if (rest === 0) say('lint', 'ok', 'nothing fatal');
  else say('lint', 'failed', `${rest} fatal findings`, 'aish kb doctor --lint says where');
  if (secrets.length === 0) say('secrets', 'ok', 'none found');
  else
    say(
      'secrets',
      'failed',
      `${secrets.length}, such as in ${secrets[0]?.path ?? ''}`,
      'remove it, and change the secret: git keeps its history',
    );
  const { due } = curationReport(snapshot.nodes, snapshot.rawPaths, options.now);
  if (due === null) say('curation', 'ok', 'not due');
  else say('curation', 'warning', due, 'aish kb curate --dry-run');
}
