/** The name of a systemd user timer that pushes a clone, so that no writer waits for the network. */
export const PUSH_UNIT = 'aish-kb-push';

export function pushService(dir: string, aish: readonly string[]): string {
  const command = [...aish, 'kb', 'push', '--unattended', '--repo', dir].map(quoted).join(' ');
  return `# Written by \`aish kb init' on each run.
[Unit]
Description=Push the knowledge base of aish

[Service]
Type=oneshot
ExecStart=${command}
# Not pushed: aish kb doctor says why, and the next time tries again.
SuccessExitStatus=1
`;
}

export const PUSH_TIMER = `# Written by \`aish kb init' on each run.
[Unit]
Description=Push the knowledge base of aish every 15 minutes

[Timer]
OnStartupSec=2min
OnUnitInactiveSec=15min

[Install]
WantedBy=timers.target
`;

/** Quotes one word of a command line for systemd. */
function quoted(word: string): string {
  const escaped = word
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll('%', '%%')
    .replaceAll('$', '$$$$');
  return `"${escaped}"`;
}
