import { readDuration } from '@aish/views/duration.format';
import { InvalidArgumentError } from 'commander';

/** Reads a count, starting at 1. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

/** Reads `90s`, `30m`, `2h` or `3d`, and returns milliseconds. */
export function duration(text: string): number {
  const ms = readDuration(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('It must be a time such as 90s, 30m, 2h or 3d.');
}

/** Like `wholeNumber`, but 0 stands for the default. */
export function wholeOrZero(text: string): number {
  return text === '0' ? 0 : wholeNumber(text);
}
