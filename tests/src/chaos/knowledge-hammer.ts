import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { KnowledgeQuery } from '@aish/contracts/knowledge';
import { ScratchBase } from '@aish/knowledge/testing';
import { ROOT } from '../support/service.process.js';

/** Of each of the two processes. */
const CALLERS = 8;
/** Until a process has written something. */
const FIRST_WRITE_MS = 15_000;

/**
 * Sixteen callers in two processes write nodes as fast as they can, while one of the processes is killed with SIGKILL every
 * second or so. Afterwards: nothing left over, no promised commit lost, every commit one whole node, the index true.
 */
export async function hammerKnowledge(
  seconds: number,
  progress: (line: string) => void = () => undefined,
): Promise<{ readonly counts: Record<'nodes' | 'promised' | 'kills', number>; readonly faults: string[] }> {
  const scratch = await ScratchBase.make();
  const running = new Set<ChildProcess>();
  const promised = new Set<string>();
  const faults: string[] = [];
  const start = (name: string): ChildProcess => startWriters(scratch.dir, name, promised, running);
  try {
    const children = [start('a0'), start('b0')];
    const end = Date.now() + seconds * 1_000;
    let kills = 0;
    while (Date.now() < end) {
      const at = kills % 2;
      const child = children[at] as ChildProcess;
      // Two of three kills hit a process that writes, the third one that may still be mending what the last one left.
      if (kills % 3 !== 2) await Promise.race([once(child.stdout as Readable, 'data'), pause(FIRST_WRITE_MS)]);
      await pause(Math.random() * 1_200);
      if (child.exitCode !== null) faults.push(`a writer ended by itself with ${child.exitCode}: it says why above`);
      await kill(child, running);
      kills += 1;
      children[at] = start(`${at === 0 ? 'a' : 'b'}${kills}`);
      if (kills % 20 === 0) progress(`${kills} kills, ${promised.size} commits promised`);
    }
    for (const child of children) await kill(child, running);
    // The next writer finishes what the last killed one had begun.
    await scratch.base.recover();
    const nodes = scratch.git('ls-files', 'nodes').split('\n').length - 1;
    return {
      counts: { nodes, promised: promised.size, kills },
      faults: [...faults, ...(await faultsOf(scratch, promised, nodes))],
    };
  } finally {
    for (const child of running) await kill(child, running);
    scratch.remove();
  }
}

async function faultsOf(scratch: ScratchBase, promised: ReadonlySet<string>, nodes: number): Promise<string[]> {
  const commits = new Set(scratch.git('rev-list', 'HEAD').trim().split('\n'));
  const { findings } = await scratch.base.lint();
  const { items } = await scratch.base.query(KnowledgeQuery.parse({ limit: 100 }), null);
  // Throws, with what git says, when an object is broken.
  scratch.git('fsck', '--no-dangling');
  const lost = [...promised].filter((commit) => !commits.has(commit));
  return [
    ...(promised.size > 0 ? [] : ['nothing was written']),
    ...(scratch.status() === '' ? [] : [`left over: ${scratch.status()}`]),
    ...findings.flatMap(({ fatal, code, path }) => (fatal ? [`lint: ${code} ${path}`] : [])),
    ...lost.map((commit) => `lost: ${commit}`),
    // Every commit but the first is one node.
    ...(commits.size - 1 === nodes ? [] : [`${commits.size - 1} commits made ${nodes} nodes`]),
    ...(items.length === Math.min(nodes, 100) ? [] : [`of ${nodes} nodes ${items.length} are found`]),
  ];
}

/** Its own process group: git's processes are killed with it, as when a container is. */
function startWriters(dir: string, name: string, promised: Set<string>, running: Set<ChildProcess>): ChildProcess {
  const child = spawn(
    process.execPath,
    [`${ROOT}tests/dist/chaos/knowledge-writer.main.js`, dir, name, String(CALLERS)],
    { detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  running.add(child);
  createInterface({ input: child.stdout }).on('line', (line) => {
    // The last line of a killed process may be cut.
    if (line.endsWith('}')) promised.add((JSON.parse(line) as { commit: string }).commit);
  });
  return child;
}

async function kill(child: ChildProcess, running: Set<ChildProcess>): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await exit;
}
