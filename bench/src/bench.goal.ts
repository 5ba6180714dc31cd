import type { Goal } from '@aish/contracts/goals';

const AT = '2026-11-21T00:00:00.000Z';
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Returns a running goal, as the api would return it. */
export function benchGoal(number: number, stepsTaken: number): Goal {
  return {
    id: uuid(1_000 + number),
    number,
    sessionId: uuid(100_000 + number),
    text: `look after part ${number} of the homelab`,
    space: 'general',
    preset: 'fast',
    hostFolders: [],
    hosts: [],
    runbooks: [],
    state: 'running',
    reason: null,
    waitingFor: null,
    wakeAt: null,
    stepBudget: 256,
    stepsTaken: stepsTaken % 256,
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
  };
}
