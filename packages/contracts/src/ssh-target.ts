/** A machine as people type it for `ssh`. */
export interface SshTarget {
  readonly address: string;
  readonly user?: string;
  readonly port?: number;
}

/**
 * Reads `nas.lan`, `root@nas.lan:2222`, `ssh://root@nas.lan:2222`, `root@[fe80::1]:22` or `fe80::1`; null for other
 * forms. The caller checks the parts.
 */
export function readSshTarget(text: string): SshTarget | null {
  const [, user, inBrackets, plain, port] =
    /^(?:ssh:\/\/)?(?:([^@\s/]+)@)?(?:\[([^\]\s]+)\]|([^:@[\]\s/]+|[\da-f]*:[\da-f.:]*:[\da-f.:]*))(?::(\d+))?\/?$/i.exec(
      text.trim(),
    ) ?? [];
  const address = inBrackets ?? plain;
  if (address === undefined) return null;
  return { address, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port: Number(port) }) };
}
