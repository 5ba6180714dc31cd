import { z } from 'zod';
import { SandboxAddresses } from '../sandboxes.js';

export const SandboxAccess = z.object({
  SANDBOX_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:7719')
    .describe('Where the sandbox service listens'),
  SANDBOXES: SandboxAddresses.describe(
    'More sandbox services, on other machines: name=url, a space between two. A new workspace goes to the one with ' +
      'the least to do and stays there; SANDBOX_URL is named default',
  ),
  SANDBOX_TOKEN: z.string().min(16).describe('Shared by worker, api and every sandbox; at least 16 characters'),
});
