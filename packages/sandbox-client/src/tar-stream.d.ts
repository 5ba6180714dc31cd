// What this package uses of tar-stream 2.2.0, whose types would be a package of their own.
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
