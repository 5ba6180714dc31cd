import { describe, expect, it } from '@jest/globals';
import { parsePage, partOf } from './pages.js';
import { alsoChanges, isKeys, kindOf, notLost, tellsMoreOf } from './verbs.js';

const page = [
  '# tool',
  '',
  '> Manage things.',
  '',
  '- [D]elete things:',
  '',
  '`tool {{[-d|--delete]}} {{thing1 thing2 ...}}`',
  '',
  '- Show one, as a template:',
  '',
  "`tool show {{path/to/file|url}} --format '\\{\\{.Name\\}\\}'`",
].join('\n');

describe('pages of command descriptions', () => {
  const items = parsePage('tool', page);

  it('give each command with the plain words of its placeholders', () => {
    expect(items.map(({ command }) => command)).toEqual([
      'tool --delete thing1 thing2',
      "tool show path/to/file --format '{{.Name}}'",
    ]);
  });

  it('say by their first verb, with or without marks, whether a command destroys or reads', () => {
    expect(items.map(kindOf)).toEqual(['destroying', 'reading']);
  });

  it('fall into the same part whenever they are read', () => {
    expect(['tool', 'other', 'third', 'fourth'].map(partOf)).toEqual(['tool', 'other', 'third', 'fourth'].map(partOf));
    const control = Array.from({ length: 3_000 }, (_, at) => partOf(`page-${at}`)).filter((part) => part === 'control');
    expect(control.length).toBeGreaterThan(200);
    expect(control.length).toBeLessThan(300);
  });

  it('destroy nothing where they print, and are no commands where they are keys', () => {
    const item = { page: 'tool', description: 'Remove blank lines and print to `stdout`', command: 'tool a.txt' };
    expect(notLost(item)).toBe('prints the result');
    expect(notLost({ ...item, description: 'Remove a file' })).toBeNull();
    const printing = { page: 'tool', description: 'Display details', command: 'sudo tool rm --verbose x' };
    expect(tellsMoreOf(printing, [{ ...printing, description: 'Remove x', command: 'sudo tool rm x' }])).toBe(true);
    expect(tellsMoreOf(printing, [{ ...printing, description: 'Show x', command: 'sudo tool rm x' }])).toBe(false);
    expect(tellsMoreOf({ ...printing, command: 'tool rm x' }, [printing])).toBe(false);
    expect(alsoChanges({ page: 'fsck', description: 'Check x', command: 'fsck /dev/sdb' })).toBe(true);
    expect(alsoChanges({ page: 'fsck', description: 'Check x', command: 'fsck -n /dev/sdb' })).toBe(false);
    expect(notLost({ ...item, description: 'Remove it from the index, but keep the file' })).toBe(
      'says that the file stays',
    );
    expect(isKeys({ ...item, command: '<Ctrl x>word<Enter>' })).toBe(true);
    expect(isKeys({ ...item, command: 'tool < a.txt > b.txt' })).toBe(false);
  });
});
