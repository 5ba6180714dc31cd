import { KnowledgeBase } from '@aish/knowledge';

/**
 * This is one process of the hammering test. Its callers write as fast as possible until the process is killed. It
 * prints each promised commit on stdout, one per line.
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
