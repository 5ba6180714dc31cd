import { readDuration } from '@aish/views/duration.format';
import { InvalidArgumentError } from 'commander';

/** A number of things, from 1 on. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}

/** `90s`, `30m`, `2h` or `3d` as milliseconds. */
export function duration(text: string): number {
  const ms = readDuration(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('It must be a time as 90s, 30m, 2h or 3d.');
}

/** The same where 0 stands for what is usual. */
export function wholeOrZero(text: string): number {
  return text === '0' ? 0 : wholeNumber(text);
}
