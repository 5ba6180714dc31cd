/** Returns the SHA-256 of the data in hex. */
type Sha256 = (data: string | Uint8Array) => string;

/** The content at a path, with its links resolved: the permissions, and the SHA-256 of the data. */
export interface BoundContent {
  readonly path: string;
  readonly real: string;
  readonly content: string;
}

/** The mode of a file that aish provides to commands read-only: executable if it begins with `#!`. */
export function readOnlyFileMode(file: Uint8Array): number {
  return file[0] === 0x23 && file[1] === 0x21 ? 0o555 : 0o444;
}

/** Returns the entry of a read-only file in the digest: its mode and the hash of its content. */
export function readOnlyFileContent(file: Uint8Array, sha256: Sha256): string {
  return `${readOnlyFileMode(file).toString(8)} ${sha256(file)}`;
}

/**
 * The digest of the execution context together with the content of its files. If there are no files, it is the digest
 * of the context alone.
 */
export function boundDigest(
  digest: string,
  { folder, real }: { readonly folder: string; readonly real: string },
  files: readonly BoundContent[],
  sha256: Sha256,
): string {
  if (files.length === 0 && real === folder) return digest;
  const bound = files.map(({ path, real: at, content }) => [path, at, content]);
  return sha256(JSON.stringify([digest, real, bound]));
}
