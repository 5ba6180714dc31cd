import * as z from 'zod';
import { SandboxAddresses } from '../sandboxes.js';

/** Settings that more than one service has. */

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

export const Telemetry = z.object({
  METRICS_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Lets Prometheus read GET /metrics; at the api a token with scope observe does, too'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where metrics and traces are sent, OTLP over HTTP; unset sends nothing'),
});

export const Hosts = z.object({
  HOSTS_CA_KEY: z
    .string()
    .min(32)
    .optional()
    .describe('What certificates for other hosts are signed with; unset: commands run on no other host. docs/hosts.md'),
});

export const knowledgeDir = z
  .string()
  .min(1)
  .optional()
  .describe('Git repository of the knowledge base; unset: there is none');
