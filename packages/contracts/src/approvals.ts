import * as z from 'zod';
import { ChangeWindow, isOpen, nextOpening } from './change-windows.js';
import type { Classification } from './safety.js';

/** A rule about the approval of actions in a space, if one person is not enough or some people do not count. */
export const ApprovalRule = z
  .strictObject({
    /**
     * IDs of rules that stop an action, for example `files.*`; `destructive` or `unknown` for every action with that
     * verdict; `*` for every decision.
     */
    findings: z
      .array(
        z
          .string()
          .max(100)
          .regex(/^[\w.*-]+$/, 'must be the ID of a rule; * matches any part'),
      )
      .min(1)
      .max(50),
    /** Number of different people who have to approve. */
    people: z.int().min(1).max(3).default(1),
    /** Whether the author of the goal, or the owner of the chat, is excluded. */
    notAuthor: z.boolean().default(false),
  })
  .meta({ id: 'ApprovalRule' });
export type ApprovalRule = z.infer<typeof ApprovalRule>;

/** The text form for `aish space set --approve`: `2 files.*,disks.* not-author`. */
export function formatApprovalRule({ people, findings, notAuthor }: ApprovalRule): string {
  return `${people} ${findings.join(',')}${notAuthor ? ' not-author' : ''}`;
}

/** Parses the text form of a rule; null if it is malformed. The caller checks the findings. */
export function readApprovalRule(text: string): ApprovalRule | null {
  const [, people, findings, not] = /^(\d) (\S+)( not-author)?$/.exec(text.trim()) ?? [];
  if (findings === undefined) return null;
  return { people: Number(people), findings: findings.split(','), notAuthor: not !== undefined };
}

/** One person's approval of an action, for the version that was shown then. */
export const Approval = z.object({
  /** The name of the person: the owner of the token. */
  by: z.string(),
  /** The name of the token. The approval ends when it is revoked, or when its person may no longer decide. */
  token: z.string().optional(),
  at: z.iso.datetime(),
  version: z.string(),
  inWindow: z.boolean(),
  carried: z.boolean(),
  /** The preview that the person named. */
  preview: z.uuid().optional(),
  /** A message for the model. */
  message: z.string().optional(),
});
export type Approval = z.infer<typeof Approval>;

/** Which approvals an action has, and which it still needs. */
export const ApprovalState = z
  .object({
    /** Number of different people who have to approve. */
    needed: z.int(),
    /** The approvals of the version that is shown now. */
    given: z.array(Approval),
    /** The person who may not approve; null if nobody is excluded. */
    author: z.string().nullable(),
    /** Whether the space's change window is open; null if the space has no window. */
    isOpen: z.boolean().nullable(),
    /** When the window opens next; null if it is open now or if the space has no window. */
    opensAt: z.iso.datetime().nullable(),
    /** When the approved action runs, unless somebody withdraws the approval; null if it does not wait for a window. */
    waitsUntil: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApprovalState' });
export type ApprovalState = z.infer<typeof ApprovalState>;

/**
 * Returns the requirements of a space's rules for an action. Matching rules add up: the largest number of people
 * counts, and the author is excluded if one rule says so.
 */
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

/** How rules see changes of a command that wait for a verdict, because they destroyed what was there before. */
export const HELD_CHANGES: Classification = {
  verdict: 'destructive',
  reason: null,
  ruleId: 'files.held',
  span: null,
  by: 'rule',
};

/** The approval state, from the decision's row and its space. */
export interface ApprovalInput {
  readonly rules: readonly ApprovalRule[];
  readonly windows: readonly ChangeWindow[];
  readonly approvals: readonly Approval[];
  readonly classification: Classification | null;
  /** The version that is shown now. Approvals of other versions do not count. */
  readonly version: string;
  readonly author: string | null;
  readonly waitsUntil: Date | null;
}

export function approvalState(of: ApprovalInput, now: Date): ApprovalState {
  const { people: needed, notAuthor } = approversFor(of.rules, of.classification);
  const author = notAuthor ? of.author : null;
  const given = of.approvals.filter(({ version, by }) => version === of.version && by !== author);
  const open = of.windows.length === 0 ? null : isOpen(of.windows, now);
  const opensAt = open === false ? (nextOpening(of.windows, now)?.toISOString() ?? null) : null;
  const waitsUntil = given.length >= needed ? (of.waitsUntil?.toISOString() ?? null) : null;
  return { needed, given, author, isOpen: open, opensAt, waitsUntil };
}

/** The result of adding one approval. */
export type Approved =
  | { readonly kind: 'refused'; readonly code: 'needs_another_person' | 'invalid_body'; readonly why: string }
  /** `waitsUntil` is the time when the change window opens. It is null if another person has to approve first. */
  | { readonly kind: 'waits'; readonly approvals: readonly Approval[]; readonly waitsUntil: string | null }
  | {
      readonly kind: 'runs';
      readonly by: string;
      readonly inWindow: boolean;
      readonly preview: string | null;
      readonly message: string | null;
    };

/**
 * Adds one person's approval to the others. A person never counts twice. If enough people say “now”, the action does
 * not wait for the window.
 */
export function approve({ needed, given, author, isOpen: open, opensAt }: ApprovalState, one: Approval): Approved {
  if (one.by === author) {
    return refused('needs_another_person', `${one.by} gave the goal, so another person must approve this action`);
  }
  if (one.inWindow && open === null)
    return refused('invalid_body', 'This space has no change window. Approve the action without one');
  const others = given.filter(({ by }) => by !== one.by);
  const before = given.find(({ by }) => by === one.by);
  const isOtherwise = needed > 1 && others.some(({ carried }) => carried !== one.carried);
  if (isOtherwise)
    return refused(
      'invalid_body',
      'The others approved it with other variables. Approve it with the same variables, or skip it',
    );
  const approvals = [...others, one];
  const isAgain =
    before?.inWindow === one.inWindow &&
    before.carried === one.carried &&
    before.preview === one.preview &&
    before.message === one.message;
  if (isAgain && approvals.length < needed) {
    return refused('needs_another_person', `${one.by} has already approved this. Another person must approve it, too`);
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

/** The preview that all approvers named; null if they did not all name the same one. */
export function previewOf([first, ...others]: readonly Approval[]): string | null {
  const named = first?.preview ?? null;
  return others.every(({ preview }) => preview === named) ? named : null;
}

/** The approvers' messages for the model, in order; null if there are none. */
export function messageOf(approvals: readonly Approval[]): string | null {
  const messages = approvals.flatMap(({ message }) => message ?? []);
  return messages.length === 0 ? null : messages.join('\n');
}

function refused(code: 'needs_another_person' | 'invalid_body', why: string): Approved {
  return { kind: 'refused', code, why };
}

/**
 * Whether the findings are still those that the person approved. An action that is safe now also counts as unchanged.
 */
export function sameFindings(shown: Classification | null, now: Classification): boolean {
  if (now.verdict === 'safe') return true;
  if (shown === null || shown.verdict !== now.verdict) return false;
  const before = new Set(findingsOf(shown));
  return findingsOf(now).every((id) => before.has(id));
}

function findingsOf({ ruleId, others = [] }: Classification): readonly (string | null)[] {
  return [ruleId, ...others.map((other) => other.ruleId)];
}
