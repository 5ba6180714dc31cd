import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { OWN_RULES } from './own.rules.js';

/** Something in a text that looks like a secret. */
export interface SecretFinding {
  /** The rule that found it, such as `github` or `password`. Its name never changes. */
  readonly rule: string;
  /** A description for people of what it seems to be. It never contains the secret itself. */
  readonly title: string;
  /** False if plain prose may look like this. */
  readonly isSure: boolean;
  /** The position: [start, end) in UTF-16 code units. */
  readonly span: readonly [number, number];
}

const PRESET = '@secretlint/secretlint-rule-preset-recommend';
// The rule for IDs is off by default, because an ID alone opens nothing. It is on here, because the key was probably
// next to the ID.
const AWS = { id: '@secretlint/secretlint-rule-aws', options: { enableIDScanRule: true } };
const CONFIG = { rules: [{ id: PRESET, rule: creator, options: {}, rules: [AWS] }] };

// The profiler would record every text and search all records each time, so it would get slower and larger.
secretLintProfiler.mark = () => undefined;

/**
 * Returns the titles of the certain findings in a text, each once, for people. Findings that plain prose may look like
 * are omitted.
 */
export async function sureSecrets(text: string): Promise<readonly string[]> {
  const sure = (await findSecrets(text)).filter(({ isSure }) => isSure);
  return [...new Set(sure.map(({ title }) => title))];
}

/** Returns the text with `***` in place of each certain finding. */
export async function maskSecrets(text: string): Promise<string> {
  const sure = (await findSecrets(text)).filter(({ isSure }) => isSure);
  return sure.reduceRight((rest, { span: [start, end] }) => `${rest.slice(0, start)}***${rest.slice(end)}`, text);
}

/**
 * Returns everything in `text` that looks like a secret, in order and not nested: keys and tokens of known services
 * (secretlint's recommended rules), and secrets as people write them down (aish's own rules). It takes about 3 ms per
 * megabyte or more. An empty result proves nothing.
 */
export async function findSecrets(text: string): Promise<readonly SecretFinding[]> {
  // The rules also look at the file's name. This name has no meaning for them.
  const { messages } = await lintSource({
    source: { content: text, filePath: 'text.txt', ext: '.txt', contentType: 'text' },
    options: { config: CONFIG, noPhysicFilePath: true },
  });
  const known = messages.map(({ ruleId, messageId, range }): SecretFinding => ({
    rule: ruleId.replace('@secretlint/secretlint-rule-', ''),
    title: inWords(messageId),
    isSure: true,
    span: [range[0], range[1]],
  }));
  const own = OWN_RULES.flatMap(({ id, title, isSure = true, pattern }) =>
    [...text.matchAll(pattern)].map((match): SecretFinding => ({
      rule: id,
      title,
      isSure,
      span: [match.index, match.index + match[0].length],
    })),
  );
  return outermost([...known, ...own]);
}

/**
 * Splits a message ID into words: `GITHUB_TOKEN` -> `github token`, `PostgreSQLConnection` -> `PostgreSQL Connection`.
 */
function inWords(messageId: string): string {
  return messageId.includes('_')
    ? messageId.replaceAll('_', ' ').toLowerCase()
    : messageId.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');
}

function outermost(findings: readonly SecretFinding[]): SecretFinding[] {
  const sorted = findings.toSorted((a, b) => a.span[0] - b.span[0] || b.span[1] - a.span[1]);
  const kept: SecretFinding[] = [];
  for (const finding of sorted) {
    const last = kept.at(-1);
    if (last === undefined || finding.span[1] > last.span[1]) kept.push(finding);
    // A certain match replaces an uncertain one that contains it.
    else if (finding.isSure && !last.isSure) kept[kept.length - 1] = finding;
  }
  return kept;
}
