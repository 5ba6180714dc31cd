import * as z from 'zod';

/** The name of the sandbox service in SANDBOX_URL. It is the only one unless SANDBOXES lists more. */
export const DEFAULT_SANDBOX = 'default';

export const SandboxName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be a short name of a-z, 0-9 and -');

/** A sandbox service besides the default one. */
export const SandboxAddress = z.object({ name: SandboxName, url: z.url({ protocol: /^https?$/ }) });
export type SandboxAddress = z.infer<typeof SandboxAddress>;

/** A list of sandbox services, for example `garage=http://garage:7719 attic=http://attic:7719`. */
export const SandboxAddresses = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => ({ name: word.split('=', 1)[0] ?? '', url: word.slice(word.indexOf('=') + 1) })),
  )
  .pipe(z.array(SandboxAddress).max(64))
  .superRefine((addresses, context) => {
    const names = [DEFAULT_SANDBOX, ...addresses.map(({ name }) => name)];
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) context.addIssue(`the name ${twice} is used twice (default is the name of SANDBOX_URL)`);
  });

/** How the commands of a session run. */
export const SessionSandbox = z
  .object({
    /**
     * The sandbox service that holds the session's workspace. The first command chooses it permanently. Null until
     * then.
     */
    sandbox: z.string().nullable(),
    /** Whether a command starts where the last one ended: same folder and exported variables. */
    carryOver: z.boolean(),
  })
  .meta({ id: 'SessionSandbox' });
export type SessionSandbox = z.infer<typeof SessionSandbox>;

export const SetSessionSandbox = z.strictObject({ carryOver: z.boolean() }).meta({ id: 'SetSessionSandbox' });
export type SetSessionSandbox = z.infer<typeof SetSessionSandbox>;
