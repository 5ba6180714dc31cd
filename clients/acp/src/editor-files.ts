import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { ApiClient } from '@aish/client/api.client';

/** The largest text that an editor sends or receives, in characters. */
const FILE_MAX_CHARS = 256 * 1024;
const FILES_MAX = 50;

/** Manages the editor's files of a session. The workspace has them under their paths below the editor's folder. */
export class EditorFiles {
  /** The editor's versions of files, by path below its folder. */
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

  /** Returns the path below the editor's folder, or null for a path outside it. */
  below(path: string): string | null {
    const inside = relative(this.folder, path);
    return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? null : inside.split(sep).join('/');
  }

  /** Writes an editor's text into the workspace. */
  async put(path: string, text: string, signal: AbortSignal): Promise<void> {
    if (this.known.get(path) === text) return;
    if (!this.known.has(path) && this.known.size >= FILES_MAX) return;
    const upload = new Blob([text]).stream();
    await this.client.pushFile(this.sessionId, path, 'file', upload, signal);
    this.known.set(path, text);
  }

  /**
   * Returns a file that commands have changed since the editor's version. Returns null if the file is unchanged,
   * deleted, or not text.
   */
  async changed(path: string, signal: AbortSignal): Promise<{ readonly before: string; readonly now: string } | null> {
    const before = this.known.get(path);
    const now = await this.read(path, signal);
    return before === undefined || now === null || now === before ? null : { before, now };
  }

  /** Records that the editor and the workspace have the same version of a file. */
  settled(path: string, text: string): void {
    this.known.set(path, text);
  }

  /** Returns a text of the workspace, or null if the file is missing, too large, or not text. */
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
      return null; // the file is deleted or binary, so there is nothing to show
    }
  }
}

/** A file that a message from the editor mentions. */
export interface Mentioned {
  readonly path: string;
  /** The text of the file. Null means that it must be read from the editor. */
  readonly text: string | null;
}

/** Returns the text of a message, and the files that it mentions. */
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
    return null; // the file is on another machine
  }
}
