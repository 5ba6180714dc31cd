/** SHA-256 in hex. */
type Sha256 = (data: string | Uint8Array) => string;

/** What lay at a path, its links resolved: how it may be used, and the SHA-256 of what is in it. */
export interface BoundContent {
  readonly path: string;
  readonly real: string;
  readonly content: string;
}

/** How a file is laid out that commands may read and not write: what begins with `#!` may be run. */
export function laidOutMode(file: Uint8Array): number {
  return file[0] === 0x23 && file[1] === 0x21 ? 0o555 : 0o444;
}

/** What such a file is bound as. */
export function laidOutContent(file: Uint8Array, sha256: Sha256): string {
  return `${laidOutMode(file).toString(8)} ${sha256(file)}`;
}

/** The digest of surroundings together with the content that was seen in them; where there was none they stay as they are. */
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
