import { createInterface } from 'node:readline';
import { AishError, type Classification, type SafetyCheck } from '@aish/contracts';
import type { Command } from 'commander';
import { span, type Line } from '../text/line.js';
import { oneLine } from '../text/sanitise.js';
import { connect, type Context } from './context.js';
import { EXIT } from './exit-codes.js';
import { writeJson, writeLines, type Io } from './io.js';

/** `aish safety check` ends with these; scripts rely on them. */
const VERDICT_EXIT = { safe: EXIT.ok, destructive: 3, unknown: 4 } as const;

interface CheckOptions {
  readonly stdin?: true;
  readonly json?: true;
  readonly offline?: true;
}

type Judge = (check: SafetyCheck) => Promise<Classification>;

export function addSafetyCommand(program: Command, context: Context): void {
  const safety = program.command('safety').description('what the safety gate stops, and what it says about a command');
  safety
    .command('patterns')
    .description('list the rules that stop a command')
    .option('--json', 'print the api’s answer')
    .action(async (options: { json?: true }, command: Command) => {
      const list = await connect(command, context).client.safetyPatterns(context.io.signal);
      if (options.json) return writeJson(context.io, list);
      const width = Math.max(...list.items.map(({ id }) => id.length));
      writeLines(
        context.io,
        list.items.map((rule): Line => [
          span(`${oneLine(rule.id).padEnd(width)}  `, 'bold'),
          span(`${oneLine(rule.title)}: `),
          span(oneLine(rule.why), 'dim'),
        ]),
      );
    });
  safety
    .command('check')
    .description('say whether a command is destructive, without running it')
    .argument('[command...]', 'the command, quoted or not')
    .option('--stdin', 'read JSON lines {"id","cmd"} or {"id","name","args"}, write {"id","verdict","reason","ruleId"}')
    .option('--json', 'print JSON')
    .option('--offline', 'the rules alone: no server, no second opinion, no rules of the configuration')
    .addHelpText('after', '\nExit codes: 0 safe, 3 destructive, 4 unknown; with --stdin 0 when every line was read.')
    .action(async (words: string[], options: CheckOptions, command: Command) => {
      const judge = options.offline ? await offlineJudge() : onlineJudge(command, context);
      if (options.stdin) return checkLines(context.io, judge);
      if (words.length === 0) throw new AishError('invalid_body', 'Give a command, or --stdin');
      const result = await judge({ command: words.join(' ') });
      if (options.json) writeJson(context.io, result);
      else writeLines(context.io, [lineOf(words.join(' '), result)]);
      context.exit(VERDICT_EXIT[result.verdict]);
    });
}

function onlineJudge(command: Command, context: Context): Judge {
  const { client } = connect(command, context);
  return (check) => client.checkSafety(check, context.io.signal);
}

/** Loaded only here: no other command needs the shell parser. */
async function offlineJudge(): Promise<Judge> {
  const { classify, classifyToolCall } = await import('@aish/safety');
  return async (check) =>
    'command' in check ? classify(check.command) : classifyToolCall({ name: check.tool, args: check.arguments });
}

/** One answer for each line, in order. A line that is no such record is answered `unknown`, and said so. */
async function checkLines(io: Io, judge: Judge): Promise<void> {
  const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const { id, check } = readRecord(line);
    const result = check === null ? null : await judge(check);
    writeJson(
      io,
      result === null
        ? { id, verdict: 'unknown', reason: 'not a JSON record with cmd, or with name and args', ruleId: null }
        : { id, verdict: result.verdict, reason: result.reason, ruleId: result.ruleId },
      0,
    );
  }
}

function readRecord(line: string): { id: unknown; check: SafetyCheck | null } {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return { id: null, check: null };
  }
  if (typeof record !== 'object' || record === null) return { id: null, check: null };
  const { id = null, cmd, name, args } = record as Record<string, unknown>;
  if (typeof cmd === 'string') return { id, check: { command: cmd } };
  if (typeof name !== 'string') return { id, check: null };
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args);
  return { id, check: { tool: name, arguments: isObject ? (args as Record<string, unknown>) : { value: args } } };
}

function lineOf(command: string, { verdict, reason, ruleId, span: guilty }: Classification): Line {
  const style = verdict === 'safe' ? 'good' : verdict === 'destructive' ? 'bad' : 'warn';
  const part = guilty === null ? '' : `  at: ${oneLine(command.slice(guilty[0], guilty[1]))}`;
  return [
    span(verdict, style),
    span(reason === null ? '' : `  ${oneLine(reason)}`),
    span(ruleId === null ? '' : `  (${oneLine(ruleId)})`, 'dim'),
    span(part, 'dim'),
  ];
}
