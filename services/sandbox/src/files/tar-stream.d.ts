// These are the parts of tar-stream 2.2.0 that this service uses. The official types would need another package.
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
    entry(headers: Headers, callback: (error?: Error | null) => void): Writable;
    finalize(): void;
  }

  export interface Extract extends Writable {
    on(event: 'entry', listener: (headers: Headers, stream: Readable, next: (error?: Error) => void) => void): this;
    on(event: string, listener: (...args: never[]) => void): this;
  }

  export function pack(): Pack;
  export function extract(options?: { readonly filenameEncoding?: string }): Extract;
}
