import { describe, expect, it } from '@jest/globals';
import { configChanges, shownChange } from './config-changes.js';
import { ConfigDocument, type ConfigDocumentInput } from './config-document.js';
import { emptySpace } from './spaces.js';

const document = (config: ConfigDocumentInput) => ConfigDocument.parse(config);
const changes = (now: ConfigDocumentInput, wanted: ConfigDocumentInput) =>
  configChanges(document(now), document(wanted)).map(({ change, kind, name }) => `${change} ${kind} ${name}`);

const rule = (text: string) => ({ source: 'alerts', goal: { text } });
const schedule = (text: string) => ({ cron: '0 3 * * *', goal: { text } });
const { name: _name, changedBy: _by, changedAt: _at, ...EMPTY } = emptySpace('');

describe('the changes of a configuration', () => {
  it('a file that is missing changes nothing', () => {
    expect(changes({ hosts: { nas: { address: 'nas.lan' } } }, {})).toEqual([]);
  });

  it('a thing that its file no longer lists is removed', () => {
    expect(changes({ hosts: { nas: { address: 'nas.lan' } } }, { hosts: {} })).toEqual(['remove host nas']);
  });

  it('a thing is added before the things that use it, and removed after them', () => {
    const all = {
      secrets: { TOKEN: { exposed: true } },
      hosts: { nas: { address: 'nas.lan' } },
      spaces: { media: { hosts: ['nas'] } },
      events: { sources: { alerts: {} }, rules: [rule('look')] },
      schedules: { goals: [schedule('tidy')], brief: { at: '07:00' } },
    };
    const none = { secrets: {}, hosts: {}, spaces: {}, events: {}, schedules: {} };
    const added = changes(none, all);
    expect(added).toEqual([
      'add secret TOKEN',
      'add host nas',
      'add space media',
      'add event source alerts',
      'add event rule alerts: look',
      'add schedule 0 3 * * *: tidy',
      'add brief brief',
    ]);
    expect(changes(all, none)).toEqual(added.toReversed().map((each) => each.replace('add', 'remove')));
    expect(changes(all, all)).toEqual([]);
  });

  it('a space with all settings at their defaults is the same as a space without settings', () => {
    expect(changes({ spaces: { media: EMPTY } }, { spaces: { media: {} } })).toEqual([]);
    expect(changes({ spaces: { general: EMPTY } }, { spaces: {} })).toEqual([]);
  });

  it('schedules may be in any order, and the same one twice counts twice', () => {
    const [a, b] = [schedule('a'), schedule('b')];
    expect(changes({ schedules: { goals: [a, b] } }, { schedules: { goals: [b, a] } })).toEqual([]);
    expect(changes({ schedules: { goals: [a] } }, { schedules: { goals: [a, a] } })).toEqual([
      'add schedule 0 3 * * *: a',
    ]);
  });

  it('rules keep their order: after the first difference they are added again', () => {
    const of = (...texts: readonly string[]) => ({ events: { sources: { alerts: {} }, rules: texts.map(rule) } });
    expect(changes(of('a', 'b'), of('a', 'b', 'c'))).toEqual(['add event rule alerts: c']);
    expect(changes(of('a', 'b', 'c'), of('a', 'c'))).toEqual(['remove event rule alerts: b']);
    expect(changes(of('a', 'b'), of('b', 'a'))).toEqual(['add event rule alerts: a', 'remove event rule alerts: a']);
  });

  it('a goal without a space is the same as one in the space general', () => {
    const named = { cron: '0 3 * * *', goal: { text: 'tidy', space: 'general' } };
    expect(changes({ schedules: { goals: [named] } }, { schedules: { goals: [schedule('tidy')] } })).toEqual([]);
  });

  it('a change shows the fields that differ', () => {
    const [found] = configChanges(
      document({ hosts: { nas: { address: 'nas.lan' } } }),
      document({ hosts: { nas: { address: '10.0.0.2' } } }),
    );
    expect(found && shownChange(found)).toEqual({
      change: 'set',
      what: 'host nas',
      fields: [{ name: 'address', from: '"nas.lan"', to: '"10.0.0.2"' }],
    });
  });
});
