import { z } from 'zod';

export const Hosts = z.object({
  HOSTS_CA_KEY: z
    .string()
    .min(32)
    .optional()
    .describe('What certificates for other hosts are signed with; unset: commands run on no other host. docs/hosts.md'),
});
