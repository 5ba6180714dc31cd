import type { Session } from '@aish/contracts/chat';
import type { Decision } from '@aish/contracts/decisions';
import type { EventBody, SessionEvent } from '@aish/contracts/events';
import type { Host } from '@aish/contracts/hosts';
import type { Goal } from '@aish/contracts/goals';

/** Contract objects for specs. The number determines the IDs, so that the objects can be told apart. */

export const AT = '2026-11-20T12:00:00.000Z';
export const NOW_MS = Date.parse(AT) + 60_000;

export function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

export function goalOf(number: number, change: Partial<Goal> = {}): Goal {
  return {
    id: uuid(number),
    number,
    sessionId: uuid(1000 + number),
    text: `goal text ${number}`,
    space: 'general',
    hostFolders: [],
    hosts: [],
    runbooks: [],
    preset: 'fast',
    state: 'running',
    reason: null,
    waitingFor: null,
    wakeAt: null,
    stepBudget: 16,
    stepsTaken: 2,
    priority: 'normal',
    verify: null,
    verified: false,
    checksFailed: 0,
    tokenBudget: null,
    tokensUsed: 0,
    timeBudgetMs: null,
    activeMs: 0,
    haltExpiry: null,
    seed: null,
    trust: 'ask',
    scheduleId: null,
    summary: null,
    createdAt: AT,
    updatedAt: AT,
    endedAt: null,
    archived: false,
    ...change,
  };
}

export function sessionOf(number: number, change: Partial<Session> = {}): Session {
  return {
    id: uuid(1000 + number),
    number,
    kind: 'chat',
    title: `session ${number}`,
    state: 'idle',
    preset: 'fast',
    autoContinue: true,
    confirmCommands: true,
    trust: 'ask',
    space: 'general',
    hostFolders: [],
    hosts: [],
    goalNumber: null,
    goalState: null,
    forkedFrom: null,
    turns: 0,
    archived: false,
    owner: 'ann',
    createdAt: AT,
    updatedAt: AT,
    ...change,
  };
}

export function decisionOf(number: number, change: Partial<Decision> = {}): Decision {
  return {
    id: uuid(2000 + number),
    number,
    sessionId: uuid(1001),
    kind: 'halt',
    goalId: uuid(1),
    goalNumber: 1,
    goalText: 'goal text 1',
    actionId: uuid(3000 + number),
    state: 'pending',
    reason: 'rm -rf',
    classification: {
      verdict: 'destructive',
      reason: 'rm -rf',
      ruleId: 'files.rm-recursive-force',
      span: [8, 20],
      by: 'rule',
    },
    action: 'cd x && rm -rf build',
    executionContext: null,
    difference: null,
    binding: null,
    request: null,
    stepNumber: 3,
    stepBudget: 16,
    context: 'Now I clean up.',
    verdict: null,
    message: null,
    answer: null,
    edited: null,
    granted: null,
    carried: false,
    expiresAt: null,
    expiryVerdict: null,
    decidedBy: null,
    createdAt: AT,
    decidedAt: null,
    ...change,
  };
}

export function eventOf(seq: number, body: EventBody, sessionId = uuid(1001)): SessionEvent {
  return { sessionId, seq, at: AT, body };
}

export function hostOf(name: string, over: Partial<Host> = {}): Host {
  return {
    name,
    address: `${name}.lan`,
    port: 22,
    user: 'aish',
    login: 'certificate',
    keys: [{ key: `ssh-ed25519 ${'A'.repeat(68)}`, fingerprint: 'SHA256:x' }],
    prelude: null,
    rollback: null,
    authorizedKeys: 'cert-authority,principals="aish-nas" ssh-ed25519 AAAA aish',
    createdBy: 'admin',
    createdAt: '2026-01-01T00:00:00.000Z',
    lastSeenAt: null,
    last: null,
    ...over,
  };
}
