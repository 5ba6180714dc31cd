import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Decision, DecisionList } from '@aish/contracts/decisions';
import { Goal, GoalDetail } from '@aish/contracts/goals';
import { z } from 'zod';
import { verifies } from '../requirements.js';
import { aish, type CommandResult } from '../support/aish.command.js';
import { plan, plans } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';
import { ROOT } from '../support/service.process.js';
import { eventually } from '../support/eventually.js';
import { Terminal } from '../support/terminal.js';

/** Each shell without user settings, and the way in which a person enables completion. */
const SHELLS = {
  bash: { start: 'bash --norc --noprofile', source: 'source <(aish completion bash)', listed: /^\d+ +\d+/m },
  zsh: {
    start: 'zsh -f',
    source: 'autoload -Uz compinit && compinit -u -D && source <(aish completion zsh)',
    listed: /^\d.* -- done: easy/m,
  },
  fish: { start: 'fish --no-config', source: 'aish completion fish | source', listed: /^\d+ +\(done: easy/m },
} as const;

describe('aish in scripts', () => {
  const running = scriptedStack(
    plans({
      easy: plan('CMD: echo hi', 'GOAL: complete\nsaid hi'),
      hard: plan('CMD: rm -rf x', 'GOAL: complete'),
      hopeless: plan('GOAL: blocked no way'),
      asked: plan('Just words.\n\nAnd more.'),
    }),
  );

  const run = (...args: string[]): Promise<CommandResult> =>
    aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, args);

  it(
    verifies('cli.scripts', 'a watched goal that is done exits with 0 and prints its steps'),
    async () => {
      const { code, stdout, stderr } = await run('norris', 'easy', '--watch');
      expect([code, stderr]).toEqual([0, '']);
      for (const part of ['$ echo hi', 'hi', 'exit 0', 'done', 'said hi']) expect(stdout).toContain(part);
      expect(stdout).not.toContain('\x1b');
    },
    60_000,
  );

  it(
    verifies(
      'cli.scripts',
      'a watched goal that ends in another way exits with 5, and one that halts exits with 6 and says how to decide',
    ),
    async () => {
      expect((await run('norris', 'hopeless', '--watch')).code).toBe(5);
      const halted = await run('norris', 'hard', '--watch');
      expect(halted.code).toBe(6);
      const how = /aish decide (d\d+) proceed/.exec(halted.stdout + halted.stderr);
      expect(how).not.toBeNull();
      const decided = await run('decide', String(how?.[1]), 'skip', '--message', 'keep it', '--json');
      expect(Decision.parse(JSON.parse(decided.stdout))).toMatchObject({ verdict: 'skip', message: 'keep it' });
      const again = await run('decide', String(how?.[1]), 'proceed');
      expect(again.code).toBe(1);
      expect(again.stderr).toContain('decision_taken');
    },
    60_000,
  );

  it(
    verifies('cli.scripts', 'the output of a watched command has the gutter, and an answer for a program has none'),
    async () => {
      expect((await run('norris', 'easy', '--watch')).stdout).toMatch(/^ {4}│ hi\n {4}exit 0 · /m);
      expect((await run('ask', 'asked')).stdout).toBe('Just words.\n\nAnd more.\n');
    },
    60_000,
  );

  it(
    verifies('verdict.prompt', 'p and Enter proceed at a terminal, yes is not an answer, and abort needs confirmation'),
    async () => {
      const { client, dir } = running.stack;
      const env = { AISH_URL: client.url, AISH_TOKEN_FILE: join(dir, 'token') };
      const watch = async (typed: (terminal: Terminal) => Promise<void>): Promise<string> => {
        const goal = await client.createGoal('hard');
        const { number } = await client.decisionOf(goal.id);
        const terminal = await Terminal.open(
          `${process.execPath} ${ROOT}clients/cli/bin/aish.mjs watch ${goal.number}`,
          { env },
        );
        try {
          await terminal.shows('[p/s/n/a]');
          await new Promise((resolve) => setTimeout(resolve, 700));
          await typed(terminal);
          const { verdict } = await eventually('it is decided', async () => {
            const decision = await client.json(Decision, 'GET', `/v1/decisions/d${number}`);
            return decision.state === 'pending' ? null : decision;
          });
          return String(verdict);
        } finally {
          await terminal.close();
        }
      };
      expect(await watch((terminal) => terminal.submit('p'))).toBe('proceed');
      const other = watch(async (terminal) => {
        await terminal.submit('yes');
        await terminal.shows('“yes” is not an answer: p proceeds, s skips, n is not this way, a aborts');
        await terminal.press('Enter');
        await terminal.shows('Enter alone is not an answer');
        await new Promise((resolve) => setTimeout(resolve, 600));
        await terminal.submit('a');
        await terminal.shows('press a again to abort, or give another answer');
        await new Promise((resolve) => setTimeout(resolve, 600));
        await terminal.submit('a');
      });
      expect(await other).toBe('abort');
    },
    90_000,
  );

  it(
    verifies('cli.scripts', 'every --json output matches the contracts'),
    async () => {
      const goal = Goal.parse(JSON.parse((await run('norris', 'easy', '--json')).stdout));
      await running.stack.client.until(goal.id, 'done');
      const goals = JSON.parse((await run('goals', '--json')).stdout);
      expect(z.array(Goal).parse(Array.isArray(goals) ? goals : goals.items).length).toBeGreaterThan(0);
      expect(GoalDetail.parse(JSON.parse((await run('show', String(goal.number), '--json')).stdout)).id).toBe(goal.id);
      const decisions = JSON.parse((await run('decisions', '--json')).stdout);
      expect(DecisionList.parse(Array.isArray(decisions) ? { items: decisions } : decisions)).toBeDefined();
      const watched = (await run('norris', 'easy', '--watch', '--json')).stdout.trim().split('\n');
      expect(watched.length).toBeGreaterThan(3);
      for (const line of watched) expect(() => JSON.parse(line)).not.toThrow();
    },
    60_000,
  );

  it(
    verifies('cli.scripts', 'wrong usage, no server and a wrong token have different exit codes'),
    async () => {
      expect((await run('frobnicate')).code).toBe(2);
      expect((await run('show', '424242')).code).toBe(1);
      expect(
        (await aish({ url: 'http://127.0.0.1:9', tokenFile: join(running.stack.dir, 'token') }, ['goals'])).code,
      ).toBe(3);
      expect((await aish({ url: running.stack.client.url, tokenFile: '/dev/null' }, ['goals'])).code).toBe(4);
    },
    60_000,
  );

  it('aish reads a goal from standard input', async () => {
    const { code, stdout } = await aish(
      { url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') },
      ['norris', '-', '--json'],
      'easy,\nfrom a pipe\n',
    );
    expect(code).toBe(0);
    expect(Goal.parse(JSON.parse(stdout)).text).toBe('easy,\nfrom a pipe');
  }, 60_000);

  it.each(Object.entries(SHELLS))(
    verifies('cli.completion', 'the shell %s completes commands, options, their values, and data from the server'),
    async (_name, { start, source, listed }) => {
      const { client, dir } = running.stack;
      for (const text of ['easy', 'easy too']) await client.until((await client.createGoal(text)).id, 'done');
      const bin = await mkdtemp(join(tmpdir(), 'aish-completion-'));
      await symlink(`${ROOT}clients/cli/bin/aish.mjs`, join(bin, 'aish'));
      const terminal = await Terminal.open(start, {
        width: 120,
        env: {
          PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
          HOME: bin,
          AISH_URL: client.url,
          AISH_TOKEN_FILE: join(dir, 'token'),
        },
      });
      try {
        await terminal.submit(`${source}; echo rea''dy`);
        await terminal.shows(/^ready$/m);
        for (const [typed, shown] of [
          ['aish goal li', 'aish goal list'],
          ['--sta', 'aish goal list --state'],
          ['hal', 'aish goal list --state halted'],
        ] as const) {
          await terminal.type(typed);
          await terminal.press('Tab');
          expect(await terminal.shows(shown)).toContain(shown);
        }
        // If a shell is still computing completions, Ctrl-C ends only the completions, not the line.
        await eventually('the line is given up', async () => {
          await terminal.press('C-c');
          return !/halted\s*$/.test((await terminal.screen()).trimEnd());
        });
        await terminal.type('aish show ');
        await terminal.press('Tab', 'Tab');
        expect(await terminal.shows(listed)).toMatch(listed);
      } finally {
        await terminal.close();
        await rm(bin, { recursive: true, maxRetries: 10 }); // the shell writes its history when it ends
      }
    },
    90_000,
  );
});
