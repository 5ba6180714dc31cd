import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedModel } from '@aish/demo-model';
import { startJobs } from '@aish/tests/support/aish.command';
import { jobsModel, thinking } from '@aish/tests/support/jobs.model';
import { Stack } from '@aish/tests/support/stack';
import { isQuick, type Benchmark, type Figures } from './benchmark.js';

/** Current models may think for this many tokens before a call. */
const THOUGHTS_TOKENS = 6_000;

/** The jobs in one folder or on one machine. */
const SMALL: readonly string[] = isQuick ? ['newest-good', 'core-dumps'] : ['files', 'host'];
/** The jobs on several machines, each with three wrong solutions. A quick run plays none, because they take minutes. */
const CHAINS: readonly string[] = isQuick ? [] : ['hosts'];
const WRONG_CHAINS = [0, 1, 2];

interface Results {
  readonly results: readonly {
    readonly job: string;
    readonly solved: boolean;
    readonly why: string;
    readonly needed: number;
    readonly needless: number;
    readonly lostUnasked: number;
    readonly questions: readonly { readonly worth: string; readonly action: string }[];
  }[];
}

export const benchmark: Benchmark = {
  name: 'jobs',
  about:
    'all jobs, played by a scripted model: every reference must solve its job, also after 6,000 tokens of thoughts, every wrong solution must be refused; questions by trust',
  goals: {
    unsolved_references: { op: '<=', value: 0 },
    unsolved_with_thoughts: { op: '<=', value: 0 },
    wrong_ones_taken: { op: '<=', value: 0 },
    ...(isQuick ? {} : { needless_a_chain: { op: '<=', value: 0.2 } as const }),
    all_s: { op: '<=', value: 1_800 },
  },
  run: async (progress): Promise<Figures> => {
    const right = await jobsModel('reference');
    const notRight = await Promise.all(WRONG_CHAINS.map((nth) => jobsModel('wrong', undefined, nth)));
    const scripts = [right, thinking(right, THOUGHTS_TOKENS), ...notRight];
    const models = await Promise.all(scripts.map((script) => startScriptedModel({ script, cutsAtLimit: true })));
    const [reference, thinks, ...wrong] = models;
    const presets = [
      { name: 'thinks', baseUrl: thinks?.url },
      ...wrong.map(({ url }, nth) => ({ name: `wrong-${nth}`, baseUrl: url })),
    ];
    const dir = await mkdtemp(join(tmpdir(), 'aish-jobs-'));
    const stack = await Stack.start({
      modelUrl: reference?.url ?? '',
      ownProcesses: true,
      env: {
        CONFIRM_CMD: 'false',
        HOSTS_CA_KEY: 'the key of this benchmark that signs for hosts',
        PRESETS: JSON.stringify(presets),
      },
    });
    try {
      const play = async (name: string, jobs: readonly string[], ...more: string[]) => {
        if (jobs.length === 0) return { results: [], seconds: 0 };
        const began = Date.now();
        const connection = { url: stack.client.url, tokenFile: join(stack.dir, 'token') };
        const args = ['run', '--privileged', '--out', join(dir, name), ...jobs, ...more];
        const { code, stderr } = await startJobs(connection, args, {}, 1_800_000).ended();
        if (code !== 0 && code !== 5)
          throw new Error(`npm run jobs -- run exited with code ${code}: ${stderr.slice(-2_000)}`);
        const { results } = JSON.parse(await readFile(join(dir, name, 'results.json'), 'utf8')) as Results;
        return { results, seconds: (Date.now() - began) / 1000 };
      };
      const asked = await play('reference', SMALL);
      const undoable = await play('undoable', SMALL, '--trust', 'undoable');
      const thought = await play('thinks', SMALL, '--preset', 'thinks');
      const wrongOnes = await play('wrong', SMALL, '--preset', 'wrong-0');
      const chains = await play('chains', CHAINS);
      const refused = [...wrongOnes.results];
      for (const nth of WRONG_CHAINS)
        refused.push(...(await play(`chains-${nth}`, CHAINS, '--preset', `wrong-${nth}`)).results);
      const references = [...asked.results, ...chains.results];
      for (const { job, solved, why } of [...references, ...thought.results])
        if (!solved) progress(`not solved: ${job}: ${why}`);
      for (const { job, solved } of refused) if (solved) progress(`a wrong solution was taken: ${job}`);
      for (const { job, questions } of references)
        for (const { worth, action } of questions) if (worth === 'needless') progress(`needless: ${job}: ${action}`);
      const sum = (of: Results['results'], key: 'needed' | 'needless' | 'lostUnasked') =>
        of.reduce((total, each) => total + each[key], 0);
      const jobs = asked.results.length;
      return {
        jobs,
        chains: chains.results.length,
        unsolved_references: references.filter(({ solved }) => !solved).length,
        unsolved_with_thoughts: thought.results.filter(({ solved }) => !solved).length,
        wrong_ones_taken: refused.filter(({ solved }) => solved).length,
        needed_a_job: sum(asked.results, 'needed') / jobs,
        needless_a_job: sum(asked.results, 'needless') / jobs,
        undoable_needed_a_job: sum(undoable.results, 'needed') / jobs,
        undoable_needless_a_job: sum(undoable.results, 'needless') / jobs,
        ...(chains.results.length > 0 && {
          needed_a_chain: sum(chains.results, 'needed') / chains.results.length,
          needless_a_chain: sum(chains.results, 'needless') / chains.results.length,
        }),
        wrong_lost_unasked: sum(refused, 'lostUnasked'),
        all_s: asked.seconds + chains.seconds,
        thoughts_s: thought.seconds,
        wrong_s: wrongOnes.seconds,
      };
    } finally {
      await stack.stop();
      for (const model of models) await model.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
};
