import { KnowledgeBase } from '@aish/knowledge';

/**
 * One process of the hammering test: callers that write as fast as they can until the process is killed. Each commit
 * that was promised is said on stdout, a line each.
 *   node knowledge-writer.main.js DIR NAME CALLERS
 */
const [dir = '', name = '', callers = '1'] = process.argv.slice(2);
const base = new KnowledgeBase({ dir, env: process.env, lockWaitMs: 120_000, isWatching: true });
await base.recover();

async function call(n: number): Promise<void> {
  for (let k = 0; ; k += 1) {
    const { commit, id } = await base.remember(
      { title: `Node ${k} of ${name} ${n}`, summary: 'Hammered.' },
      { name, scope: null },
    );
    process.stdout.write(`${JSON.stringify({ commit, id })}\n`);
  }
}

await Promise.all(Array.from({ length: Number(callers) }, (_, n) => call(n)));
