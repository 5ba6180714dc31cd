import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { assert, dictionary, property, string, uint8Array } from 'fast-check';
import { readSkill } from './read-skill.js';

const skill = (head: string, text = 'Look first.', more: Record<string, string> = {}) =>
  readSkill(
    'disk-full',
    new Map(
      Object.entries({ 'SKILL.md': `---\n${head}\n---\n${text}\n`, ...more }).map(([path, content]) => [
        path,
        Buffer.from(content),
      ]),
    ),
  );
const HEAD = 'name: disk-full\ndescription: What to do when a disk is full.';

/** The runbooks for the jobs in `evals/jobs`. */
const RUNBOOKS = fileURLToPath(new URL('../../../../evals/runbooks', import.meta.url));

describe('the runbooks of this checkout', () => {
  it.each(readdirSync(RUNBOOKS))('the runbook %s of this checkout has no faults', (name) => {
    const read = readSkill(name, new Map([['SKILL.md', readFileSync(`${RUNBOOKS}/${name}/SKILL.md`)]]));
    expect(read).toMatchObject({ name, faults: [], hints: [] });
    expect(read.parameters.length).toBeGreaterThan(0);
  });
});

describe('an Agent Skill', () => {
  it('readSkill reads the name, description, text, parameters and requested permissions of a skill', () => {
    const read = skill(
      `${HEAD}\nlicense: MIT\nmetadata:\n  parameters: host, days=7\n  version: "1.0"\nallowed-tools: Bash(df -h /) Bash(echo $(date)) kb.query Bash(git:*) Read`,
    );
    expect(read).toMatchObject({
      name: 'disk-full',
      description: 'What to do when a disk is full.',
      text: 'Look first.',
      parameters: [
        { name: 'host', default: null },
        { name: 'days', default: '7' },
      ],
      tools: ['kb.query'],
      commands: ['df -h /', 'echo $(date)'],
      faults: [],
    });
    expect(read.hints).toEqual([expect.stringContaining('git:*'), expect.stringContaining('Read is not an aish tool')]);
  });

  it.each([
    ['a name that differs from its folder', 'name: other\ndescription: x', undefined, /folder is disk-full/],
    ['no description', 'name: disk-full', undefined, /description/],
    ['fields that are no YAML', 'name: [', undefined, /not valid YAML/],
    ['no text', HEAD, ' ', /no text after/],
    ['too much text', HEAD, 'x'.repeat(20_001), /2000. characters/],
    ['what nobody sees', HEAD, 'rm\u202e -rf', /invisible/],
    ['a parameter that is no name', `${HEAD}\nmetadata: {parameters: "a b"}`, undefined, /a b is not a valid name/],
  ])('readSkill reports a fault: %s', (_, head, text, fault) => {
    expect(skill(head, text).faults.join('; ')).toMatch(fault);
  });

  it('readSkill refuses paths outside of the folder and hidden paths', () => {
    for (const path of ['../x', '/etc/passwd', 'a/../../b', '.git/config', 'a\nb']) {
      expect(skill(HEAD, 'x', { [path]: 'x' }).faults).toHaveLength(1);
    }
    expect(skill(HEAD, 'x', { 'scripts/look.sh': 'x', 'references/a b.md': 'x' }).faults).toEqual([]);
  });

  it('any change of a skill gives another digest', () => {
    const digests = [
      skill(HEAD),
      skill(HEAD, 'Look first!'),
      skill(HEAD, 'Look first.', { a: 'b' }),
      skill(HEAD, 'Look first.', { ab: '' }),
    ].map(({ digest }) => digest);
    expect(new Set(digests).size).toBe(4);
    expect(skill(HEAD).digest).toBe(digests[0]);
  });

  it('readSkill parses any content without an exception', () => {
    assert(
      property(dictionary(string(), uint8Array()), string(), (files, text) => {
        const all = new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
        expect(readSkill('x', all).name).toBe('x');
        const read = readSkill('x', all.set('SKILL.md', Buffer.from(`---\n${text}\n---\n`)));
        expect(read.faults).not.toEqual([]);
      }),
    );
  });
});
