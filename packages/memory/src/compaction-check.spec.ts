import { describe, expect, it } from '@jest/globals';
import { faultOfSummary } from './compaction-check.js';

const entry = (day: number): string =>
  `## 2026-03-${String(day % 28).padStart(2, '0')} run ${day}\n\nodin: /srv/media is at ${day} %, smartctl of /dev/sda${day % 4} said ${day * 7}. Caddy ${day} on caddy-2.8 answered on web-01.\n\n`;
const old = [
  '# Disk watcher\n\n## State\n\n/srv/media lives on odin, caddy-2.8 on web-01, backups on nas-02, keys in /etc/aish.\n\n',
  '## Patterns\n\nnas-02 goes to sleep at night; /etc/aish is read by web-01.\n\n',
  ...Array.from({ length: 600 }, (_, day) => entry(day)),
].join('');
const good = `# Disk watcher\n\n## State\n\n/srv/media on odin grows by 1 % a day; caddy-2.8 runs on web-01; /dev/sda0 to /dev/sda3 are watched.\n\n## Patterns\n\nnas-02 sleeps at night. /etc/aish holds keys.\n\n${'## Config\n\n- smartctl is asked once a day, and what it says is compared with the day before.\n'.repeat(8)}`;

describe('a summary of a memory document', () => {
  it('a summary that keeps length, headings and names is accepted', () => expect(faultOfSummary(old, good)).toBeNull());

  it.each([
    ['Hello.', 'it is too short'],
    [`## State\n${'I am happy to help. '.repeat(200)}`, 'its headings are gone'],
    [`# Disk watcher\n## State\n## Patterns\n${'All is well with the disks. '.repeat(200)}`, 'its names are gone'],
  ])('the answer %j is refused as a summary', (made, fault) => expect(faultOfSummary(old, made)).toBe(fault));

  it('an answer about something else is refused as the summary of a document of one repeated line', () => {
    const log = 'the backup of odin went well\n'.repeat(20_000);
    expect(faultOfSummary(log, 'ok, noted')).toBe('its words are gone');
    expect(faultOfSummary(log, 'Each backup of odin went well.')).toBeNull();
  });

  it('the summary of a repetitive document may be short', () => {
    expect(faultOfSummary(`# Log 1\n${'a line\n'.repeat(20_000)}## Config\nport`, '## Config\nport')).toBeNull();
  });
});
