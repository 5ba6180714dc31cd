import type { GoalReport } from '@aish/database/schedules.repository';
import { visibleText } from '@aish/contracts/visible-text';

/** These values always change and are not news: days, times, durations, dates of tools. */
const MOMENTS = [
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b/gi,
  /\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* +\d{1,2}\b/gi,
  /\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\b/g,
  /\b\d+(?:\.\d+)? ?(?:ms|s|sec|secs|seconds|min|mins|minutes)\b/gi,
];
const OUTPUT_MAX_CHARS = 400;

/**
 * Returns whether a goal's report differs from the previous one: other words or numbers in its summary or in the output
 * of its check.
 */
export function differs(before: GoalReport, now: GoalReport): boolean {
  return factsOf(before) !== factsOf(now);
}

function factsOf({ summary, checked }: GoalReport): string {
  return JSON.stringify([facts(summary ?? ''), checked?.exitCode ?? null, facts(checked?.output ?? '')]);
}

function facts(text: string): string {
  const timeless = MOMENTS.reduce((left, moment) => left.replaceAll(moment, ''), text.toLowerCase());
  return timeless.replaceAll(/\s+/g, ' ').trim();
}

/** Returns the checks as Markdown. The list is empty if there were none. */
export function checkedLines({ checked }: GoalReport): readonly string[] {
  if (checked === null) return [];
  const { command, exitCode, output } = checked;
  const printed = visibleText(output.trim()).slice(0, OUTPUT_MAX_CHARS);
  const fence = printed.includes('```') ? '````' : '```';
  return [
    `Checked: \`${visibleText(command).replaceAll('`', "'")}\`, exit ${exitCode ?? '?'}`,
    ...(printed === '' ? [] : [fence, printed, fence]),
  ];
}
