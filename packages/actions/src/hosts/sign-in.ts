import type { HostSignIn } from '@aish/contracts/hosts';
import type { HostRow } from '@aish/database/hosts.repository';
import type { HostAuthority } from './authority.js';

/** Makes a sign-in of aish itself to a host, for one command without input. */
export function signInAs(
  authority: HostAuthority,
  host: HostRow,
  command: string,
  { serial, id }: { readonly serial: number; readonly id: string },
): HostSignIn {
  const { name, address, port, user, keys, sealed } = host;
  const key =
    sealed === null
      ? authority.sign({ host: name, command, serial, id })
      : { privateKey: authority.openKey(sealed).privateKey, certificate: null };
  return { address, port, user, keys: [...keys], ...key, command, subsystem: false, stdin: false };
}
