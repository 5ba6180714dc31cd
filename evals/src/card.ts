import type { JobResult } from './result.js';
import type { RunHead } from './run-folder.js';
import { markdown, summaryOf, tableOf } from './summary.js';

/** Returns the results of a model as a Markdown page to publish. The page contains nothing about the installation. */
export function cardOf(head: RunHead, results: readonly JobResult[]): string {
  const models = [...new Set(results.flatMap(({ model }) => model ?? []))];
  const { jobs, solved, wrong, needless, needed, lostUnasked } = summaryOf(results);
  const share = (part: number) => `${jobs === 0 ? 0 : Math.round((100 * part) / jobs)} %`;
  return `# ${models.join(', ') || 'unknown model'}

aish ${head.aish}, ${head.at.slice(0, 10)}, trust \`${head.trust}\`, ${head.repeats === 1 ? 'each job once' : `each job ${head.repeats} times`}${head.seed === null ? '' : `, seed ${head.seed}`}${head.space === null ? '' : ', in a space of its own'}${head.proposeCheck ? ', checks proposed' : ''}.

- solved ${solved} of ${jobs} (${share(solved)}); said done and was not: ${wrong} (${share(wrong)})
- questions: ${needed} needed, ${needless} needless; lost without a question: ${lostUnasked}

${markdown(tableOf(results))}

Not solved: ${results.filter((each) => !each.solved).map(({ job }) => job).join(', ') || 'none'}.
`; // prettier-ignore
}

export interface Advice {
  /** Whether goals may run unattended. */
  readonly unattended: boolean;
  readonly lines: readonly string[];
}

const GOOD_ENOUGH = 0.8;

/** Returns the advice that ten short jobs give about a model, with the settings to use. */
export function adviceFor(results: readonly JobResult[]): Advice {
  const { jobs, solved, wrong, lostUnasked, steps, tokensRead, tokensAgain } = summaryOf(results);
  const isGood = jobs > 0 && solved / jobs >= GOOD_ENOUGH && lostUnasked === 0;
  const states = (state: string) => results.filter((each) => each.state === state).length;
  const lines = [
    isGood
      ? `Good enough for goals that nobody watches: ${solved} of ${jobs} solved.`
      : `Not good enough for goals that nobody watches: ${solved} of ${jobs} solved${lostUnasked > 0 ? `, ${lostUnasked} things lost without a question` : ''}.`,
    ...(wrong > 0 ? [`It reported done ${wrong} times without being done: give goals a check (--verify, or --propose-check).`] : []),
    ...(states('stalled') > 0
      ? [`It neither acted nor ended ${states('stalled')} times: lower its temperature, or use a model that follows formats.`]
      : []),
    ...(states('exhausted') > 0
      ? [`It ran out of steps ${states('exhausted')} times: give its space more (aish space set general --steps 32).`]
      : []),
    ...(tokensRead > 0 && tokensAgain / tokensRead > 0.2
      ? [`${Math.round((100 * tokensAgain) / tokensRead)} % of its input it had read before: give the server more slots or context, or goals one at a time.`]
      : []),
    `${jobs === 0 ? 0 : (steps / jobs).toFixed(1)} steps per job.`,
  ]; // prettier-ignore
  return { unattended: isGood, lines };
}
