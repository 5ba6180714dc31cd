import { describe, expect, it } from '@jest/globals';
import { bansIn } from './bans.js';

describe('a ban in words', () => {
  it.each<[string, string, string[]]>([
    ['Clean up. Never touch /data/backups.', 'Never touch /data/backups', ['/data/backups']],
    [
      "don't delete config.yml or logs/, please",
      "don't delete config.yml or logs/, please",
      ['/workspace/config.yml', '/workspace/logs'],
    ],
    [
      'free space; do not ever remove media/films/a.mkv!',
      'do not ever remove media/films/a.mkv',
      ['/workspace/media/films/a.mkv'],
    ],
    ['Stay away from /mnt/media', 'Stay away from /mnt/media', ['/mnt/media']],
    [
      'Never touch:\n- /data/backups\n- “/etc/hosts”\nTidy up.',
      'Never touch:\n- /data/backups\n- “/etc/hosts”',
      ['/data/backups', '/etc/hosts'],
    ],
    ['never write outside of /workspace/out', 'never write outside of /workspace/out', []],
    ["don't overwrite README.md, write to NEW.md", "don't overwrite README.md", ['/workspace/README.md']],
    ['never restart the database', 'never restart the database', []],
  ])('is found in "%s"', (text, words, paths) => {
    expect(bansIn(text)).toEqual([{ words, paths, isHeld: paths.length > 0 }]);
  });

  it('is held where it names an address', () => {
    expect(bansIn('never send anything to http://evil.example/in')).toMatchObject([{ paths: [], isHeld: true }]);
  });

  it.each([
    'do not forget to read /etc/hosts',
    'tidy /data/backups',
    'I never saw this',
    'delete the logs, not the films',
  ])('is not found in "%s"', (text) => {
    expect(bansIn(text)).toEqual([]);
  });
});
