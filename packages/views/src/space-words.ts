import { formatNetworkRule } from '@aish/contracts/network';
import type { Space } from '@aish/contracts/spaces';

/**
 * Formats a space's access as options of `aish space set`, for editing. Settings that options cannot express (partly
 * private rules, instructions) are omitted and stay unchanged.
 */
export function spaceWords(space: Space): string {
  const { network, limits, mcpServers, preset, stepBudget, tokenBudget } = space;
  return [
    space.name,
    ...networkWords(network),
    ...each('--folder', space.hostFolders),
    ...each('--host', space.hosts),
    ...each('--secret', space.secrets),
    `--image ${space.image ?? 'none'}`,
    `--memory ${limits.memoryMb ?? 0}`,
    ...(limits.cpus !== undefined && !Number.isInteger(limits.cpus) ? [] : [`--cpus ${limits.cpus ?? 0}`]),
    `--gpus ${limits.gpus === true ? 'all' : 'none'}`,
    ...(mcpServers === null ? ['--mcp all'] : each('--mcp', mcpServers)),
    `--preset ${preset ?? 'none'}`,
    `--steps ${stepBudget ?? 0}`,
    `--tokens ${tokenBudget ?? 0}`,
    ...people('--user', space.users),
    ...people('--decider', space.deciders),
  ].join(' ');
}

function networkWords(network: Space['network']): readonly string[] {
  if (network.mode === 'none') return ['--network none'];
  const [first, ...others] = network.rules;
  if (others.some((rule) => rule.private !== first?.private)) return [];
  const hosts = network.rules.map(formatNetworkRule);
  return [...each('--network', hosts), ...(first?.private === true ? ['--private'] : [])];
}

function each(option: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [`${option} none`] : names.map((name) => `${option} ${name}`);
}

/** Formats a list of people. An empty list cannot be written, because it means only admins. */
function people(option: string, names: readonly string[] | null): readonly string[] {
  if (names === null) return [`${option} everyone`];
  return names.map((name) => `${option} ${name}`);
}
