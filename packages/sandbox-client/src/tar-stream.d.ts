// This declares the part of tar-stream 2.2.0 that this package uses. Its types would be a separate package.
declare module 'tar-stream' {
  import type { Readable, Writable } from 'node:stream';

  export interface Headers {
    readonly name: string;
    readonly type?: string | null;
    readonly size?: number;
    readonly mode?: number;
    readonly mtime?: Date;
    readonly linkname?: string | null;
  }

  export interface Pack extends Readable {
    entry(headers: Headers, content: Buffer): Writable;
    finalize(): void;
  }

  export function pack(): Pack;
}
