import { SpanKind, SpanStatusCode, trace, type Attributes } from '@opentelemetry/api';

/**
 * Runs `fn` inside a span. The span ends with `fn` and gets the name of its error. Without a trace endpoint this costs
 * and records nothing. `attributes` contain names and numbers, never text or output.
 */
export function inSpan<T>(name: string, attributes: Attributes, fn: () => Promise<T>, client = false): Promise<T> {
  const options = { attributes, kind: client ? SpanKind.CLIENT : SpanKind.INTERNAL };
  return trace.getTracer('aish').startActiveSpan(name, options, async (span) => {
    try {
      return await fn();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'internal';
      span.setStatus({ code: SpanStatusCode.ERROR, message: code });
      span.setAttribute('error.type', code);
      throw error;
    } finally {
      span.end();
    }
  });
}
