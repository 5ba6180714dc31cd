import { readFileSync } from 'node:fs';

/** The labelled sets of `packages/safety/corpus`, in the order in which they were written. */
export const CORPUS_SETS = [
  'corpus',
  'holdout',
  'mixed',
  'lines',
  'tricks',
  'families',
  'mainstream',
  'rare',
  'fresh',
  'again',
  'manuals',
  'runbooks',
  'corners',
  'daily',
  'household',
  'agents',
  'adversary',
  'history',
  'acceptance',
] as const;

export type CorpusSet = (typeof CORPUS_SETS)[number];

/** A person's label of a command or call, by the definition in docs/safety-rules.md. */
export type Label = 'destructive' | 'safe';

export interface LabelledCommand {
  readonly cmd: string;
  readonly label: Label;
  readonly class: string;
}

export interface LabelledCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly label: Label;
}

/** Returns the labelled commands of one set. */
export function labelledCommands(set: CorpusSet): readonly LabelledCommand[] {
  return linesOf(set) as readonly LabelledCommand[];
}

/** Returns the labelled tool calls. */
export function labelledCalls(): readonly LabelledCall[] {
  return linesOf('tool-calls') as readonly LabelledCall[];
}

// The path is the same from src and from dist, which contains the compiled file.
function linesOf(name: string): readonly unknown[] {
  return readFileSync(new URL(`../../corpus/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
