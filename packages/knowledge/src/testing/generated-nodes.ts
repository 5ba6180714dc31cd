import { createHash } from 'node:crypto';
import { KnowledgeConfidence, KnowledgeType, type KnowledgeRelation } from '@aish/contracts/knowledge';
import { nodePath } from '../node/node.js';
import { newNodeText } from '../node/write-node.js';

const SYLLABLES =
  'ba co di fe gu ha jo ki lu me no pa qui ra so ti ve xi yo zu ban cor dex fin gra lin mar pol ser tun'.split(' ');
const VOCABULARY = 6_000;

/** Returns the nth most common word of an invented language. The frequencies are as uneven as in real texts. */
function wordAt(n: number): string {
  const [a, b, c] = [n % 30, Math.floor(n / 30) % 30, Math.floor(n / 900) % 30];
  return [a, b, c]
    .map((at) => SYLLABLES[at] ?? '')
    .join('')
    .slice(0, 4 + (n % 7));
}

const PROJECTS = ['general', 'emacs', 'homelab', 'aish', 'deepsat', 'website'];
const RELATIONS: readonly KnowledgeRelation[] = [
  'RELATES_TO',
  'IMPLEMENTS',
  'DERIVED_FROM',
  'CONTRADICTS',
  'SUPERSEDES',
];
const EPOCH = Date.UTC(2024, 0, 1);

export interface GeneratedNode {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** Returns the nth invented node: always the same, valid, and linked to earlier nodes. For tests and benchmarks. */
export function generatedNode(n: number): GeneratedNode {
  const pick = picker(n);
  const id = idOf(n);
  const title = `${sentence(pick, 4)} ${n}`;
  const now = new Date(EPOCH + n * 600_000);
  const path = nodePath(id, title, now);
  const links =
    n > 2
      ? [1, 2]
          .slice(0, pick(3))
          .map((k) => ({ relation: RELATIONS[pick(RELATIONS.length)] ?? 'RELATES_TO', id: idOf(pick(n - k)) }))
      : [];
  const text = newNodeText(
    {
      id,
      title,
      summary: `${sentence(pick, 12)}.`,
      body: body(pick),
      types: [KnowledgeType.options[pick(KnowledgeType.options.length)] ?? 'observation'],
      projects: [
        ...new Set([PROJECTS[pick(PROJECTS.length)] ?? 'general', PROJECTS[pick(PROJECTS.length)] ?? 'general']),
      ],
      confidence: KnowledgeConfidence.options[pick(KnowledgeConfidence.options.length)] ?? 'inferred',
      visibility: pick(10) === 0 ? 'private' : 'shared',
      links: links.filter((link, at) => links.findIndex(({ id: other }) => other === link.id) === at && link.id !== id),
      createdBy: 'generator',
      now,
      sources: [],
    },
    path,
    (target) => `node ${target.slice(0, 8)}`,
  );
  return { id, path, title, text };
}

function idOf(n: number): string {
  const hex = createHash('sha256').update(`node ${n}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Returns a function that picks numbers below a limit. The same seed gives the same numbers. */
function picker(seed: number): (below: number) => number {
  let state = (seed + 1) * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return (state >>> 8) % Math.max(1, below);
  };
}

function sentence(pick: (below: number) => number, words: number): string {
  const rank = (): number => Math.floor((pick(1_000_000) / 1_000_000) ** 3 * VOCABULARY);
  const chosen = Array.from({ length: words }, () => wordAt(rank())).join(' ');
  return `${chosen[0]?.toUpperCase() ?? ''}${chosen.slice(1)}`;
}

function body(pick: (below: number) => number): string {
  const parts: string[] = [];
  for (let part = 0; part < 1 + pick(3); part += 1) {
    const kind = pick(6);
    if (kind === 0) parts.push(`* ${sentence(pick, 3)}\n${sentence(pick, 20)}.`);
    else if (kind === 1) parts.push(Array.from({ length: 3 }, () => `- ${sentence(pick, 5)}`).join('\n'));
    else if (kind === 2)
      parts.push(`#+begin_src sh\necho ${sentence(pick, 4)} | tee /tmp/log # [[id:no-link]]\n#+end_src`);
    else if (kind === 3) parts.push(`| key | value |\n|-----+-------|\n| ${sentence(pick, 1)} | ${pick(100)} |`);
    else parts.push(`${sentence(pick, 15)}, =${sentence(pick, 2)}= and *${sentence(pick, 1)}*. ${sentence(pick, 15)}.`);
  }
  return parts.join('\n\n');
}
