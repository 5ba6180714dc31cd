import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Terminal } from '@aish/tests/support/terminal';
import type { Benchmark, Figures } from './benchmark.js';
import { benchGoal } from './bench.goal.js';
import { pssMb } from './pseudo.terminal.js';
import { startScriptedApi, type ScriptedApi } from './scripted.api.js';
import { now, percentile } from './statistics.js';

const MESSAGES = 10_000;
const GOALS = 200;
const CUTS = 50;
/** Messages that one screen of 50 rows shows whole. */
const BATCH = 8;
/** By then the timeline holds as much as it ever does. */
const FULL_AFTER = 0.4;
const TIMEOUT_MS = 30_000;

const bundle = fileURLToPath(new URL('../../clients/tui/bundle/aish.mjs', import.meta.url));

/** A long day in one terminal UI, without the pauses. */
export const benchmark: Benchmark = {
  name: 'day',
  about:
    `--count messages (default ${MESSAGES}) with an answer each, ${GOALS} goals and ${CUTS} cut connections in one terminal UI in tmux, ` +
    '200×50, against a scripted api. Every line is read off the screen: the digest of what was shown against that of what was ' +
    `sent. Memory at the end against that after ${FULL_AFTER * 100} % of it.`,
  goals: {
    lost_lines: { op: '<=', value: 0 },
    same_digest: { op: '>=', value: 1 },
    growth_ratio: { op: '<=', value: 1.2 },
  },
  async run(progress, { count = MESSAGES } = {}) {
    execFileSync(process.execPath, [fileURLToPath(new URL('../../clients/tui/bundle.mjs', import.meta.url))]);
    const home = mkdtempSync(join(tmpdir(), 'aish-bench-day-'));
    writeFileSync(join(home, 'token'), 'aish_bench', { mode: 0o600 });
    const api = await startScriptedApi();
    const env = { HOME: home, AISH_URL: api.url, AISH_TOKEN_FILE: join(home, 'token') };
    const ui = await Terminal.open(`${process.execPath} ${bundle}`, { width: 200, height: 50, env });
    try {
      await ui.shows('online');
      await ui.submit('go');
      await ui.shows('› go');
      return await live(ui, api, count, progress);
    } finally {
      await ui.close();
      await api.close();
      rmSync(home, { recursive: true, force: true });
    }
  },
};

async function live(ui: Terminal, api: ScriptedApi, count: number, progress: (line: string) => void): Promise<Figures> {
  const pid = childOf(Number(await ui.fact('pane_pid')));
  const sent: string[] = [];
  const shown = new Shown();
  const batches: number[] = [];
  const every = (share: number): number => Math.max(BATCH, Math.floor(count / share / BATCH) * BATCH);
  let goals = 0;
  let cuts = 0;
  let early = 0;
  const began = now();
  for (let n = 0; n < count; n += BATCH) {
    if (n % every(CUTS) === 0 && n > 0) {
      api.cut();
      cuts += 1;
    }
    if (n % every(GOALS) === 0) {
      goals += 1;
      api.goals(Array.from({ length: goals }, (_, at) => benchGoal(goals - at, n)));
    }
    const at = now();
    for (let k = n; k < Math.min(count, n + BATCH); k += 1) sent.push(...exchange(api, k));
    await shown.wait(ui, sent.at(-1) ?? '');
    batches.push(now() - at);
    if (early === 0 && n >= count * FULL_AFTER) early = pssMb(pid);
    if (n % every(10) === 0) progress(`${n} messages, ${Math.round(pssMb(pid))} MB`);
  }
  await ui.press('F2');
  await ui.shows(`GOALS ${goals}`);
  const late = pssMb(pid);
  return {
    messages: count,
    goals,
    cuts,
    seconds: (now() - began) / 1_000,
    batch_shown_p50_ms: percentile(batches, 0.5),
    batch_shown_p95_ms: percentile(batches, 0.95),
    lost_lines: sent.filter((line) => !shown.has(line)).length,
    same_digest: digest(sent) === digest(shown.lines) ? 1 : 0,
    early_pss_mb: early,
    late_pss_mb: late,
    growth_ratio: late / early,
  };
}

/** What has stood on the screen, each line once, in order. */
class Shown {
  readonly lines: string[] = [];
  private readonly known = new Set<string>();

  has(line: string): boolean {
    return this.known.has(line);
  }

  async wait(ui: Terminal, last: string): Promise<void> {
    const began = now();
    while (!this.known.has(last)) {
      if (now() - began > TIMEOUT_MS) throw new Error(`the screen does not show ${last}`);
      for (const [line] of (await ui.screen()).matchAll(/[qa]\d+ [0-9a-f]{16}/g)) {
        if (this.known.has(line)) continue;
        this.known.add(line);
        this.lines.push(line);
      }
    }
  }
}

/** @returns the lines of it that have to be seen. */
function exchange(api: ScriptedApi, n: number): readonly string[] {
  const [question, answer] = [`q${n} ${digest([`q${n}`]).slice(0, 16)}`, `a${n} ${digest([`a${n}`]).slice(0, 16)}`];
  const at = { exchange: n + 1, step: 1 } as const;
  api.happen({ type: 'message.received', exchange: n + 1, turn: n + 1, text: question, by: 'bench' });
  api.happen({ type: 'answer.started', ...at, preset: 'fast', fallbackFrom: null });
  for (const word of answer.split(' ')) api.live({ type: 'answer.delta', ...at, text: `${word} ` });
  api.happen({
    type: 'answer.ended',
    ...at,
    turn: null,
    text: answer,
    reasoning: '',
    toolCalls: [],
    end: 'whole',
    preset: 'fast',
    fallbackFrom: null,
    model: 'bench',
    usage: null,
    firstWordMs: 1,
    totalMs: 1,
    notes: [],
  });
  return [question, answer];
}

function digest(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

function childOf(parent: number): number {
  return Number(
    execFileSync('pgrep', ['-P', String(parent)], { encoding: 'utf8' })
      .trim()
      .split('\n')[0],
  );
}
