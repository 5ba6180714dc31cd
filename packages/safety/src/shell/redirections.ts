import type { HereDoc, Redirection as RedirectionNode } from 'unbash';
import type { Input, Redirection } from './command.js';
import type { NodeReader } from './reading.js';
import type { Source } from './source.js';

export interface Redirections {
  readonly redirections: readonly Redirection[];
  /** The new input of the command, or null if the redirections do not change it. */
  readonly given: Input | null;
}

/** Reads the redirections of a command. Returns their effects and the input that they give. */
export function redirectionsOf(reader: NodeReader, nodes: readonly RedirectionNode[], source: Source): Redirections {
  const redirections: Redirection[] = [];
  let given: Input | null = null;
  for (const node of nodes) {
    const descriptor = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : null;
    if (node.type === 'HereDoc') {
      if (descriptor === null || descriptor === 0) given = hereDocument(reader, node, source);
      continue;
    }
    if (node.target === undefined) continue;
    if (node.type === 'HereString') {
      const text = reader.text(node.target, source);
      given = { kind: 'text', text, word: { text, source, pos: node.target.pos, end: node.target.end, glob: false } };
      continue;
    }
    const target = reader.words(node.target, source)[0];
    if (target === undefined) continue;
    redirections.push({
      operator: writesOver(node.operator, descriptor, target.text) ? '>' : node.operator,
      descriptor,
      target,
    });
    if (node.operator === '<' && (descriptor === null || descriptor === 0)) {
      given = target.process?.input ?? (reader.scope.fetched.has(target.text) ? { kind: 'fetched' } : { kind: 'file' });
      if (/^\/dev\/(zero|u?random)$/.test(target.text)) given = { kind: 'endless' };
      if (target.text === '/dev/null') given = { kind: 'none' };
    }
    // An earlier command has determined the content of an open descriptor.
    if (node.operator === '<&' && (descriptor === null || descriptor === 0) && target.text !== '-')
      given = { kind: 'opaque' };
  }
  return { redirections, given };
}

function hereDocument(reader: NodeReader, node: HereDoc, source: Source): Input {
  const { body } = node;
  const text = reader.text({ parts: body.parts, value: body.text }, source);
  return { kind: 'text', text, word: { text, source, pos: body.pos, end: body.end, glob: false } };
}

/**
 * Whether a redirection like `1<>f` overwrites the content of the file, as `>` does. Pipes, terminals and sockets have
 * no content.
 */
const writesOver = (operator: string, descriptor: number | null, target: string): boolean =>
  operator === '<>' &&
  descriptor !== null &&
  descriptor > 0 &&
  !/^\/dev\/|fifo|pipe|\.sock$|[$\uE000-\uE002]/i.test(target);
