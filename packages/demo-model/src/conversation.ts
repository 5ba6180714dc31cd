import type { ScriptedMessage } from './chat.body.js';

/** The result of one command, as the message to the model reports it. */
export type Result =
  | { readonly kind: 'ran'; readonly ended: string; readonly isSuccess: boolean; readonly lines: readonly string[] }
  | { readonly kind: 'skipped'; readonly note: string | null }
  | { readonly kind: 'lost' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Returns the goal: the person's part of the first message, without what aish puts before and after it. */
export function goalOf(messages: readonly ScriptedMessage[]): string {
  const first = messages.find((message) => message.role === 'user')?.content ?? '';
  const parts = first.split('\n\n').filter((part) => !/^\[(?:aish|background)\] /.test(part));
  return parts
    .join('\n\n')
    .replace(/^\s*GOAL:\s*/i, '')
    .trim();
}

/** Whether the model has already ended the goal. */
export function isOver(messages: readonly ScriptedMessage[]): boolean {
  return /^GOAL: /m.test(messages.findLast((message) => message.role === 'assistant')?.content ?? '');
}

/** Returns the commands in the model's last answer. Later messages contain their results. */
export function lastCommands(messages: readonly ScriptedMessage[]): readonly string[] {
  const last = messages.findLast((message) => message.role === 'assistant')?.content ?? '';
  return last.split('\n').flatMap((line) => /^CMD: (.+)$/.exec(line)?.[1] ?? []);
}

/** Returns the result of the last run of `command`; undefined if the messages do not contain it. */
export function resultOf(messages: readonly ScriptedMessage[], command: string): Result | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== 'user') continue;
    const result = resultIn(message.content.split('\n'), command);
    if (result !== undefined) return result;
  }
  return undefined;
}

function resultIn(lines: readonly string[], command: string): Result | undefined {
  const after = (heading: string): readonly string[] | undefined => {
    const at = lines.lastIndexOf(heading);
    return at < 0 ? undefined : lines.slice(at + 1);
  };
  const ran = after(`[exec] $ ${command}`);
  if (ran !== undefined) {
    const ended = ran[0] ?? '';
    const end = ran.findIndex((line, i) => i > 0 && !line.startsWith('| '));
    const printed = ran.slice(1, end < 0 ? undefined : end).map((line) => line.slice(2));
    return { kind: 'ran', ended, isSuccess: ended === 'exit code 0', lines: printed };
  }
  const skipped = after(`[aish] action skipped by user: ${command}`);
  if (skipped !== undefined) return { kind: 'skipped', note: noteIn(skipped) };
  const notThisWay = after(`[aish] action not run: ${command}`);
  if (notThisWay !== undefined) return { kind: 'skipped', note: noteIn(notThisWay.slice(1)) };
  if (after(`[aish] result lost: ${command}`) !== undefined) return { kind: 'lost' };
  const refused = after(`[aish] action refused: ${command}`);
  if (refused !== undefined) return { kind: 'refused', reason: noteIn(refused) ?? 'without a reason' };
  return undefined;
}

function noteIn(lines: readonly string[]): string | null {
  const line = lines[0]?.trim() ?? '';
  return line === '' || line.startsWith('[') ? null : line;
}
