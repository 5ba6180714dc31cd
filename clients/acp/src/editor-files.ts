import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { ApiClient } from '@aish/client/api.client';

/** Largest text that goes to or from an editor. */
const FILE_MAX_CHARS = 256 * 1024;
const FILES_MAX = 50;

/** The files of the editor that a session has got: in the workspace under the same names as below the editor's folder. */
export class EditorFiles {
  /** What the editor has, by path below its folder. */
  private readonly known = new Map<string, string>();

  constructor(
    private readonly client: ApiClient,
    private readonly sessionId: string,
    private readonly folder: string,
  ) {}

  get paths(): readonly string[] {
    return [...this.known.keys()];
  }

  whole(path: string): string {
    return resolve(this.folder, path);
  }

  /** The path below the editor's folder; null for what is elsewhere. */
  below(path: string): string | null {
    const inside = relative(this.folder, path);
    return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? null : inside.split(sep).join('/');
  }

  /** Puts a text of the editor into the workspace. */
  async put(path: string, text: string, signal: AbortSignal): Promise<void> {
    if (this.known.get(path) === text) return;
    if (!this.known.has(path) && this.known.size >= FILES_MAX) return;
    const upload = new Blob([text]).stream();
    await this.client.pushFile(this.sessionId, path, 'file', upload, signal);
    this.known.set(path, text);
  }

  /** What commands have made of a file that the editor has; null where it is the same, gone, or no text. */
  async changed(path: string, signal: AbortSignal): Promise<{ readonly before: string; readonly now: string } | null> {
    const before = this.known.get(path);
    const now = await this.read(path, signal);
    return before === undefined || now === null || now === before ? null : { before, now };
  }

  /** The editor has it now as the workspace has it. */
  settled(path: string, text: string): void {
    this.known.set(path, text);
  }

  /** A text of the workspace; null for what is none, not there or too large. */
  async read(path: string, signal: AbortSignal): Promise<string | null> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of this.client.pullFile(this.sessionId, path, 'file', signal)) {
        size += chunk.length;
        if (size > FILE_MAX_CHARS) return null;
        chunks.push(chunk);
      }
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    } catch (error) {
      if (signal.aborted) throw error;
      return null; // it is gone, or bytes: there is nothing to show
    }
  }
}

/** A file that a message of an editor speaks of. */
export interface Mentioned {
  readonly path: string;
  /** Null: the editor has to be asked. */
  readonly text: string | null;
}

/** The words of a message, and the files that it speaks of. */
export function readPrompt(blocks: readonly ContentBlock[]): { readonly text: string; readonly files: Mentioned[] } {
  const words: string[] = [];
  const files: Mentioned[] = [];
  for (const block of blocks) {
    if (block.type === 'text') words.push(block.text);
    else if (block.type === 'resource_link') {
      const path = pathOf(block.uri);
      if (path !== null) files.push({ path, text: null });
      words.push(`@${block.name}`);
    } else if (block.type === 'resource' && 'text' in block.resource) {
      const path = pathOf(block.resource.uri);
      if (path === null) words.push(`\n[${block.resource.uri}]\n${block.resource.text}\n`);
      else files.push({ path, text: block.resource.text });
    }
  }
  return { text: words.join(''), files };
}

function pathOf(uri: string): string | null {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : null;
  } catch {
    return null; // of another machine
  }
}
