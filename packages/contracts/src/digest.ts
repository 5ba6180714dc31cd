import * as z from 'zod';
import { Verdict } from './decisions.js';
import { formatSize } from './effect-lines.js';
import { visibleText } from './visible-text.js';

/** Goals, open decisions and hosts that a digest names; of the others it says how many there are. */
export const DIGEST_NAMES_MAX = 20;
const TEXT_MAX_CHARS = 120;
const WH_IN_J = 3_600;

export const ShowDigest = z.strictObject({ days: z.coerce.number().int().min(1).max(31).default(7) });
export type ShowDigest = z.infer<typeof ShowDigest>;

const Goals = z.object({
  count: z.int(),
  /** The newest of them. */
  named: z.array(z.object({ number: z.int(), text: z.string(), state: z.string() })).max(DIGEST_NAMES_MAX),
});
const Share = z.object({ files: z.int(), bytes: z.number() });

/** What happened in some days in all goals and chats that the reader may observe. */
export const Digest = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    goals: z.object({
      /** Done, and their check passed. */
      verified: Goals,
      done: Goals,
      /** Failed, blocked, stalled or out of budget. */
      failed: Goals,
      aborted: Goals,
      /** Those that have not ended and wait, whenever they were given. */
      waiting: Goals,
    }),
    /** Questions of goals: HALTs, and what their models and servers asked. */
    halts: z.object({
      asked: z.int(),
      /** By verdict. */
      answered: z.partialRecord(Verdict, z.int()),
      /** Those that ended before anybody answered. */
      withdrawn: z.int(),
      /** From question to verdict, milliseconds; null where none was given. */
      medianMs: z.number().nullable(),
      /** Whenever they were asked. */
      open: z.object({
        count: z.int(),
        named: z.array(z.object({ number: z.int(), goal: z.int(), action: z.string() })).max(DIGEST_NAMES_MAX),
      }),
    }),
    /** What commands did to workspaces and held folders. What was undone later counts, too. */
    effects: z.object({ created: Share, changed: Share, deleted: Share, undone: z.int() }),
    hosts: z.object({
      count: z.int(),
      named: z
        .array(
          z.object({
            host: z.string(),
            commands: z.int(),
            /** Those that aish did not sign for. */
            refused: z.int(),
            /** Numbers of goals, at most as many as are named elsewhere. */
            goals: z.array(z.int()).max(DIGEST_NAMES_MAX),
          }),
        )
        .max(DIGEST_NAMES_MAX),
    }),
    /** What models of goals and chats read and wrote, by preset. */
    tokens: z.array(z.object({ preset: z.string(), read: z.number(), written: z.number() })),
    /** What model servers told; null where none did. */
    energyJ: z.number().nullable(),
  })
  .meta({ id: 'Digest' });
export type Digest = z.infer<typeof Digest>;

/** Whether there is anything to tell: a week in which nothing ended, was asked, ran or waits has nothing. */
export function saysSomething({ goals, halts, effects, hosts, tokens }: Digest): boolean {
  const counts = [
    ...Object.values(goals).map(({ count }) => count),
    ...[effects.created, effects.changed, effects.deleted].map(({ files }) => files),
    halts.asked,
    halts.open.count,
    effects.undone,
    hosts.count,
    ...tokens.map(({ read, written }) => read + written),
  ];
  return counts.some((count) => count > 0);
}

/** How a digest is written: for a screen, or as Markdown for notices, which are short. */
interface Form {
  readonly names: number;
  readonly title: (text: string) => readonly string[];
  readonly word: (text: string) => string;
}

