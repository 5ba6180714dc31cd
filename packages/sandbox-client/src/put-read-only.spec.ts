import { expect, it } from '@jest/globals';
import { putReadOnly } from './workspaces.port.js';

it('putReadOnly sends several files in one archive, read-only, with executable scripts', async () => {
  let archive = Buffer.alloc(0);
  const workspaces = {
    write: async (...[, , , body]: readonly [string, string, string, AsyncIterable<Uint8Array>, AbortSignal]) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of body) pieces.push(piece);
      archive = Buffer.concat(pieces);
    },
  };
  const files = new Map([
    ['scripts/look.sh', Buffer.from('#!/bin/sh\n')],
    ['notes.md', Buffer.from('x'.repeat(70_000))],
    ['empty', Buffer.alloc(0)],
  ]);
  await putReadOnly(workspaces, 'id', '.runbooks/tidy', files, AbortSignal.timeout(5_000));
  expect(headersIn(archive)).toEqual([
    ['.runbooks/tidy/scripts/look.sh', '555'],
    ['.runbooks/tidy/notes.md', '444'],
    ['.runbooks/tidy/empty', '444'],
  ]);
});

/** Returns the names and modes in a ustar file. */
function headersIn(tar: Buffer): readonly (readonly [string, string])[] {
  const found: [string, string][] = [];
  for (let at = 0; at < tar.length && tar[at] !== 0;) {
    const field = (from: number, size: number): string =>
      tar.toString('latin1', at + from, at + from + size).replaceAll(/[\0 ]/g, '');
    found.push([field(0, 100), field(100, 8).replace(/^0+/, '')]);
    at += 512 + Math.ceil(Number.parseInt(field(124, 12), 8) / 512) * 512;
  }
  return found;
}
