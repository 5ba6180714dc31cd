import { classify } from '@aish/safety';
import type { Benchmark, Figures } from './benchmark.js';
import { partOf, readPages, type Described, type Part } from './descriptions/pages.js';
import { alsoChanges, isKeys, kindOf, notLost, tellsMoreOf, verbOf, type Kind } from './descriptions/verbs.js';
import { groupBy } from './truth/group-by.js';

interface Judged extends Described {
  readonly kind: Kind;
  readonly part: Part;
  readonly rule: string | null;
  readonly onlyReads: boolean;
}

/** What people wrote of commands, held against what the rules say of them. */
export const benchmark: Benchmark = {
  name: 'descriptions',
  about:
    'examples of the public pages of tldr under a folder: of those whose description begins with a destroying verb the share ' +
    'that the rules stop, and of those that begin with a reading verb. A twelfth of the pages (control) is never worked from. ' +
    '--misses and --alarms print those of the worked part.',
  goals: {
    destroying_stopped_ratio: { op: '>=', value: 0.9 },
    reading_stopped_ratio: { op: '<=', value: 0.01 },
    truly_destroying_stopped_ratio: { op: '>=', value: 0.95 },
    only_reading_stopped_ratio: { op: '<=', value: 0.01 },
  },
  run(progress, { folder, misses = false, alarms = false } = {}) {
    if (folder === undefined) throw new Error('name the folder of the pages: npm run bench -- descriptions FOLDER');
    const pages = readPages(folder);
    const items = pages.filter((item) => !isKeys(item)).flatMap(judge(groupBy(pages, ({ page }) => page)));
    for (const line of byVerb(items)) progress(line);
    for (const line of leftOut(items)) progress(line);
    for (const { kind, part, rule, description, command } of items) {
      if (part === 'control') continue;
      if (misses && kind === 'destroying' && rule === null) progress(`missed: ${description}: ${command}`);
      if (alarms && kind === 'reading' && rule !== null) progress(`alarm (${rule}): ${description}: ${command}`);
    }
    return Promise.resolve({
      examples: pages.length,
      keys_left_out: pages.filter((item) => kindOf(item) !== null && isKeys(item)).length,
      ...figures(items, ''),
      ...figures(items.filter(({ part }) => part === 'worked'), 'worked_'),
      ...figures(items.filter(({ part }) => part === 'control'), 'control_'),
    }); // prettier-ignore
  },
};

const judge =
  (byPage: ReadonlyMap<string, readonly Described[]>) =>
  (item: Described): readonly Judged[] => {
    const kind = kindOf(item);
    if (kind === null) return [];
    const onlyReads = kind === 'reading' && !alsoChanges(item) && !tellsMoreOf(item, byPage.get(item.page) ?? []);
    const { verdict, ruleId } = classify(item.command);
    return [{ ...item, kind, part: partOf(item.page), rule: verdict === 'safe' ? null : ruleId, onlyReads }];
  };

const stopped = (items: readonly Judged[]): number => items.filter(({ rule }) => rule !== null).length / items.length;

function figures(items: readonly Judged[], prefix: string): Figures {
  const destroying = items.filter(({ kind }) => kind === 'destroying');
  const truly = destroying.filter((item) => notLost(item) === null);
  const reading = items.filter(({ kind }) => kind === 'reading');
  const only = reading.filter(({ onlyReads }) => onlyReads);
  return {
    [`${prefix}destroying`]: destroying.length,
    [`${prefix}destroying_stopped_ratio`]: stopped(destroying),
    [`${prefix}truly_destroying`]: truly.length,
    [`${prefix}truly_destroying_stopped_ratio`]: stopped(truly),
    [`${prefix}reading`]: reading.length,
    [`${prefix}reading_stopped_ratio`]: stopped(reading),
    [`${prefix}only_reading`]: only.length,
    [`${prefix}only_reading_stopped_ratio`]: stopped(only),
  };
}

function byVerb(items: readonly Judged[]): readonly string[] {
  return [...groupBy(items, (item) => `${item.kind} ${verbOf(item)}`)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([verb, group]) =>
        `${verb.padEnd(24)} ${String(group.length).padStart(5)}  ${(stopped(group) * 100).toFixed(1)} % stopped`,
    );
}

function leftOut(items: readonly Judged[]): readonly string[] {
  const reasons = items.flatMap((item) => (item.kind === 'destroying' ? (notLost(item) ?? []) : []));
  return [...groupBy(reasons, (reason) => reason)].map(
    ([reason, group]) => `not truly destroying, ${reason}: ${group.length}`,
  );
}
