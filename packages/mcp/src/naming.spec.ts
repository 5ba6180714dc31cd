import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WIRE_NAME_MAX_CHARS, aliasOf, wireNames } from './naming.js';
import { McpAlias } from '@aish/contracts/mcp-config';

const alias = fc.stringMatching(/^[a-z0-9]{1,6}([_-][a-z0-9]{1,5}){0,3}$/);
const tool = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9_.-]{1,80}$/),
  fc.string({ minLength: 1, maxLength: 128, unit: 'grapheme' }),
);

describe('names of tools', () => {
  it('the name of a tool is alias__tool if that is a valid function name', () => {
    expect(wireNames('files', ['read_file']).get('read_file')).toBe('files__read_file');
  });

  it('other names of tools are cut and get a hash, always in the same way', () => {
    const long = 'a'.repeat(100);
    expect(wireNames('files', [long, 'a.b'])).toEqual(
      new Map([
        [long, `files__${'a'.repeat(48)}_a1938917`],
        ['a.b', 'files__a_b_596ebb05'],
      ]),
    );
  });

  it('tool names are valid and unique across servers, in any order of the tools', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(alias, { maxLength: 3 }),
        fc.uniqueArray(tool, { maxLength: 30 }),
        (aliases, tools) => {
          const names = aliases.flatMap((one) => [...wireNames(one, tools).values()]);
          expect(new Set(names).size).toBe(aliases.length * tools.length);
          for (const name of names) expect(name).toMatch(new RegExp(`^[a-zA-Z0-9_-]{1,${WIRE_NAME_MAX_CHARS}}$`));
          for (const one of aliases) expect(wireNames(one, tools.toReversed())).toEqual(wireNames(one, tools));
        },
      ),
    );
  });

  it('the name of a tool does not depend on the other tools', () => {
    fc.assert(
      fc.property(alias, tool, fc.array(tool, { maxLength: 10 }), (one, mine, others) => {
        expect(wireNames(one, [mine, ...others]).get(mine)).toBe(wireNames(one, [mine]).get(mine));
      }),
    );
  });

  it('names of tools stay different if a server uses the name that another of its tools would get', () => {
    const wanted = wireNames('files', ['a.b']).get('a.b') as string;
    const names = wireNames('files', ['a.b', wanted.slice('files__'.length)]);
    expect(new Set(names.values()).size).toBe(2);
    expect(names.get(wanted.slice('files__'.length))).toBe(wanted);
  });
});

describe('an alias made from a URL', () => {
  it('an alias made from a URL is valid', () => {
    expect(aliasOf('https://tools.example.org:8080/mcp')).toBe('tools-example-org-8080');
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['http', 'https'] }), (url) => {
        expect(McpAlias.safeParse(aliasOf(url)).success).toBe(true);
      }),
    );
  });
});
