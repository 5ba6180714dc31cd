import { visibleText } from '@aish/contracts/visible-text';
import { z } from 'zod';
import { FACTS, PROBES, type AnyFact, type Probe, type Reading } from './facts.js';

const OUTPUT_MAX_CHARS = 1_048_576;
const LINE_MAX_CHARS = 4_096;
const FACTS_MAX = 5_000;
const REASONS_MAX = 8;

const Line = z.looseObject({
  probe: z.enum(PROBES),
  name: z.string().min(1).max(600).optional(),
  skipped: z.string().max(600).optional(),
  done: z.literal(true).optional(),
});

interface Draft {
  readonly facts: Map<string, AnyFact>;
  readonly skipped: Set<string>;
  nonsense: number;
  done: boolean;
}

/**
 * Reads the output of a host as facts. The output is data from somebody else's machine, so this never throws for any
 * input. Lines that are not facts of their probe are counted.
 *
 * @param cut why the output is incomplete; null if it is complete. Each probe that had not finished reports this.
 */
export function readFacts(output: string, cut: string | null = null): readonly Reading[] {
  const drafts = new Map<Probe, Draft>();
  let stray = 0;
  // Half a line is neither a fact nor nonsense of the host.
  const lines = output
    .slice(0, OUTPUT_MAX_CHARS)
    .split('\n')
    .slice(0, cut === null ? undefined : -1);
  for (const text of lines) {
    if (text.trim() === '') continue;
    const line = text.length > LINE_MAX_CHARS ? null : parseLine(text);
    if (line === null) {
      stray += 1;
      continue;
    }
    const draft = drafts.get(line.probe) ?? newDraft();
    drafts.set(line.probe, draft);
    take(draft, line);
  }
  if (cut !== null) {
    for (const probe of PROBES) {
      const draft = drafts.get(probe) ?? newDraft();
      drafts.set(probe, draft);
      if (!draft.done) draft.skipped.add(cut);
    }
  }
  // Lines of unknown probes count as nonsense of `system`, because this probe always has output.
  if (stray > 0) {
    const draft = drafts.get('system') ?? newDraft();
    drafts.set('system', { ...draft, nonsense: draft.nonsense + stray });
  }
  return [...drafts].map(([probe, { facts, skipped, nonsense, done }]) => ({
    probe,
    facts: [...facts.values()],
    skipped: [...skipped],
    nonsense,
    done: done && skipped.size === 0,
    cut: !done,
  }));
}

const newDraft = (): Draft => ({ facts: new Map(), skipped: new Set(), nonsense: 0, done: false });

function take(draft: Draft, line: z.infer<typeof Line>): void {
  if (line.done === true) draft.done = true;
  else if (line.skipped !== undefined) {
    if (draft.skipped.size < REASONS_MAX) draft.skipped.add(visibleText(line.skipped));
  } else {
    const name = line.name === undefined ? undefined : visibleText(line.name);
    const values = FACTS[line.probe].safeParse(clean(line));
    if (name === undefined || !values.success || draft.facts.size >= FACTS_MAX) draft.nonsense += 1;
    // The later of two facts with one name counts, because a network file system first reports that it has not answered
    // yet.
    else draft.facts.set(name, factOf(line.probe, name, values.data));
  }
}

/**
 * Makes a fact. The schema of a probe determines the type of its values, but the compiler cannot follow that through a
 * table.
 */
function factOf(probe: Probe, name: string, values: AnyFact['values']): AnyFact {
  const fact = { probe, name, values };
  return fact as AnyFact;
}

function clean(line: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(line).map(([key, value]) => [key, typeof value === 'string' ? visibleText(value) : value]),
  );
}

function parseLine(text: string): z.infer<typeof Line> | null {
  try {
    return Line.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

const Kept = z.object({
  probe: z.enum(PROBES),
  facts: z.array(z.object({ name: z.string(), values: z.record(z.string(), z.unknown()) })),
  skipped: z.array(z.string()),
  nonsense: z.number(),
  done: z.boolean(),
  cut: z.boolean().default(false),
});

/**
 * Parses a stored reading. The result is empty if its probe no longer exists, and it omits facts whose format has
 * changed.
 */
export function parseReading(value: unknown): readonly Reading[] {
  const kept = Kept.safeParse(value).data;
  if (kept === undefined) return [];
  const facts = kept.facts.flatMap(({ name, values }) => {
    const read = FACTS[kept.probe].safeParse(values);
    return read.success ? [factOf(kept.probe, name, read.data)] : [];
  });
  return [{ ...kept, facts }];
}
