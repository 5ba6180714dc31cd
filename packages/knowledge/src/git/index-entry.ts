import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, type BigIntStats } from 'node:fs';
import { AishError } from '@aish/contracts';
import { ENTRY_HEAD } from './index-format.js';

const SECOND_NS = 1_000_000_000n;
const REGULAR_FILE = 0o100644;
const EXECUTABLE = 0o100n;
/** Read whole and at once: what is larger git reads. */
const FILE_MAX_BYTES = 4_194_304n;
const STAT = 40;
const HASH = 20;
/** No clock of a file system that tells parts of a second is coarser; nanoseconds. */
const COARSEST_NS = 100_000_000n;

/**
 * What git's index says of a file of the tree before its path: how it looks, and the name of what is in it, which is taken as it
 * stands, as the commit has it, without a filter of git's attributes.
 * @param path a byte a character. @returns null where there is no file.
 * @throws AishError `knowledge_git` for what is no plain file, or not as in a loose object.
 */
export function entryOf(dir: string, path: string): Buffer | null {
  const file = fileOf(dir, path);
  return ifThere(() => {
    const found = look(file, path);
    // Looked at first: what is written meanwhile then looks different from what is noted here.
    const name = objectName(readFileSync(file));
    // Who has changed the file since the commit was made has put no object there; git would.
    const hex = name.toString('hex');
    if (!existsSync(`${dir}/.git/objects/${hex.slice(0, 2)}/${hex.slice(2)}`))
      throw leftToGit(path, 'its content is not a loose object');
    return Buffer.concat([statOf(found), name, Buffer.alloc(ENTRY_HEAD - STAT - HASH)]);
  });
}

/**
 * Whether git compares contents where the index is of that time, in nanoseconds, and a file of that second: who changes a file right
 * after it was noted may leave it looking the same ("racy git").
 */
export function isRacy(mtime: number, indexMtimeNs: bigint): boolean {
  return BigInt(mtime) >= indexMtimeNs / SECOND_NS;
}

/** Whether such a file is as its entry says. With an index of a later time nobody would look again. */
export function isStillSo(dir: string, path: string, head: Buffer, indexMtimeNs: bigint): boolean {
  const file = fileOf(dir, path);
  const isSo = ifThere(() => {
    const found = look(file, path);
    if (!statOf(found).equals(head.subarray(0, STAT))) return false;
    const isToldByStat = found.mtimeNs % SECOND_NS !== 0n && indexMtimeNs - found.mtimeNs > COARSEST_NS;
    return isToldByStat || objectName(readFileSync(file)).equals(head.subarray(STAT, STAT + HASH));
  });
  return isSo === true;
}

function look(file: Buffer, path: string): BigIntStats {
  const found = lstatSync(file, { bigint: true });
  if (found.isFile() && (found.mode & EXECUTABLE) === 0n && found.size <= FILE_MAX_BYTES) return found;
  throw leftToGit(path, 'it is no plain file, or a large one');
}

function leftToGit(path: string, why: string): AishError {
  return new AishError('knowledge_git', `${path} is left to git: ${why}`);
}

function ifThere<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function fileOf(dir: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(path, 'latin1')]);
}

/** In the order of the file; git keeps the lower 32 bits of each. */
function statOf(found: BigIntStats): Buffer {
  const numbers = [
    found.ctimeNs / SECOND_NS,
    found.ctimeNs % SECOND_NS,
    found.mtimeNs / SECOND_NS,
    found.mtimeNs % SECOND_NS,
    found.dev,
    found.ino,
    BigInt(REGULAR_FILE),
    found.uid,
    found.gid,
    found.size,
  ];
  const buffer = Buffer.alloc(STAT);
  for (const [n, number] of numbers.entries()) buffer.writeUInt32BE(Number(BigInt.asUintN(32, number)), n * 4);
  return buffer;
}

function objectName(content: Buffer): Buffer {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest();
}
