import type { KnowledgeFinding } from '@aish/contracts/knowledge-lint';
import { findSecrets } from '@aish/secrets';
import { isNodePath, isRawPath, type KnowledgeNodeFile } from '../node/node.js';
import { finding, readNode } from '../node/read-node.js';
import { isAllowedSecret, allowedSecretsIn } from './allowed-secrets.js';

const NODE_MAX_BYTES = 1_048_576;
const RAW_MAX_BYTES = 5 * 1_048_576;

export interface CheckedFile {
  readonly path: string;
  readonly node: KnowledgeNodeFile | null;
  /** The ID, if there is a valid one. The node may have other faults. */
  readonly id: string | null;
  readonly findings: readonly KnowledgeFinding[];
}

/** Runs all checks of a single file: a node, a capture, or another text of the repository. */
export async function checkFile(path: string, content: Buffer): Promise<CheckedFile> {
  const isNode = isNodePath(path);
  const limit = isNode ? NODE_MAX_BYTES : RAW_MAX_BYTES;
  if (content.length > limit) {
    const message = `${content.length} bytes; at most ${limit}`;
    return { path, node: null, id: null, findings: [finding('file-too-large', path, null, message)] };
  }
  const text = decode(content);
  if (text === null) {
    // A picture under raw/ is accepted, because it has no text to check.
    if (isRawPath(path))
      return { path, node: null, id: null, findings: await secretsIn(path, content.toString('latin1')) };
    const message = 'the file is not valid UTF-8, or contains NUL';
    return { path, node: null, id: null, findings: [finding('encoding-invalid', path, null, message)] };
  }
  if (!isNode) return { path, node: null, id: null, findings: await secretsIn(path, text) };
  const { node, id, findings, document } = readNode(text, path);
  const secrets = await secretsIn(path, text, allowedSecretsIn(document));
  return { path, node, id, findings: [...findings, ...secrets] };
}

/** Reports the position and kind of a secret, never its value. */
async function secretsIn(
  path: string,
  text: string,
  allowed: ReadonlySet<string> = new Set(),
): Promise<KnowledgeFinding[]> {
  const secrets = await findSecrets(text);
  return secrets.map((secret) => {
    const { span, title, rule, isSure } = secret;
    const isAllowed = isSure && isAllowedSecret(text, secret, allowed);
    const code = isSure && !isAllowed ? 'secret-found' : 'secret-suspected';
    const words = isAllowed ? `${title} (${rule}), which a person allowed` : `${title} (${rule})`;
    return finding(code, path, lineOf(text, span[0]), words);
  });
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function decode(content: Buffer): string | null {
  if (content.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null; // The text is not UTF-8, which is a finding.
  }
}
