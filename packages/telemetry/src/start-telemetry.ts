import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader, type MetricReader } from '@opentelemetry/sdk-metrics';
import type { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

export interface TelemetryOptions {
  /**
   * The name of the service: `api`, `norris-worker` or `sandbox`. It becomes the `service.name` `aish-api` and so on.
   */
  readonly service: string;
  readonly version: string;
  /**
   * The OTLP endpoint over HTTP, without `/v1/…`. If it is absent, nothing leaves the process and no spans are created.
   */
  readonly otlpEndpoint?: string | undefined;
  /** How often metrics are sent, in milliseconds. */
  readonly otlpIntervalMs?: number;
}

export interface Telemetry {
  /** Returns all metrics in the text format of Prometheus. */
  prometheus(): Promise<string>;
  /** Sends the remaining data, for at most five seconds. */
  shutdown(): Promise<void>;
}

const EXPORT_TIMEOUT_MS = 5_000;

/** Starts metrics for this process, and traces if an endpoint is set. Call it before anything is measured. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const resource = resourceFromAttributes({
    'service.name': `aish-${options.service}`,
    'service.version': options.version,
  });
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const readers: MetricReader[] = [exporter];
  let tracer: NodeTracerProvider | undefined;
  if (options.otlpEndpoint !== undefined) {
    const endpoint = options.otlpEndpoint.replace(/\/+$/, '');
    // These modules are loaded only when they are used, because they need 10 MB of memory.
    const [{ OTLPMetricExporter }, { OTLPTraceExporter }, sdk] = await Promise.all([
      import('@opentelemetry/exporter-metrics-otlp-http'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/sdk-trace-node'),
    ]);
    readers.push(
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics`, timeoutMillis: EXPORT_TIMEOUT_MS }),
        exportIntervalMillis: options.otlpIntervalMs ?? 60_000,
        exportTimeoutMillis: Math.min(EXPORT_TIMEOUT_MS, options.otlpIntervalMs ?? EXPORT_TIMEOUT_MS),
      }),
    );
    tracer = new sdk.NodeTracerProvider({
      resource,
      spanProcessors: [
        new sdk.BatchSpanProcessor(
          new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT_MS }),
        ),
      ],
    });
    tracer.register();
  }
  const meter = new MeterProvider({ resource, readers });
  metrics.setGlobalMeterProvider(meter);
  const serializer = new PrometheusSerializer();
  return {
    prometheus: async () => {
      const { resourceMetrics } = await exporter.collect();
      return serializer.serialize(resourceMetrics);
    },
    shutdown: async () => {
      const bound = new Promise<void>((resolve) => void setTimeout(resolve, EXPORT_TIMEOUT_MS).unref());
      // An unavailable endpoint must not keep the service from ending.
      await Promise.race([Promise.allSettled([meter.shutdown(), tracer?.shutdown()]), bound]);
      metrics.disable();
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}
