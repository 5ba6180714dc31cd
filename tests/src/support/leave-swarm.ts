import { execFileSync } from 'node:child_process';

/** swarm.spec sets this label on the node of its Swarm. */
export const MADE_BY_TESTS = 'dev.aish.made-by-tests';

/**
 * Ends the Swarm of swarm.spec after all suites. An engine that leaves a Swarm forgets the names of all its running
 * containers, even on other networks, until each of them is restarted.
 */
export default function leaveSwarm(): void {
  if (docker('info', '--format', '{{.Swarm.LocalNodeState}}') !== 'active') return;
  const label = `{{index .Spec.Labels "${MADE_BY_TESTS}"}}`;
  if (docker('node', 'inspect', 'self', '--format', label) !== 'yes') return;
  const others = docker('ps', '--format', '{{.Names}}');
  if (others !== '') {
    // The console is not used, because Jest has replaced it and treats output after the last test as an error.
    process.stderr.write(
      `The tests made a Swarm of this engine and leave it at that, because containers run that would lose sight of each other (${others.replaceAll('\n', ', ')}). To end it: docker swarm leave --force, and start those again.\n`,
    );
    return;
  }
  docker('swarm', 'leave', '--force');
  docker('network', 'rm', 'docker_gwbridge');
}

/** @returns the output, or '' if there is no engine */
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
