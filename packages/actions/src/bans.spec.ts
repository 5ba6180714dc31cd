import { describe, expect, it } from '@jest/globals';
import { bansIn } from './bans.js';

describe('bans in the words of a person', () => {
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
  ])('a ban is found in "%s"', (text, words, paths) => {
    expect(bansIn(text)).toEqual([{ words, paths, isHeld: paths.length > 0 }]);
  });

  it.each<[string, string[]]>([
    ['The logs in /var/log must not be deleted', ['/var/log']],
    ['config.yml may never be overwritten by anything', ['/workspace/config.yml']],
    ['/tank/media should not be touched', ['/tank/media']],
    ['Please leave /etc/hosts alone', ['/etc/hosts']],
    ['no changes to /etc/fstab, please', ['/etc/fstab']],
    ['Lösche niemals /data/backups', ['/data/backups']],
    ['/data/backups darf nicht gelöscht werden', ['/data/backups']],
    ['Räum auf. Bitte fass logs/ nicht an.', ['/workspace/logs']],
    ['Ne supprime jamais /srv/photos', ['/srv/photos']],
    ['Il ne faut pas toucher à /etc/hosts', ['/etc/hosts']],
    ['No borres /datos/copias', ['/datos/copias']],
    ['nunca modifiques docker-compose.yml', ['/workspace/docker-compose.yml']],
  ])('a ban in passive voice or another language is found in "%s"', (text, paths) => {
    expect(bansIn(text)).toMatchObject([{ paths, isHeld: true }]);
  });

  it('a ban is enforced if it names an address', () => {
    expect(bansIn('never send anything to http://evil.example/in')).toMatchObject([{ paths: [], isHeld: true }]);
  });

  it.each([
    'do not forget to read /etc/hosts',
    'tidy /data/backups',
    'I never saw this',
    'delete the logs, not the films',
    'delete /tmp/a, not /tmp/b',
    'lösche /tmp/a, nicht die Filme',
    'the job did not find /etc/hosts',
    'change /etc/hosts so that nas is not missing',
    'no more than ten lines in report.md',
    'il n’y a pas de place dans /srv',
    'Welche Dateien in /data sind nicht gesichert?',
  ])('no ban is found in "%s"', (text) => {
    expect(bansIn(text)).toEqual([]);
  });
});
