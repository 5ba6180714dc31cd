import { describe, expect, it } from '@jest/globals';
import { META_COMMANDS } from './meta-command.js';
import { completeMeta, parsePrompt, splitWords } from './meta-commands.js';

describe('the table of meta commands', () => {
  it.each([
    'model',
    'history',
    'save x',
    'resume',
    'sessions',
    'clear',
    'norris x',
    'goals',
    'safety patterns',
    'quit',
  ])('has :%s, as the manifests do', (line) => expect(parsePrompt(`:${line}`).type).toBe('meta'));

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
    [':norris list\nfiles', ['run', 'list\nfiles']],
    [':norris off', ['cancel', '']],
    [':norris office work', ['run', 'office work']],
    [':safety check rm -rf  x', ['safety check', 'rm -rf  x']],
    [': quit', ['quit', '']],
  ])('%j', (text, expected) => expect(read(text)).toEqual(expected));

  it.each([
    [':desisions', 'there is no command :desisions; did you mean :decisions?'],
    [':qiut', 'there is no command :qiut; did you mean :quit?'],
    [':safety chek rm', 'there is no command :safety; did you mean :safety check?'],
    [':safety', ':safety needs more: :safety list, :safety check'],
    [':xylophone', 'there is no command :xylophone; :help lists them'],
    [':remember', ':remember needs <text...>'],
    [':q', 'there is no command :q; did you mean :quit?'],
    [':quit now', ':quit takes nothing after it'],
  ])('%j is wrong: %s', (text, message) => expect(read(text)).toEqual({ type: 'wrong', message }));
});

describe('a spelling of an earlier version', () => {
  it.each([
    [':sessions archive 12', ['archive', 'c12', ':sessions archive is now :archive']],
    [':memory add pref "terse"', ['remember', '--kind pref "terse"', ':memory add is now :remember --kind']],
    [':sandbox folders a b', ['set', '--folder a --folder b', ':sandbox folders is now :set --folder']],
    [':schedules add "0 3 * * *" tidy', ['schedule add', '"0 3 * * *" tidy', ':schedules add is now :schedule add']],
    [':space media', ['space show', 'media', ':space is now :space show']],
  ])('%s runs what it became, with a note', (text, expected) => {
    const line = parsePrompt(text);
    expect(line.type === 'meta' && [line.command.name, line.rest, line.note]).toEqual(expected);
  });

  it('is read as it is now where it is a command again', () => {
    expect(parsePrompt(':space set media --host nas')).toMatchObject({ note: null });
    expect(parsePrompt(':restore g4')).toMatchObject({ rest: 'g4', note: null });
  });
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
    expect(texts(':schedule l')).toEqual(['schedule list']);
    expect(texts(':nor')).toEqual(['norris ']);
    expect(texts(':sa')).toEqual(['safety list', 'safety check ', 'save ']);
    expect(texts(':copy ')).toEqual(['answer', 'code', 'all']);
    expect(completeMeta(':copy co')).toEqual({ from: 6, items: [{ text: 'code', about: '' }], ask: null });
  });

  it('asks for what only the server knows', () => {
    expect(completeMeta(':resume 1')).toEqual({ from: 8, items: [], ask: 'sessions' });
  });
});
