import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { KnowledgeQuery } from '@aish/contracts/knowledge';
import { ScratchBase } from '@aish/knowledge/testing';
import { ROOT } from '../support/service.process.js';

/** The number of callers in each of the two processes. */
const CALLERS = 8;
/** A process must write something within this time. */
const FIRST_WRITE_MS = 15_000;

/**
 * Runs sixteen callers in two processes, which write nodes as fast as possible while one of the processes is killed
 * with SIGKILL about every second. Afterwards nothing may be left over, no promised commit may be lost, every commit
 * must be one complete node, and the index must be correct.
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
      // Two of three kills hit a process that writes. The third may hit one that is still repairing after the last
      // kill.
      if (kills % 3 !== 2) await Promise.race([once(child.stdout as Readable, 'data'), pause(FIRST_WRITE_MS)]);
      await pause(Math.random() * 1_200);
      if (child.exitCode !== null) faults.push(`a writer ended by itself with ${child.exitCode}: it says why above`);
      await kill(child, running);
      kills += 1;
      children[at] = start(`${at === 0 ? 'a' : 'b'}${kills}`);
      if (kills % 20 === 0) progress(`${kills} kills, ${promised.size} commits promised`);
    }
    for (const child of children) await kill(child, running);
    // The next writer finishes the work that the last killed writer began.
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
  // This throws git's message if an object is broken.
  scratch.git('fsck', '--no-dangling');
  const lost = [...promised].filter((commit) => !commits.has(commit));
  return [
    ...(promised.size > 0 ? [] : ['nothing was written']),
    ...(scratch.status() === '' ? [] : [`left over: ${scratch.status()}`]),
    ...findings.flatMap(({ fatal, code, path }) => (fatal ? [`lint: ${code} ${path}`] : [])),
    ...lost.map((commit) => `lost: ${commit}`),
    // Every commit except the first must be one node.
    ...(commits.size - 1 === nodes ? [] : [`${commits.size - 1} commits made ${nodes} nodes`]),
    ...(items.length === Math.min(nodes, 100) ? [] : [`of ${nodes} nodes ${items.length} are found`]),
  ];
}

/** Starts writers in a separate process group, so that git's processes are killed too, as with a container. */
function startWriters(dir: string, name: string, promised: Set<string>, running: Set<ChildProcess>): ChildProcess {
  const child = spawn(
    process.execPath,
    [`${ROOT}tests/dist/chaos/knowledge-writer.main.js`, dir, name, String(CALLERS)],
    { detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  running.add(child);
  createInterface({ input: child.stdout }).on('line', (line) => {
    // The last line of a killed process may be incomplete.
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
