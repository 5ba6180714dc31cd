import { z } from 'zod';

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
