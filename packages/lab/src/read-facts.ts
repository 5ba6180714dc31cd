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
 * The output of a host as facts. It is data from somebody else's machine, so this never throws for any input. When a
 * probe printed something other than its facts, that is counted.
 */
export function readFacts(output: string): readonly Reading[] {
  const drafts = new Map<Probe, Draft>();
  let stray = 0;
  for (const text of output.slice(0, OUTPUT_MAX_CHARS).split('\n')) {
    if (text.trim() === '') continue;
    const line = text.length > LINE_MAX_CHARS ? null : parseLine(text);
    if (line === null) {
      stray += 1;
      continue;
    }
    const draft = drafts.get(line.probe) ?? { facts: new Map(), skipped: new Set(), nonsense: 0, done: false };
    drafts.set(line.probe, draft);
    take(draft, line);
  }
  // Lines of no probe that anybody knows are the system's: it is the one that always has something to say.
  if (stray > 0) {
    const draft = drafts.get('system') ?? { facts: new Map(), skipped: new Set(), nonsense: 0, done: false };
    drafts.set('system', { ...draft, nonsense: draft.nonsense + stray });
  }
  return [...drafts].map(([probe, { facts, skipped, nonsense, done }]) => ({
    probe,
    facts: [...facts.values()],
    skipped: [...skipped],
    nonsense,
    done: done && skipped.size === 0,
  }));
}

function take(draft: Draft, line: z.infer<typeof Line>): void {
  if (line.done === true) draft.done = true;
  else if (line.skipped !== undefined) {
    if (draft.skipped.size < REASONS_MAX) draft.skipped.add(visibleText(line.skipped));
  } else {
    const name = line.name === undefined ? undefined : visibleText(line.name);
    const values = FACTS[line.probe].safeParse(clean(line));
    if (name === undefined || !values.success || draft.facts.size >= FACTS_MAX) draft.nonsense += 1;
    // Of two facts of one name the later counts: a file system of the network first says that it has not answered yet.
    else draft.facts.set(name, factOf(line.probe, name, values.data));
  }
}

/** The schema of a probe is what tells its values; the compiler cannot follow that through a table. */
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
});

/** A reading that was kept: none if its probe is no longer there, without facts that are now made otherwise. */
export function parseReading(value: unknown): readonly Reading[] {
  const kept = Kept.safeParse(value).data;
  if (kept === undefined) return [];
  const facts = kept.facts.flatMap(({ name, values }) => {
    const read = FACTS[kept.probe].safeParse(values);
    return read.success ? [factOf(kept.probe, name, read.data)] : [];
  });
  return [{ ...kept, facts }];
}
