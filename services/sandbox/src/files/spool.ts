import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AishError } from '@aish/contracts/problems';

const MIB = 2 ** 20;
const READ_BYTES = 256 * 1024;

/**
 * Stores an upload on this service's disk, so that the service can check its size and contents before it writes
 * anything to a workspace. The upload is never in memory as a whole. The file has no name on disk, so nothing is left
 * after a crash.
 */
export class Spool {
  private constructor(
    private readonly file: FileHandle,
    readonly sizeBytes: number,
  ) {}

  /** @throws AishError `file_too_large`; `disk_full` if this service's own disk is full. */
  static async of(stages: readonly [Readable, ...NodeJS.ReadWriteStream[]], folder: string): Promise<Spool> {
    const path = join(folder, `${randomUUID()}.tmp`);
    const file = await open(path, 'wx+', 0o600);
    try {
      await rm(path);
      await pipeline([...stages, into(file)]);
      return new Spool(file, (await file.stat()).size);
    } catch (error) {
      await file.close();
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
        throw new AishError('disk_full', 'The disk of the sandbox service is full', {}, { cause: error });
      }
      throw error;
    }
  }

  /**
   * Opens a new stream. A stream made from the file handle would keep the file open until someone reads it to the end,
   * which may never happen.
   */
  read(): Readable {
    const { file } = this;
    const chunks = async function* () {
      for (let at = 0; ;) {
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    };
    return Readable.from(chunks(), { objectMode: false });
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

function into(file: FileHandle): Writable {
  const append = async (chunk: Buffer, done: (error?: Error) => void) => {
    try {
      await file.writeFile(chunk);
    } catch (error) {
      return done(error as Error);
    }
    done();
  };
  return new Writable({ write: (chunk: Buffer, _encoding, done) => void append(chunk, done) });
}

/** Passes on at most this many MiB, and fails with `file_too_large` at the next byte. */
export function atMost(maxMb: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxMb * MIB) done(tooLarge(maxMb));
      else done(null, chunk);
    },
  });
}

function tooLarge(maxMb: number): AishError {
  return new AishError('file_too_large', `At most ${maxMb} MiB can be uploaded at once (FILES_MAX_MB)`, { maxMb });
}
