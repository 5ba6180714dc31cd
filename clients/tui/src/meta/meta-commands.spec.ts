import { describe, expect, it } from '@jest/globals';
import { META_COMMANDS, completeMeta, parsePrompt, splitWords } from './meta-commands.js';

describe('the table of meta commands', () => {
  it('has those of the manifests', () => {
    const names = META_COMMANDS.map(({ name }) => name.split(' ')[0]);
    for (const name of [
      'model',
      'history',
      'save',
      'resume',
      'sessions',
      'clear',
      'norris',
      'goals',
      'safety',
      'quit',
    ]) {
      expect(names).toContain(name);
    }
  });

  it('names each once', () => {
    const names = META_COMMANDS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});

describe('reading a prompt', () => {
  const read = (text: string) => {
    const line = parsePrompt(text);
    return line.type === 'meta' ? [line.command.name, line.rest] : line;
  };

  it.each([
    [' list files ', { type: 'text', text: 'list files', hint: null }],
    [':norris list\nfiles', ['norris', 'list\nfiles']],
    [':norris off', ['norris off', '']],
    [':norris office work', ['norris', 'office work']],
    [':safety check rm -rf  x', ['safety check', 'rm -rf  x']],
    [': quit', ['quit', '']],
  ])('%j', (text, expected) => expect(read(text)).toEqual(expected));

  it.each([
    [':sesions', 'there is no command :sesions; did you mean :sessions?'],
    [':qiut', 'there is no command :qiut; did you mean :quit?'],
    [':safety chek rm', 'there is no command :safety; did you mean :safety check?'],
    [':safety', ':safety needs more: :safety patterns, :safety check'],
    [':xylophone', 'there is no command :xylophone; :help lists them'],
    [':remember', ':remember needs <text>'],
    [':q', 'there is no command :q; did you mean :quit?'],
    [':quit now', ':quit takes nothing after it'],
  ])('%j is wrong: %s', (text, message) => expect(read(text)).toEqual({ type: 'wrong', message }));
});

describe('a line that other programs take for a command', () => {
  it.each([
    ['/help', 'commands begin with a colon: :help'],
    ['/new chat', 'commands begin with a colon: :help lists them'],
    ['!ls -l', 'aish does not run ! lines'],
    ['@README.md what is this?', '@ attaches no file'],
  ])('%j gets a hint', (text, hint) => {
    expect(parsePrompt(text)).toMatchObject({ type: 'text', hint: expect.stringContaining(hint) });
  });

  it.each(['/etc/hosts is wrong', '! careful', 'mail me@home', 'a / b'])('%j is a message like any other', (text) => {
    expect(parsePrompt(text)).toMatchObject({ type: 'text', hint: null });
  });
});

describe('splitWords', () => {
  it.each([
    ['a  b', ['a', 'b']],
    ['One title -s "what it says" -p x', ['One', 'title', '-s', 'what it says', '-p', 'x']],
    [`every.echo '{"message": "hi"}'`, ['every.echo', '{"message": "hi"}']],
    [`don't`, [`don't`]],
    ['--s="a b"', ['--s=a b']],
    ['', []],
  ])('%j', (text, words) => expect(splitWords(text)).toEqual(words));
});

describe('completing', () => {
  const texts = (text: string) => completeMeta(text).items.map((item) => item.text);

  it('offers names, then the words that may follow', () => {
    const SANDBOX = ['sandbox', 'sandbox carry-over ', 'sandbox folders '];
    expect(texts(':spaces')).toEqual(['spaces']);
    expect(texts(':sandbox carry-over ')).toEqual(['on', 'off']);
    expect(texts(':sa')).toEqual(['save ', 'safety patterns', 'safety check ', ...SANDBOX]);
    expect(texts(':copy ')).toEqual(['answer', 'code', 'all']);
    expect(completeMeta(':copy co')).toEqual({ from: 6, items: [{ text: 'code', about: '' }], ask: null });
  });

  it('asks for what only the server knows', () => {
    expect(completeMeta(':resume 1')).toEqual({ from: 8, items: [], ask: 'sessions' });
  });
});
