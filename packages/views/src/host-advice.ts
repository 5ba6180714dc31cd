/** The advice for a person about a host that the check could not sign in to. The patterns match OpenSSH's error. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/not trusted yet/i, 'Compare the key of the host, then trust it.'],
  [
    /permission denied|too many authentication failures/i,
    'The host refused the sign-in. Put the line into ~/.ssh/authorized_keys of this user. The file must belong to the user and have mode 600.',
  ],
  [
    /host key verification failed|identification has changed/i,
    'The host presents a different key from the trusted one. Compare the keys again. Trust the new key only if you know why it changed.',
  ],
  [
    /connection refused/i,
    'No SSH server is listening there. Start one, or remove the host and add it with the right port.',
  ],
  [
    /timed out|no route|unreachable|could not resolve|name or service/i,
    'The aish server cannot reach this address. Check the address, that the machine is on, and the firewalls in between.',
  ],
];
const OTHERWISE = 'Read the log of the SSH server on the host: journalctl -u ssh.';

export function hostAdvice(detail: string): string {
  return ADVICE.find(([words]) => words.test(detail))?.[1] ?? OTHERWISE;
}
