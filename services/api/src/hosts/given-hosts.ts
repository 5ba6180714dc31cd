import { AishError } from '@aish/contracts/problems';
import { listHosts, type HostRow } from '@aish/database/hosts.repository';
import type { Tx } from '@aish/database/tx';

/** The hosts of these names. @throws AishError `host_not_given` where an admin has added none of that name. */
export async function checkHosts(tx: Tx, names: readonly string[]): Promise<readonly HostRow[]> {
  if (names.length === 0) return [];
  const known = await listHosts(tx);
  const unknown = names.find((name) => !known.some((host) => host.name === name));
  if (unknown === undefined) return known.filter(({ name }) => names.includes(name));
  const offer = known.length === 0 ? 'there is none' : `there are ${known.map(({ name }) => name).join(', ')}`;
  throw new AishError('host_not_given', `There is no host ${unknown}; ${offer}. An admin adds one: aish host add`);
}

/** For the model, which sees no configuration. */
export function hostNotice(hosts: readonly HostRow[]): string {
  if (hosts.length === 0) return '[aish] commands reach no other host over ssh';
  const names = hosts.map(({ name, user }) => `${name} (as ${user})`).join(', ');
  return `[aish] hosts that commands reach over ssh: ${names}. Write ssh NAME 'command'; without -t, -i or forwarding. What only reads runs at once; for anything else write one CMD line for each host, with the command in plain text`;
}
