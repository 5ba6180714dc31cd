import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { KnowledgeQuery } from '@aish/contracts';
import { ScratchBase } from '@aish/knowledge/testing';
import { verifies } from '../requirements.js';
import { ROOT } from '../support/service.process.js';

/** Seconds of hammering; the long run is AISH_HAMMER_S=600 with this suite alone. */
const SECONDS = Number(process.env['AISH_HAMMER_S'] ?? '12');
const CALLERS = 8;
let scratch: ScratchBase | null = null;
const running = new Set<ChildProcess>();

afterEach(async () => {
  for (const child of running) await kill(child);
  scratch?.remove();
});

/** Its own process group: git's processes are killed with it, as when a container is. */
function hammer(dir: string, name: string, promised: Set<string>): ChildProcess {
  const child = spawn(
    process.execPath,
    [`${ROOT}packages/knowledge/dist/testing/hammer.main.js`, dir, name, String(CALLERS)],
    {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  running.add(child);
  createInterface({ input: child.stdout }).on('line', (line) => {
    // The last line of a killed process may be cut.
    if (line.endsWith('}')) promised.add((JSON.parse(line) as { commit: string }).commit);
  });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await exit;
}

describe('the knowledge base under many writers', () => {
  it(
    verifies('knowledge.hammer'),
    async () => {
      scratch = await ScratchBase.make();
      const { base, dir } = scratch;
      const promised = new Set<string>();
      const children = [hammer(dir, 'a', promised), hammer(dir, 'b', promised)];
      const end = Date.now() + SECONDS * 1_000;
      let kills = 0;
      while (Date.now() < end) {
        await pause(400 + Math.random() * 1_200);
        const at = kills % 2;
        await kill(children[at] as ChildProcess);
        kills += 1;
        children[at] = hammer(dir, `${at === 0 ? 'a' : 'b'}${kills}`, promised);
      }
      await Promise.all(children.map((child) => kill(child)));
      // Whoever comes next finishes what the last one killed had begun.
      await base.recover();
      expect(scratch.status()).toBe('');
      expect((await base.lint()).findings.filter(({ fatal }) => fatal)).toEqual([]);
      const commits = new Set(scratch.git('rev-list', 'HEAD').trim().split('\n'));
      expect([...promised].filter((commit) => !commits.has(commit))).toEqual([]);
      scratch.git('fsck', '--no-dangling');
      // Every commit but the first is one node, whole.
      const count = Number(scratch.git('rev-list', '--count', 'HEAD'));
      const hits = await base.query(KnowledgeQuery.parse({ limit: 100 }), null);
      const listed = scratch.git('ls-files', 'nodes').trim().split('\n').length;
      expect([listed, Math.min(listed, 100)]).toEqual([count - 1, hits.items.length]);
      expect(promised.size).toBeGreaterThan(0);
      expect(kills).toBeGreaterThan(3);
      console.log(`${count - 1} nodes, ${promised.size} promised, ${kills} kills`);
    },
    SECONDS * 1_000 + 120_000,
  );
});
