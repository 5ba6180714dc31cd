import { describe, expect, it } from '@jest/globals';
import { renamed } from './renamed.js';
import { COMMAND_TABLE } from './table.js';

const names = new Set(COMMAND_TABLE.flatMap(({ name, short = [] }) => [name, ...short]));
const now = (...words: readonly string[]) => renamed(words, (name) => names.has(name))?.words.join(' ') ?? null;

describe('a spelling of an earlier version', () => {
  it.each([
    ['edit 4 --text x', 'set 4 --text x'],
    ['sessions list --json', 'chat list --kind all --json'],
    ['sessions archive 12', 'archive c12'],
    ['sessions --json', 'chat list --json'],
    ['sessions trust c12 undoable', 'set c12 --trust undoable'],
    ['sessions hosts 12 nas web --json', 'set c12 --host nas --host web --json'],
    ['sandbox network 4 a:80 b --private', 'set 4 --network a:80 --network b --private'],
    ['sandbox network --url http://x 4 none', 'set 4 --network none --url http://x'],
    ['sandbox show 4', 'show 4 --access'],
    ['digest --json', 'brief --kept --json'],
    ['snapshots 4', 'undo g4 --list'],
    ['host prelude nas none', 'host set nas --before none'],
    ['memory add pref terse answers', 'remember --kind pref terse answers'],
    ['runbook proposal 3', 'runbook show p3'],
    ['event source alerts --proof gitea', 'event source add alerts --proof gitea'],
    ['restore aish.tar.gz --yes', 'backup restore aish.tar.gz --yes'],
    ['changes d17', 'show d17 --changes'],
    ['continue 4 --steps 8', 'resume g4 --steps 8'],
    ['chat end 12', 'memory summarize --later c12'],
    ['memory document archive user text', 'memory document add --archive user text'],
    ['mcp resource docs file:///a', 'mcp show --resource docs file:///a'],
    ['kb provision --emacs', 'kb init --machine --emacs'],
    ['config diff homelab', 'config apply --dry-run homelab'],
  ])('the old spelling "%s" means "%s"', (before, after) => expect(now(...before.split(' '))).toBe(after));

  it.each(['goals', 'event source add alerts', 'event source list', 'restore g4', 'memory document show user', 'x'])(
    '%s is a current spelling',
    (words) => expect(now(...words.split(' '))).toBeNull(),
  );
});
