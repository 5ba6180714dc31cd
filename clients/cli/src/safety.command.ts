import { safetyApi } from '@aish/contracts/endpoints/decisions';
import { createInterface } from 'node:readline';
import { otherReasons } from '@aish/contracts/marked-text';
import { AishError } from '@aish/contracts/problems';
import type { Classification, SafetyCheck, SafetyRuleList } from '@aish/contracts/safety';
import type { RecordAnswer } from '@aish/safety';
import { commandPiece } from '@aish/views/entry.pieces';
import { markedLines } from '@aish/views/marked.lines';
import { span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { any, behaviour, flag } from './command.js';
import { EXIT } from '@aish/client/exit-codes';
import { writeJson, writeLines, type Io } from '@aish/client/io';

/** Exit codes of `aish safety check`. Scripts rely on them. */
const VERDICT_EXIT = { safe: EXIT.ok, destructive: 3, unknown: 4 } as const;

export const safetyPatterns = behaviour({
  options: { offline: flag('use the built-in rules, without server and configuration') },
  json: 'print JSON',
  examples: ['aish safety list', 'aish safety list --offline'],
  run: async ({ options, io, connect }) => {
    const list = options.offline ? await builtIn() : await connect().client.call(safetyApi.patterns, {}, io.signal);
    if (options.json) return writeJson(io, list);
    const width = Math.max(...list.items.map(({ id }) => id.length));
    writeLines(
      io,
      list.items.map((rule): Line => [
        span(`${oneLine(rule.id).padEnd(width)}  `, 'bold'),
        span(`${oneLine(rule.title)}: `),
        span(oneLine(rule.why), 'dim'),
      ]),
    );
  },
});

/** Loads the built-in rules lazily, because no other command needs them. */
async function builtIn(): Promise<SafetyRuleList> {
  const { RULES } = await import('@aish/safety');
  return { items: RULES.map(({ id, title, why, severity }) => ({ id, title, why, severity })) };
}

export const safetyCheck = behaviour({
  args: { command: any('the command, quoted or not') },
  takesAnyOption: true, // the options belong to the command that is checked
  options: {
    stdin: flag('read commands as JSON lines and write one result per line'),
    offline: flag('use the built-in rules only, without server and model'),
  },
  json: 'print JSON',
  examples: [
    'aish safety check rm -rf build',
    'aish safety check --offline --stdin < commands.jsonl',
    `echo '{"id":1,"cmd":"sed -i s/a/b/ f"}' | aish safety check --offline --stdin --json`,
  ],
  exits: { 0: 'safe; with --stdin: every line was read', 3: 'destructive', 4: 'unknown' },
  run: async ({ args, options, io, connect, exit }) => {
    // This module is loaded lazily, because no other command needs the shell parser.
    const rules = await import('@aish/safety');
    const ask = (check: SafetyCheck) => connect().client.call(safetyApi.check, { body: check }, io.signal);
    if (options.stdin) {
      return answerLines(io, async (line) =>
        options.offline ? rules.classifyRecord(line) : askServer(line, ask, rules),
      );
    }
    if (args.command.length === 0) throw new AishError('invalid_body', 'Give a command, or pass it with --stdin');
    const text = args.command.join(' ');
    const result = options.offline ? rules.classify(text) : await ask({ command: text });
    if (options.json) writeJson(io, result);
    else writeLines(io, linesOf(text, result));
    exit(VERDICT_EXIT[result.verdict]);
  },
});

/** Writes one result for each line, in order. */
async function answerLines(io: Io, answer: (line: string) => Promise<object>): Promise<void> {
  for await (const line of createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') writeJson(io, await answer(line), 0);
  }
}

/** Asks the server's gate, which also uses the configured rules and a second opinion. */
async function askServer(
  line: string,
  ask: (check: SafetyCheck) => Promise<Classification>,
  { readRecord, answerRecord }: typeof import('@aish/safety'),
): Promise<RecordAnswer> {
  const record = readRecord(line);
  if ('verdict' in record) return record;
  const check =
    record.kind === 'command' ? { command: record.command } : { tool: record.name, arguments: { ...record.args } };
  return answerRecord(record, await ask(check));
}

/** Shows a destructive command again with the destructive part marked. */
function linesOf(text: string, classification: Classification): readonly Line[] {
  const { verdict, reason, ruleId, excusedBy = [] } = classification;
  const style = verdict === 'safe' ? 'good' : verdict === 'destructive' ? 'bad' : 'warn';
  const verdictLine = [
    span(verdict, style),
    span(reason === null ? '' : `  ${oneLine(reason)}`),
    span(ruleId === null ? '' : `  (${oneLine(ruleId)})`, 'dim'),
  ];
  const more = [...otherReasons(classification), ...excusedBy.map((id) => `your rule ${id} allows part of it`)];
  const lines = [verdictLine, ...more.map((each) => [span(`  and: ${oneLine(each)}`, style)])];
  return verdict === 'safe'
    ? lines
    : [...lines, ...markedLines([commandPiece({ kind: 'command', command: text, classification })])];
}
