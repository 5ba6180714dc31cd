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
  ])('the line :%s is parsed as a meta command', (line) => expect(parsePrompt(`:${line}`).type).toBe('meta'));

  it('the table of meta commands lists each command once', () => {
    const names = META_COMMANDS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});

describe('parsing a line of the prompt', () => {
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
    [':q', ['quit', '']],
  ])('the line %j is parsed as expected', (text, expected) => expect(read(text)).toEqual(expected));

  it.each([
    [':desisions', 'there is no command :desisions; did you mean :decisions?'],
    [':qiut', 'there is no command :qiut; did you mean :quit?'],
    [':safety chek rm', 'there is no command :safety; did you mean :safety check?'],
    [':safety', ':safety needs more: :safety list, :safety check'],
    [':xylophone', 'there is no command :xylophone; :help lists them'],
    [':remember', ':remember needs <text...>'],
    [':qq', 'there is no command :qq; did you mean :q?'],
    [':gaols', 'there is no command :gaols; did you mean :goals?'],
    [':memroy lst', 'there is no command :memroy; did you mean :memory list?'],
    [':x', 'there is no command :x; :help lists them'],
    [':quit now', ':quit takes no arguments'],
    [':memory lst', ':memory takes no arguments; did you mean :memory list?'],
  ])('the line %j of the prompt is refused: %s', (text, message) =>
    expect(read(text)).toEqual({ type: 'wrong', message }),
  );
});

describe('a spelling of an earlier version', () => {
  it.each([
    [':sessions archive 12', ['archive', 'c12', ':sessions archive is now :archive']],
    [':memory add pref "terse"', ['remember', '--kind pref "terse"', ':memory add is now :remember --kind']],
    [':sandbox folders a b', ['set', '--folder a --folder b', ':sandbox folders is now :set --folder']],
    [':schedules add "0 3 * * *" tidy', ['schedule add', '"0 3 * * *" tidy', ':schedules add is now :schedule add']],
    [':space media', ['space show', 'media', ':space is now :space show']],
  ])('the old spelling %s runs the new command, with a note', (text, expected) => {
    const line = parsePrompt(text);
    expect(line.type === 'meta' && [line.command.name, line.rest, line.note]).toEqual(expected);
  });

  it('an old spelling that is a command again runs that command', () => {
    expect(parsePrompt(':space set media --host nas')).toMatchObject({ note: null });
    expect(parsePrompt(':restore g4')).toMatchObject({ rest: 'g4', note: null });
  });
});

describe('a line that looks like a command of another program', () => {
  it.each([
    ['/help', 'commands begin with a colon: :help'],
    ['/new chat', 'commands begin with a colon: :help lists them'],
  ])('the line %j gets a hint that commands begin with a colon', (text, hint) => {
    expect(parsePrompt(text)).toMatchObject({ type: 'text', hint: expect.stringContaining(hint) });
  });

  it('a line that begins with ! is parsed as a command to run', () => {
    expect(parsePrompt(' !ls -l\npwd ')).toEqual({ type: 'own', command: 'ls -l\npwd' });
  });

  it.each(['/etc/hosts is wrong', '!!', '!', '@README.md what is this?', '! careful', 'mail me@home', 'a / b'])(
    'the line %j is sent as an ordinary message',
    (text) => {
      expect(parsePrompt(text)).toMatchObject({ type: 'text', hint: null });
    },
  );
});

describe('splitWords', () => {
  it.each([
    ['a  b', ['a', 'b']],
    ['One title -s "what it says" -p x', ['One', 'title', '-s', 'what it says', '-p', 'x']],
    [`every.echo '{"message": "hi"}'`, ['every.echo', '{"message": "hi"}']],
    [`don't`, [`don't`]],
    ['--s="a b"', ['--s=a b']],
    ['', []],
  ])('splitWords splits %j', (text, words) => expect(splitWords(text)).toEqual(words));
});

describe('completion', () => {
  const texts = (text: string) => completeMeta(text).items.map((item) => item.text);

  it('completion offers names, then the possible arguments', () => {
    expect(texts(':schedule l')).toEqual(['schedule list']);
    expect(texts(':nor')).toEqual(['norris ']);
    expect(texts(':sa')).toEqual(['safety list', 'safety check ', 'save ']);
    expect(texts(':copy ')).toEqual(['answer', 'code', 'all']);
    expect(completeMeta(':copy co')).toEqual({ from: 6, items: [{ text: 'code', about: '' }], ask: null });
  });

  it('completion asks the server for the names of sessions', () => {
    expect(completeMeta(':resume 1')).toEqual({ from: 8, items: [], ask: 'sessions' });
  });
});
