import * as z from 'zod';
import { SandboxAddresses } from '../sandboxes.js';

/** Settings that several services share. */

export const SandboxAccess = z.object({
  SANDBOX_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:7719')
    .describe('Address of the sandbox service'),
  SANDBOXES: SandboxAddresses.describe(
    'More sandbox services on other machines: name=url, separated by spaces. A new workspace is created on the least ' +
      'busy one and stays there; the service at SANDBOX_URL has the name default',
  ),
  SANDBOX_TOKEN: z
    .string()
    .min(16)
    .describe('Secret that the workers, the api and every sandbox share; at least 16 characters'),
});

export const Telemetry = z.object({
  METRICS_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Token with which Prometheus reads GET /metrics; the api also accepts a token with scope observe'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address for metrics and traces (OTLP over HTTP); unset: none are sent'),
});

export const Hosts = z.object({
  HOSTS_CA_KEY: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Key that signs certificates for other hosts; unset: commands cannot run on other hosts. See docs/hosts.md',
    ),
});

export const knowledgeDir = z
  .string()
  .min(1)
  .optional()
  .describe('Git repository of the knowledge base; unset: there is no knowledge base');
