import { formatSize } from '@aish/contracts/effect-lines';
import { oneLine } from './sanitise.js';

type Values = Readonly<Record<string, string | number | null>>;

/** Fields of facts with these units. All other fields are shown in the host's form. */
const KILOBYTES = new Set(['kb', 'used', 'free', 'MemTotal', 'MemAvailable', 'SwapTotal', 'SwapFree']);
const BYTES = new Set(['bytes', 'median']);
const EPOCH_SECONDS = new Set(['newest', 'now']);
const FLAGS = new Set(['readable', 'network', 'answers', 'reboot', 'sleeping', 'passed', 'degraded', 'synced']);

/** Formats the fact behind a finding, one line for each value that the host reported: `bytes: 9.0 GB`. */
export function formatFact(values: Values): readonly string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => oneLine(`${key === 'kb' ? 'size' : key}: ${shown(key, value)}`));
}

function shown(key: string, value: string | number | null): string {
  if (value === null) return 'unknown';
  if (typeof value === 'string') return value;
  if (KILOBYTES.has(key)) return formatSize(value * 1_024);
  if (BYTES.has(key)) return formatSize(value);
  if (EPOCH_SECONDS.has(key)) return `${new Date(value * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  if (FLAGS.has(key)) return value === 1 ? 'yes' : 'no';
  return String(value);
}
