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

/** `aish safety check` ends with these; scripts rely on them. */
const VERDICT_EXIT = { safe: EXIT.ok, destructive: 3, unknown: 4 } as const;

export const safetyPatterns = behaviour({
  options: { offline: flag('the built-in rules: no server, no rules of the configuration') },
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

/** Loaded only where it is asked for: no other command needs the rules. */
async function builtIn(): Promise<SafetyRuleList> {
  const { RULES } = await import('@aish/safety');
  return { items: RULES.map(({ id, title, why, severity }) => ({ id, title, why, severity })) };
}

export const safetyCheck = behaviour({
  args: { command: any('the command, quoted or not') },
  takesAnyOption: true, // options of the command that is asked about
  options: {
    stdin: flag('read JSON lines, write one answer per line: verdict, asks, after, reason, ruleId'),
    offline: flag('the rules alone: no server, no second opinion, no rules of the configuration'),
  },
  json: 'print JSON',
  examples: [
    'aish safety check rm -rf build',
    'aish safety check --offline --stdin < commands.jsonl',
    `echo '{"id":1,"cmd":"sed -i s/a/b/ f"}' | aish safety check --offline --stdin --json`,
  ],
  exits: { 0: 'safe; with --stdin: every line was read', 3: 'destructive', 4: 'unknown' },
  run: async ({ args, options, io, connect, exit }) => {
    // Loaded only here: no other command needs the shell parser.
    const rules = await import('@aish/safety');
    const ask = (check: SafetyCheck) => connect().client.call(safetyApi.check, { body: check }, io.signal);
    if (options.stdin) {
      return answerLines(io, async (line) =>
        options.offline ? rules.classifyRecord(line) : askServer(line, ask, rules),
      );
    }
    if (args.command.length === 0) throw new AishError('invalid_body', 'Give a command, or --stdin');
    const text = args.command.join(' ');
    const result = options.offline ? rules.classify(text) : await ask({ command: text });
    if (options.json) writeJson(io, result);
    else writeLines(io, linesOf(text, result));
    exit(VERDICT_EXIT[result.verdict]);
  },
});

/** One answer for each line, in order. */
async function answerLines(io: Io, answer: (line: string) => Promise<object>): Promise<void> {
  for await (const line of createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') writeJson(io, await answer(line), 0);
  }
}

/** The answer of the server's gate, with its second opinion and the rules of its configuration. */
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

/** A destructive command is shown again, with the part that makes it so marked. */
function linesOf(text: string, classification: Classification): readonly Line[] {
  const { verdict, reason, ruleId, excusedBy = [] } = classification;
  const style = verdict === 'safe' ? 'good' : verdict === 'destructive' ? 'bad' : 'warn';
  const said = [
    span(verdict, style),
    span(reason === null ? '' : `  ${oneLine(reason)}`),
    span(ruleId === null ? '' : `  (${oneLine(ruleId)})`, 'dim'),
  ];
  const more = [...otherReasons(classification), ...excusedBy.map((id) => `your rule ${id} excuses a part of it`)];
  const lines = [said, ...more.map((each) => [span(`  and: ${oneLine(each)}`, style)])];
  return verdict === 'safe'
    ? lines
    : [...lines, ...markedLines([commandPiece({ kind: 'command', command: text, classification })])];
}
