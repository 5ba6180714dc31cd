import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { OWN_RULES } from './own.rules.js';

/** Something in a text that looks like a secret. */
export interface SecretFinding {
  /** Which rule found it, as `github` or `password`. Stable. */
  readonly rule: string;
  /** What it seems to be, for people. Never the secret itself. */
  readonly title: string;
  /** False where plain prose may look like it. */
  readonly isSure: boolean;
  /** Where: [start, end) in UTF-16 code units. */
  readonly span: readonly [number, number];
}

const PRESET = '@secretlint/secretlint-rule-preset-recommend';
// Off by itself: an id alone opens nothing. But it stands where its key stood.
const AWS = { id: '@secretlint/secretlint-rule-aws', options: { enableIDScanRule: true } };
const CONFIG = { rules: [{ id: PRESET, rule: creator, options: {}, rules: [AWS] }] };

// It notes every text that it looks at for good and looks through all notes each time: ever slower, ever larger.
secretLintProfiler.mark = () => undefined;

/** What a text surely holds, each title once, for people. As `findSecrets`, without what plain prose may look like. */
export async function sureSecrets(text: string): Promise<readonly string[]> {
  const sure = (await findSecrets(text)).filter(({ isSure }) => isSure);
  return [...new Set(sure.map(({ title }) => title))];
}

/**
 * What looks like a secret in `text`, in order, none inside another: keys and tokens of known services
 * (secretlint's recommended rules), and what people write down (rules of our own). About 3 ms per megabyte and up.
 * An empty answer is no proof that there is none.
 */
export async function findSecrets(text: string): Promise<readonly SecretFinding[]> {
  // The rules look at the file's name too; this one means nothing to them.
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

/** `GITHUB_TOKEN` -> `github token`, `PostgreSQLConnection` -> `PostgreSQL Connection`. */
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
