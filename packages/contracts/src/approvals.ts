import * as z from 'zod';
import { ChangeWindow, isOpen, nextOpening } from './change-windows.js';
import type { Classification } from './safety.js';

/** Who has to let something run in a space, where one person is not enough or not everyone counts. */
export const ApprovalRule = z
  .strictObject({
    /** Ids of rules that stop an action, as `files.*`; `destructive` or `unknown` for all that is judged so; `*` for every question. */
    findings: z
      .array(
        z
          .string()
          .max(100)
          .regex(/^[\w.*-]+$/, 'the id of a rule, with * for any part'),
      )
      .min(1)
      .max(50),
    /** Different people who have to let it run. */
    people: z.int().min(1).max(3).default(1),
    /** Whether the author of the goal, or the owner of the chat, does not count. */
    notAuthor: z.boolean().default(false),
  })
  .meta({ id: 'ApprovalRule' });
export type ApprovalRule = z.infer<typeof ApprovalRule>;

/** As `aish space set --approve` takes it: `2 files.*,disks.* not-author`. */
export function formatApprovalRule({ people, findings, notAuthor }: ApprovalRule): string {
  return `${people} ${findings.join(',')}${notAuthor ? ' not-author' : ''}`;
}

/** Parses the text; null when its form is wrong. The findings are checked where they are used. */
export function readApprovalRule(text: string): ApprovalRule | null {
  const [, people, findings, not] = /^(\d) (\S+)( not-author)?$/.exec(text.trim()) ?? [];
  if (findings === undefined) return null;
  return { people: Number(people), findings: findings.split(','), notAuthor: not !== undefined };
}

/** One person's word that something may run, for what was shown then. */
export const Approval = z.object({
  /** Whose token it was. */
  by: z.string(),
  at: z.iso.datetime(),
  version: z.string(),
  inWindow: z.boolean(),
  carried: z.boolean(),
  /** The preview that was named. */
  preview: z.uuid().optional(),
  /** For the model. */
  message: z.string().optional(),
});
export type Approval = z.infer<typeof Approval>;

