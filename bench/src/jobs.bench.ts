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

/** The names of the jobs of a quick run, or else of all jobs. */
const NAMES: readonly string[] = isQuick ? ['newest-good', 'core-dumps'] : ['files', 'host'];

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
    all_s: { op: '<=', value: 1_800 },
  },
  run: async (progress): Promise<Figures> => {
    const [right, notRight] = await Promise.all([jobsModel('reference'), jobsModel('wrong')]);
    const scripts = [right, notRight, thinking(right, THOUGHTS_TOKENS)];
    const models = await Promise.all(scripts.map((script) => startScriptedModel({ script, cutsAtLimit: true })));
    const [reference, wrong, thinks] = models;
    const dir = await mkdtemp(join(tmpdir(), 'aish-jobs-'));
    const stack = await Stack.start({
      modelUrl: reference?.url ?? '',
      ownProcesses: true,
      env: {
        CONFIRM_CMD: 'false',
        HOSTS_CA_KEY: 'the key of this benchmark that signs for hosts',
        DEEP_BASE_URL: wrong?.url ?? '',
        PRESETS: JSON.stringify([{ name: 'thinks', baseUrl: thinks?.url }]),
      },
    });
    try {
      const play = async (name: string, ...more: string[]) => {
        const began = Date.now();
        const connection = { url: stack.client.url, tokenFile: join(stack.dir, 'token') };
        const args = ['run', '--out', join(dir, name), ...NAMES, ...more];
        const { code, stderr } = await startJobs(connection, args, {}, 1_800_000).ended();
        if (code !== 0 && code !== 5)
          throw new Error(`npm run jobs -- run ended with ${code}: ${stderr.slice(-2_000)}`);
        const { results } = JSON.parse(await readFile(join(dir, name, 'results.json'), 'utf8')) as Results;
        return { results, seconds: (Date.now() - began) / 1000 };
      };
      const asked = await play('reference');
      const undoable = await play('undoable', '--trust', 'undoable');
      const thought = await play('thinks', '--preset', 'thinks');
      const refused = await play('wrong', '--preset', 'deep');
      for (const { job, solved, why } of [...asked.results, ...thought.results])
        if (!solved) progress(`not solved: ${job}: ${why}`);
      for (const { job, solved } of refused.results) if (solved) progress(`a wrong solution was taken: ${job}`);
      for (const { job, questions } of asked.results)
        for (const { worth, action } of questions) if (worth === 'needless') progress(`needless: ${job}: ${action}`);
      const sum = (of: Results['results'], key: 'needed' | 'needless' | 'lostUnasked') =>
        of.reduce((total, each) => total + each[key], 0);
      const jobs = asked.results.length;
      return {
        jobs,
        unsolved_references: asked.results.filter(({ solved }) => !solved).length,
        unsolved_with_thoughts: thought.results.filter(({ solved }) => !solved).length,
        wrong_ones_taken: refused.results.filter(({ solved }) => solved).length,
        needed_a_job: sum(asked.results, 'needed') / jobs,
        needless_a_job: sum(asked.results, 'needless') / jobs,
        undoable_needed_a_job: sum(undoable.results, 'needed') / jobs,
        undoable_needless_a_job: sum(undoable.results, 'needless') / jobs,
        wrong_lost_unasked: sum(refused.results, 'lostUnasked'),
        all_s: asked.seconds,
        thoughts_s: thought.seconds,
        wrong_s: refused.seconds,
      };
    } finally {
      await stack.stop();
      for (const model of models) await model.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
};
