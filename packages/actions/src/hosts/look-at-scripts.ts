import { randomUUID } from 'node:crypto';
import { AishError } from '@aish/contracts/problems';
import type { ExecutionContext, HostFile } from '@aish/contracts/execution-context';
import { appendAudit } from '@aish/database/audit.repository';
import { listHosts, type HostRow } from '@aish/database/hosts.repository';
import { classify, hostCalls, readsOnlyOnHost, scriptsOnHost } from '@aish/safety';
import { maskSecrets } from '@aish/secrets';
import type { ActionContext, ActionPorts, HostPorts } from '../context.js';
import { sha256 } from '../execution-context.js';
import { lookCommand, seenFiles, type SeenFile } from './script-check.js';
import { signInAs } from './sign-in.js';

const LIMIT_MS = 10_000;
const SHELL_SCRIPT = /^(?!#!)|^#!.*sh\b/;

export interface Asked {
  readonly id: string;
  readonly command: string;
}

/**
 * Returns the scripts that a command runs on hosts of its session, in their current state. A host without such scripts
 * is not contacted.
 */
export async function lookAtScripts(
  action: Asked,
  context: ActionContext,
  { db, hosts: hostPorts }: Pick<ActionPorts, 'db' | 'hosts'>,
  signal: AbortSignal,
): Promise<readonly HostFile[]> {
  if (hostPorts === undefined || context.hosts.length === 0) return [];
  const wanted = new Map<string, Set<string>>();
  for (const call of hostCalls(action.command)) {
    if (call.kind !== 'command' || readsOnlyOnHost({ command: call.command, subsystem: false })) continue;
    const paths = wanted.get(call.host) ?? new Set();
    for (const path of scriptsOnHost(call.command)) paths.add(path);
    if (paths.size > 0) wanted.set(call.host, paths);
  }
  if (wanted.size === 0) return [];
  const rows = (await listHosts(db.statements)).filter(
    ({ name, keys }) => context.hosts.includes(name) && keys.length > 0,
  );
  const found = await Promise.all(
    [...wanted].map(async ([named, paths]) => {
      const host = rows.find(({ name, address }) => name === named || address === named);
      return host === undefined ? [] : lookOn(host, [...paths], action, context, hostPorts, signal);
    }),
  );
  return found.flat();
}

async function lookOn(
  host: HostRow,
  paths: readonly string[],
  action: Asked,
  context: ActionContext,
  ports: HostPorts,
  signal: AbortSignal,
): Promise<readonly HostFile[]> {
  const output = await readOnHost(host, lookCommand(paths), paths, action, context, ports, signal);
  return Promise.all(seenFiles(paths, output).map((seen) => fileOf(host.name, seen)));
}

/**
 * Returns the output of a command that aish uses to read these paths on a host before it asks a person. Empty if the
 * host does not answer.
 */
export async function readOnHost(
  host: HostRow,
  command: string,
  paths: readonly string[],
  { id: actionId }: Asked,
  context: ActionContext,
  { authority, bridge }: HostPorts,
  signal: AbortSignal,
): Promise<string> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const { owner: actor, goalId } = context.session;
  const facts = { command: `read ${paths.join(', ')}`, verdict: 'read-only', actionId, goalId };
  await context.write(async (tx) => {
    await appendAudit(tx, { actor, action: 'host.signed', subject: host.name, facts });
    return [];
  });
  const signIn = signInAs(authority, host, command, { serial: 0, id: `${actionId} ${randomUUID()}` });
  try {
    return (await bridge.try(signIn, AbortSignal.any([signal, limit]))).output;
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted && !(error instanceof AishError)) throw error;
    return '';
  }
}

async function fileOf(host: string, seen: SeenFile): Promise<HostFile> {
  const text = seen.head.replaceAll('\0', '\u{FFFD}');
  const judged = SHELL_SCRIPT.test(text) && text !== '' ? classify(text) : null;
  const finding = judged === null || judged.verdict === 'safe' ? null : judged.reason;
  return { ...seen, host, head: await maskSecrets(text), finding };
}

/**
 * Adds the scripts to the execution context, because grants and approvals for a change window also cover their content.
 */
export function withHostFiles(executionContext: ExecutionContext, hostFiles: readonly HostFile[]): ExecutionContext {
  if (hostFiles.length === 0) return executionContext;
  const { digest, grantDigest = digest } = executionContext;
  const contents = hostFiles.map(({ host, path, content }) => [host, path, content]);
  return {
    ...executionContext,
    hostFiles: [...hostFiles],
    grantDigest: sha256(JSON.stringify([grantDigest, contents])),
  };
}

/**
 * Returns the files that have changed since a person saw them. A file that cannot be read now is checked when the
 * command starts.
 */
export function changedScripts(shown: readonly HostFile[], now: readonly HostFile[]): readonly HostFile[] {
  const keyOf = ({ host, path }: HostFile) => JSON.stringify([host, path]);
  const contents = new Map(now.map((file) => [keyOf(file), file.content]));
  return shown.filter((file) => {
    const content = contents.get(keyOf(file)) ?? null;
    return file.content !== null && content !== null && content !== file.content;
  });
}
