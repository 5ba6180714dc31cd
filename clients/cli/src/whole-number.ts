import { InvalidArgumentError } from 'commander';

/** A number of things, from 1 on. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `2h` or `3d` as milliseconds. */
export function duration(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,6})([smhd])$/.exec(text) ?? [];
  const ms = UNITS[unit];
  if (count !== undefined && ms !== undefined) return Number(count) * ms;
  throw new InvalidArgumentError('It must be a time as 90s, 30m, 2h or 3d.');
}

/** The same where 0 stands for what is usual. */
export function wholeOrZero(text: string): number {
  return text === '0' ? 0 : wholeNumber(text);
}
