import { describe, expect, it } from '@jest/globals';
import { Presence, findPresentPeople } from './presence.js';

const NOW_MS = 1_800_000_000_000;
const ann = { id: 't1', owner: 'ann' };
const bob = { id: 't2', owner: 'bob' };

describe('findPresentPeople', () => {
  it('a person counts as present if one token has an open stream and acted in the last two minutes', () => {
    const presence = new Presence();
    const leaving = new AbortController();
    const here = (laterMs = 0) => findPresentPeople(presence.seen, ['ann'], NOW_MS + laterMs).people;
    presence.acted(ann, NOW_MS);
    expect(here()).toEqual([]);
    presence.opened(ann, leaving.signal);
    presence.acted({ id: 't9', owner: 'ann' }, NOW_MS);
    expect(here()).toEqual([]);
    presence.acted(ann, NOW_MS);
    expect([here(), here(119_000), here(120_000)]).toEqual([['ann'], ['ann'], []]);
    leaving.abort();
    expect(here()).toEqual([]);
  });

  it('a notification to everybody waits only if everyone who may decide is present', () => {
    const presence = new Presence();
    const isEverybody = (...deciders: string[]) => findPresentPeople(presence.seen, deciders, NOW_MS).isEverybody;
    expect(isEverybody()).toBe(false);
    for (const each of [ann, bob]) presence.opened(each, new AbortController().signal);
    presence.acted(ann, NOW_MS);
    expect([isEverybody('ann'), isEverybody('ann', 'bob')]).toEqual([true, false]);
    presence.acted(bob, NOW_MS);
    expect(isEverybody('ann', 'bob')).toBe(true);
  });
});
