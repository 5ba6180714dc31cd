import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { z } from 'zod';
import { ROOT } from './service.process.js';

const Dashboard = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      type: z.string(),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});

export interface Query {
  readonly panel: string;
  readonly expr: string;
  /** The errors that Prometheus' grammar finds, each as the text from there on. */
  readonly faults: readonly string[];
  /** The metrics that the query uses. */
  readonly metrics: readonly string[];
}

/** Returns every query of the Grafana dashboard in compose. */
export function dashboardQueries(): readonly Query[] {
  const text = readFileSync(`${ROOT}deploy/compose/grafana/dashboards/aish.json`, 'utf8');
  return Dashboard.parse(JSON.parse(text)).panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ panel: title, expr, ...read(expr.replaceAll('$__rate_interval', '1m')) })),
  );
}

/** Returns the metric names in Prometheus' text format, as queries use them. */
export function metricNames(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/^([a-zA-Z_:][\w:]*)[{ ]/gm), ([, name]) => String(name)));
}

function read(expr: string): { faults: string[]; metrics: string[] } {
  const faults: string[] = [];
  const metrics: string[] = [];
  parser.parse(expr).iterate({
    enter: ({ name, type, from, to }) => {
      if (type.isError) faults.push(expr.slice(from));
      if (name === 'VectorSelector') metrics.push(/^[\w:]+/.exec(expr.slice(from, to))?.[0] ?? '');
    },
  });
  return { faults, metrics };
}
