import { execFileSync } from 'node:child_process';

/** Set by swarm.spec on the node of a Swarm that it made. */
export const MADE_BY_TESTS = 'dev.aish.made-by-tests';

/**
 * Ends the Swarm that swarm.spec made, once no suite needs the engine any more: an engine that leaves a Swarm forgets the
 * names of all its running containers, also on networks that are none of the Swarm's, until each is started again.
 */
export default function leaveSwarm(): void {
  if (docker('info', '--format', '{{.Swarm.LocalNodeState}}') !== 'active') return;
  const label = `{{index .Spec.Labels "${MADE_BY_TESTS}"}}`;
  if (docker('node', 'inspect', 'self', '--format', label) !== 'yes') return;
  const others = docker('ps', '--format', '{{.Names}}');
  if (others !== '') {
    // Not by console: Jest has replaced that, and takes what comes after the last test for a fault.
    process.stderr.write(
      `The tests made a Swarm of this engine and leave it at that, because containers run that would lose sight of each other (${others.replaceAll('\n', ', ')}). To end it: docker swarm leave --force, and start those again.\n`,
    );
    return;
  }
  docker('swarm', 'leave', '--force');
  docker('network', 'rm', 'docker_gwbridge');
}

/** @returns what it printed; nothing when there is no engine. */
function docker(...args: string[]): string {
  try {
    return execFileSync('docker', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    }).trim();
  } catch (error) {
    console.error(`docker ${args.join(' ')}: ${error instanceof Error ? error.message : String(error)}`);
    return '';
  }
}
