import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { BROKEN_ON_PURPOSE, PROMISES, type BrokenOnPurpose, type Promised } from '../promises.js';
import { REQUIREMENTS, type RequirementId } from '../requirements.js';
import { ROOT } from '../support/service.process.js';
import { citations } from './citations.js';

const PAGE = `${ROOT}docs/promises.md`;

/**
 * Returns the words with which an entry of a spec or of a list of plants says what it breaks, or null if there is no
 * such entry.
 */
function brokenBy({ by, name }: BrokenOnPurpose): string | null {
  const text = readFileSync(`${ROOT}${BROKEN_ON_PURPOSE[by]}`, 'utf8');
  if (by !== 'attack') return text.includes(`'${name}':`) ? `a ${by} that ${name}` : null;
  return new RegExp(`hole: '${name}',\\s+what: (['"])(.+?)\\1,\n`).exec(text)?.[2] ?? null;
}

function pageOf(promises: readonly Promised[]): string {
  const specs = citations();
  const proof = (id: RequirementId): string => {
    const paths = [...(specs.get(id) ?? [])].map((path) => `\`${path.slice('tests/src/'.length)}\``).toSorted();
    return `- ${REQUIREMENTS[id].replace(/\.$/, '')}: ${paths.join(', ')}`;
  };
  const parts = promises.map(({ promise, covers, not, requirements, withoutDefence }) =>
    [
      `## ${promise.replace(/\.$/, '')}`,
      `**Covered.** ${covers}`,
      `**Not covered.** ${not}`,
      `**Seen with the defence off.** ${withoutDefence.map((each) => `- ${brokenBy(each) ?? each.name}`).join('\n')}`.replace(
        ' - ',
        '\n\n- ',
      ),
      '**Proved by.**',
      requirements.map(proof).join('\n'),
    ].join('\n\n'),
  );
  return `# Promises

Each promise says what it covers and what it does not. Tests prove it with the defence on. Other tests switch the defence off, or replace a part of the
engine by one that breaks the promise, and check that this is noticed. Attacks are in \`${BROKEN_ON_PURPOSE.attack}\`, runners in
\`${BROKEN_ON_PURPOSE.runner}\`, machines in \`${BROKEN_ON_PURPOSE.machine}\`. All other paths are below \`tests/src\`.

${parts.join('\n\n')}
`;
}

describe('docs/promises.md', () => {
  it('docs/promises.md matches the list of promises and the tests that prove them', () => {
    const page = pageOf(PROMISES);
    if (process.env['UPDATE_PROMISES'] === '1') writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });

  it.each(PROMISES)('a test shows that the promise "$promise" is broken without its defence', ({ withoutDefence }) => {
    expect(withoutDefence.length).toBeGreaterThan(0);
    expect(withoutDefence.filter((each) => brokenBy(each) === null)).toEqual([]);
  });
});
