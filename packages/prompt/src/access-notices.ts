import type { HostFolderOffer } from '@aish/contracts/host-folders';
import type { NetworkPolicy } from '@aish/contracts/network';
import type { NewTurn } from '@aish/contracts/sessions';
import { addressOf, type Secret } from '@aish/contracts/secrets';
import type { Space } from '@aish/contracts/spaces';
import { noticeTurn } from './turns.js';

// Notices about access, which the model gets at the start and after changes. The model sees no configuration. Without
// the notices it would try access that it does not have, or never use access that it has.

export function folderNotice(folders: readonly HostFolderOffer[]): string {
  if (folders.length === 0) return '[aish] commands find no folders of the host';
  const lines = folders.map(({ containerPath, readOnly, mode }) => {
    if (mode === 'held') return `${containerPath} (held: what changes or deletes files there waits for the user)`;
    return `${containerPath} (${readOnly ? 'read-only' : 'writable, and nothing undoes what you do there'})`;
  });
  return `[aish] folders of the host that commands find: ${lines.join(', ')}`;
}

export function hostNotice(hosts: readonly { readonly name: string; readonly user: string }[]): string {
  if (hosts.length === 0) return '[aish] commands reach no other host over ssh';
  const names = hosts.map(({ name, user }) => `${name} (as ${user})`).join(', ');
  return `[aish] commands reach ${hosts.length === 1 ? 'this host' : 'these hosts'} over ssh: ${names}. To run something there, write for example:
CMD: ssh ${hosts[0]?.name ?? ''} 'uptime'
Use no -t, -i or forwarding. To change something, write one such line for each host, with the command in plain text`;
}

export function networkNotice(policy: NetworkPolicy): string {
  if (policy.mode === 'none') return '[aish] commands reach no network';
  const places = policy.rules.map(({ host, ports }) => `${host}:${ports.join('/')}`);
  return `[aish] commands reach ${places.join(', ')} over HTTP and HTTPS, by the proxy in HTTPS_PROXY, and nothing else`;
}

/** Returns the notice that adds one destination to those already reported. */
export function wayNotice({ host, port }: { readonly host: string; readonly port: number }): string {
  return `[aish] commands reach ${host}:${port} over HTTP and HTTPS, too, by the proxy in HTTPS_PROXY`;
}

export function secretsNotice(secrets: readonly Pick<Secret, 'name' | 'targets' | 'exposed'>[]): string {
  if (secrets.length === 0) return '[aish] commands have no secrets';
  const inClear = secrets.filter(({ exposed }) => exposed).map(({ name }) => `$${name}`);
  const clear =
    inClear.length === 0
      ? ''
      : `[aish] commands have these secrets in clear, for programs that need them: ${inClear.join(', ')}. Give them as variables; do not print or write them.`;
  const held = secrets.filter(({ exposed }) => !exposed);
  if (held.length === 0) return clear;
  const each = held.map(({ name, targets }) => `$${name} for ${targets.map(addressOf).join(', ')}`);
  return `${clear === '' ? '' : `${clear}\n`}[aish] commands may use these secrets: ${each.join('; ')}. Each variable holds a placeholder. Send it in a header or in the address, as you would send the secret: on its way to that host, and to no other, the secret is put in.`;
}

export function imageNotice(name: string, packages: readonly string[]): string {
  const more = packages.length === 0 ? '' : `: besides the usual tools it has ${packages.join(', ')}`;
  return `[aish] commands run in the image ${name}${more}`;
}

export function spaceTurn({ name, instructions }: Pick<Space, 'name' | 'instructions'>): NewTurn {
  const text = instructions.trim();
  const content = `[aish] this is work in the space ${name}. What its owner says of it:\n\n${text}`;
  return noticeTurn(content, [{ provenance: 'person', text }]);
}