/** How far a decision is from letting its action run. */
export const ApprovalState = z
  .object({
    /** Different people who have to let it run. */
    needed: z.int(),
    /** Who has, for what is shown now. */
    given: z.array(Approval),
    /** Who may not; null: nobody is left out. */
    author: z.string().nullable(),
    /** Whether the space's change window is open; null: it has none. */
    isOpen: z.boolean().nullable(),
    /** When it opens next; null while it is open, and where there is none. */
    opensAt: z.iso.datetime().nullable(),
    /** When it runs, unless somebody takes that back; null: not let through for the window. */
    waitsUntil: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApprovalState' });
export type ApprovalState = z.infer<typeof ApprovalState>;

/** What rules of a space want for a question. Rules that match add up: the most people, and without its author if one says so. */
export function approversFor(
  rules: readonly ApprovalRule[],
  classification: Classification | null,
): { readonly people: number; readonly notAuthor: boolean } {
  const matching = rules.filter(({ findings }) => findings.some((glob) => matches(glob, classification)));
  return {
    people: Math.max(1, ...matching.map(({ people }) => people)),
    notAuthor: matching.some(({ notAuthor }) => notAuthor),
  };
}

function matches(glob: string, classification: Classification | null): boolean {
  if (glob === '*') return true;
  if (classification === null) return false;
  const { verdict, ruleId, others = [] } = classification;
  const pattern = new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  return [verdict, ruleId, ...others.map((other) => other.ruleId)].some((id) => id !== null && pattern.test(id));
}

/** What a decision's row and its space say, together. */
export interface Standing {
  readonly rules: readonly ApprovalRule[];
  readonly windows: readonly ChangeWindow[];
  readonly approvals: readonly Approval[];
  readonly classification: Classification | null;
  /** Of what is shown now: an approval of anything else does not count. */
  readonly version: string;
  readonly author: string | null;
  readonly waitsUntil: Date | null;
}

export function approvalState(of: Standing, now: Date): ApprovalState {
  const { people: needed, notAuthor } = approversFor(of.rules, of.classification);
  const author = notAuthor ? of.author : null;
  const given = of.approvals.filter(({ version, by }) => version === of.version && by !== author);
  const open = of.windows.length === 0 ? null : isOpen(of.windows, now);
  const opensAt = open === false ? (nextOpening(of.windows, now)?.toISOString() ?? null) : null;
  const waitsUntil = given.length >= needed ? (of.waitsUntil?.toISOString() ?? null) : null;
  return { needed, given, author, isOpen: open, opensAt, waitsUntil };
}

/** What comes of one more person's word. */
export type Approved =
  | { readonly kind: 'refused'; readonly code: 'needs_another_person' | 'invalid_body'; readonly why: string }
  /** `waitsUntil`: when the window opens in which it runs; null: another person has to let it run, too. */
  | { readonly kind: 'waits'; readonly approvals: readonly Approval[]; readonly waitsUntil: string | null }
  | {
      readonly kind: 'runs';
      readonly by: string;
      readonly inWindow: boolean;
      readonly preview: string | null;
      readonly message: string | null;
    };

/** Adds one person's word to those of others. Nobody counts twice, and enough people who say “now” need no window. */
export function approve({ needed, given, author, isOpen: open, opensAt }: ApprovalState, one: Approval): Approved {
  if (one.by === author) {
    return refused('needs_another_person', `${one.by} gave the goal: here another person has to let it run`);
  }
  if (one.inWindow && open === null) return refused('invalid_body', 'This space has no change window to wait for');
  const others = given.filter(({ by }) => by !== one.by);
  const before = given.find(({ by }) => by === one.by);
  const isOtherwise = needed > 1 && others.some(({ carried }) => carried !== one.carried);
  if (isOtherwise)
    return refused('invalid_body', 'The others let it run with other variables: say the same, or skip it');
  const approvals = [...others, one];
  const isAgain =
    before?.inWindow === one.inWindow &&
    before.carried === one.carried &&
    before.preview === one.preview &&
    before.message === one.message;
  if (isAgain && approvals.length < needed) {
    return refused('needs_another_person', `${one.by} has let it run already: another person has to, too`);
  }
  const now = approvals.filter(({ inWindow }) => !inWindow);
  if (now.length >= needed) return runs(now, false);
  if (approvals.length < needed) return { kind: 'waits', approvals, waitsUntil: null };
  return open === true ? runs(approvals, true) : { kind: 'waits', approvals, waitsUntil: opensAt };
}

function runs(approvals: readonly Approval[], inWindow: boolean): Approved {
  const [by, preview, message] = [namesOf(approvals), previewOf(approvals), messageOf(approvals)];
  return { kind: 'runs', by, inWindow, preview, message };
}

export function namesOf(approvals: readonly Approval[]): string {
  return approvals.map(({ by }) => by).join(', ');
}

/** The preview that all of them named; null where one named none, or another one. */
export function previewOf([first, ...others]: readonly Approval[]): string | null {
  const named = first?.preview ?? null;
  return others.every(({ preview }) => preview === named) ? named : null;
}

/** What they want the model to know, in their order; null where nobody said anything. */
export function messageOf(approvals: readonly Approval[]): string | null {
  const said = approvals.flatMap(({ message }) => message ?? []);
  return said.length === 0 ? null : said.join('\n');
}

function refused(code: 'needs_another_person' | 'invalid_body', why: string): Approved {
  return { kind: 'refused', code, why };
}

/** Whether an action is stopped for the same as when a person let it through; what is safe by now is no more than they did. */
export function sameFindings(shown: Classification | null, now: Classification): boolean {
  if (now.verdict === 'safe') return true;
  if (shown === null || shown.verdict !== now.verdict) return false;
  const before = new Set(findingsOf(shown));
  return findingsOf(now).every((id) => before.has(id));
}

function findingsOf({ ruleId, others = [] }: Classification): readonly (string | null)[] {
  return [ruleId, ...others.map((other) => other.ruleId)];
}
