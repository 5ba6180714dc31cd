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
