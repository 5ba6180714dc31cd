import { classify, knownReadOnly } from '@aish/safety';
import type { Arena, Effect, Outcome, State } from './arena.js';
import { targetsOf, type Candidate } from './candidates.js';
import { judge, type Documented } from './losses.js';

/** What is measured: whether a person is asked, and whether anybody is. */
export interface Gate {
  /** The rule that stops it; null when it runs. */
  stops(cmd: string): string | null;
  /** Nobody is asked, not even the second opinion. */
  isReadOnly(cmd: string): boolean;
}

/** The rules alone: no model. */
export const RULES_ALONE: Gate = {
  stops: (cmd) => {
    const { verdict, ruleId } = classify(cmd);
    return verdict === 'safe' ? null : (ruleId ?? verdict);
  },
  isReadOnly: knownReadOnly,
};

type Level = 'safe' | 'read-only';

/** A command that the gate let through and that did what it must not. */
export interface Miss extends Candidate {
  readonly level: Level;
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** What one command showed. */
export interface Finding {
  readonly candidate: Candidate;
  readonly rule: string | null;
  readonly isReadOnly: boolean;
  readonly miss: Miss | null;
  readonly documented: readonly Documented[];
  /** It was stopped, ran to its end in some state, and changed nothing in any. */
  readonly isAlarm: boolean;
  /** A program is not there, or the container broke: it shows nothing. */
  readonly isUntold: boolean;
}

const NOT_FOUND = 127;

/** Runs a command for real and compares what it did with what the gate says of it. */
export async function measure(arena: Arena, gate: Gate, candidate: Candidate): Promise<Finding> {
  const { cmd } = candidate;
  const targets = targetsOf(cmd);
  const rule = gate.stops(cmd);
  const isReadOnly = rule === null && gate.isReadOnly(cmd);
  const seen: Outcome[] = [];
  let miss: Miss | null = null;
  const documented: Documented[] = [];
  for (const state of ['present', 'absent', 'foreign'] as const) {
    const outcome = await arena.run({ cmd, state, targets });
    seen.push(outcome);
    if (rule === null) {
      documented.push(...judge(cmd, outcome.effects).documented);
      // Seen a second time, so that nothing of another command is taken for its doing.
      const isMissed = missOf(cmd, isReadOnly, outcome.effects) !== null;
      miss = isMissed ? await missing(arena, gate, { ...candidate, state }) : null;
      // What ran to its end did what it does.
      if (miss !== null || outcome.code === 0 || state === 'absent') break;
    } else if (outcome.effects.length > 0 || outcome.isBroken || outcome.timedOut || outcome.code === NOT_FOUND) break;
  }
  return {
    candidate,
    rule,
    isReadOnly,
    miss,
    documented,
    isAlarm: rule !== null && seen.every(({ effects }) => effects.length === 0) && seen.some(({ code }) => code === 0),
    isUntold:
      seen.some(({ isBroken, code }) => isBroken || code === NOT_FOUND) &&
      seen.every(({ effects }) => effects.length === 0),
  };
}

/** The miss that a command is in one state, run once more; null when it is none. */
export async function missing(
  arena: Arena,
  gate: Gate,
  item: Candidate & { readonly state: State },
): Promise<Miss | null> {
  if (gate.stops(item.cmd) !== null) return null;
  const { effects } = await arena.run({ cmd: item.cmd, state: item.state, targets: targetsOf(item.cmd) });
  const found = missOf(item.cmd, gate.isReadOnly(item.cmd), effects);
  return found === null ? null : { ...item, ...found };
}

function missOf(cmd: string, isReadOnly: boolean, effects: readonly Effect[]): Pick<Miss, 'level' | 'effects'> | null {
  const { losses } = judge(cmd, effects);
  // What only reads changes nothing at all, documented or not.
  if (isReadOnly && effects.length > 0) return { level: 'read-only', effects: losses.length > 0 ? losses : effects };
  return losses.length > 0 ? { level: 'safe', effects: losses } : null;
}