const PLAIN: Form = { names: DIGEST_NAMES_MAX, title: (text) => [text], word: oneLine };
const MARKDOWN: Form = {
  names: 5,
  title: (text) => [`**${text}**`, ''],
  // What a goal or a command says is no Markdown of ours.
  word: (text) => oneLine(text).replaceAll(/[\\`*_[\]<>]/g, '\\$&'),
};

/** A digest for a screen. What did not happen has no line. */
export function digestText(digest: Digest): string {
  return textOf(digest, PLAIN);
}

/** The same for notices, as Markdown, with fewer names. */
export function digestMarkdown(digest: Digest): string {
  return textOf(digest, MARKDOWN);
}

function textOf({ from, to, goals, halts, effects, hosts, tokens, energyJ }: Digest, form: Form): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['Goals', goalLines(goals, form)],
    ['HALTs', haltLines(halts, form)],
    ['Files', fileLines(effects)],
    ['Hosts', hostLines(hosts, form)],
    [
      'Tokens',
      tokens.map((each) => `- ${form.word(each.preset)}: ${number(each.read)} read, ${number(each.written)} written`),
    ],
    ['Energy', energyJ === null ? [] : [`- ${energyOf(energyJ)}, as model servers told`]],
  ];
  const said = parts.filter(([, lines]) => lines.length > 0);
  return [
    `${moment(from)} to ${moment(to)} UTC`,
    ...(said.length === 0 ? ['', 'Nothing happened.'] : []),
    ...said.flatMap(([title, lines]) => ['', ...form.title(title), ...lines]),
  ].join('\n');
}

const ENDINGS = [
  ['verified', 'done and verified'],
  ['done', 'done'],
  ['failed', 'failed'],
  ['aborted', 'aborted'],
  ['waiting', 'waiting now'],
] as const;

function goalLines(goals: Digest['goals'], { names, word }: Form): readonly string[] {
  return ENDINGS.flatMap(([ending, words]) => {
    const { count, named } = goals[ending];
    if (count === 0) return [];
    const some = named.slice(0, names);
    // Of the others the line above says how they ended.
    const isSaid = ending !== 'failed' && ending !== 'waiting';
    const own = some.map((goal) => `  - g${goal.number} ${word(goal.text)}${isSaid ? '' : ` (${goal.state})`}`);
    return [`- ${count} ${words}`, ...own, ...more(count, some.length, '  - ')];
  });
}

function haltLines({ asked, answered, withdrawn, medianMs, open }: Digest['halts'], form: Form): readonly string[] {
  const verdicts = Verdict.options.map((verdict) => [verdict, answered[verdict] ?? 0] as const);
  const how = [...verdicts, ['withdrawn', withdrawn] as const].filter(([, count]) => count > 0);
  const some = open.named.slice(0, form.names);
  return [
    ...(asked === 0 ? [] : [`- ${asked} asked`]),
    ...(how.length === 0 ? [] : [`- answered: ${how.map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`]),
    ...(medianMs === null ? [] : [`- half of the verdicts came within ${lengthOf(medianMs)}`]),
    ...some.map((each) => `- d${each.number} is open, g${each.goal}: ${form.word(each.action)}`),
    ...more(open.count, some.length, '- ', ' open'),
  ];
}

function fileLines({ created, changed, deleted, undone }: Digest['effects']): readonly string[] {
  const shares = Object.entries({ created, changed, deleted }).filter(([, { files }]) => files > 0);
  return [
    ...shares.map(([how, { files, bytes }]) => `- ${number(files)} ${how}, ${formatSize(bytes)}`),
    ...(undone === 0 ? [] : [`- ${undone} ${undone === 1 ? 'command' : 'commands'} undone`]),
  ];
}

function hostLines({ count, named }: Digest['hosts'], { names, word }: Form): readonly string[] {
  const some = named.slice(0, names);
  const lines = some.map(({ host, commands, refused, goals }) => {
    const by = goals.length === 0 ? '' : `; ${goals.map((goal) => `g${goal}`).join(', ')}`;
    const ran = `${number(commands)} ${commands === 1 ? 'command' : 'commands'}`;
    return `- ${word(host)}: ${ran}${refused === 0 ? '' : `, ${refused} refused`}${by}`;
  });
  return [...lines, ...more(count, some.length, '- ')];
}

function more(count: number, named: number, lead: string, what = ''): readonly string[] {
  return count > named ? [`${lead}and ${count - named} more${what}`] : [];
}

function moment(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;
}

/** Short, and without characters that nobody sees. */
function oneLine(text: string): string {
  const chars = Array.from(visibleText(text.replaceAll(/\s+/g, ' ').trim()));
  return chars.length <= TEXT_MAX_CHARS ? chars.join('') : `${chars.slice(0, TEXT_MAX_CHARS - 1).join('')}…`;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function energyOf(joules: number): string {
  const wh = joules / WH_IN_J;
  if (wh >= 1_000) return `${(wh / 1_000).toFixed(2)} kWh`;
  return `${wh >= 10 ? Math.round(wh) : Number(wh.toPrecision(2))} Wh`;
}

function lengthOf(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
