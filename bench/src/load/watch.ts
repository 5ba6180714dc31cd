import type { Service } from '@aish/tests/support/service';
import type { Figures } from '../benchmark.js';
import { cpuMs, rssMb } from '../relay/process.js';
import { now, percentile } from '../statistics.js';

interface Sample {
  readonly at: number;
  readonly rss: Readonly<Record<string, number>>;
  readonly queued: number;
  readonly oldestS: number;
}

const EVERY_MS = 1_000;
/**
 * Memory is averaged over this share of the time, in the middle and at the end, because garbage collection makes it
 * fluctuate.
 */
const WINDOW = 0.1;

/** Samples processes and the queue once a second until `stop`. */
export class Watch {
  private readonly samples: Sample[] = [];
  private readonly began = now();
  private readonly cpu: Readonly<Record<string, number>>;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly services: readonly Service[],
    private readonly metrics: { readonly url: string; readonly token: string },
  ) {
    this.cpu = Object.fromEntries(services.map((service) => [nameOf(service), cpuMs(service.pid ?? 0)]));
    this.look(0, 0);
    this.timer = setInterval(() => void this.lookAtQueue(), EVERY_MS).unref();
  }

  /** @param loadMs how long the load lasted; later samples count only for the queue */
  stop(loadMs: number): Figures {
    clearInterval(this.timer);
    const took = now() - this.began;
    const figures: Record<string, number> = {
      queue_depth_most: Math.max(...this.samples.map(({ queued }) => queued)),
      queue_age_most_s: Math.max(...this.samples.map(({ oldestS }) => oldestS)),
    };
    let growth = 0;
    let most = 0;
    for (const service of this.services) {
      const name = nameOf(service);
      const at = (share: number) => this.rssAround(name, this.began + loadMs * share, loadMs * WINDOW);
      const [start, middle, end] = [this.samples[0]?.rss[name] ?? Number.NaN, at(0.5), at(1 - WINDOW / 2)];
      figures[`${name}_rss_start_mb`] = start;
      figures[`${name}_rss_middle_mb`] = middle;
      figures[`${name}_rss_end_mb`] = end;
      figures[`${name}_cpu_ratio`] = (cpuMs(service.pid ?? 0) - (this.cpu[name] ?? 0)) / took;
      growth = Math.max(growth, end / middle);
      most = Math.max(most, ...this.samples.map(({ rss }) => rss[name] ?? 0));
    }
    return { ...figures, second_half_growth_ratio: growth, rss_most_mb: most };
  }

  private rssAround(name: string, at: number, width: number): number {
    const near = this.samples.filter((sample) => Math.abs(sample.at - at) <= Math.max(width, 2 * EVERY_MS) / 2);
    return percentile(
      near.map(({ rss }) => rss[name] ?? Number.NaN),
      0.5,
    );
  }

  private async lookAtQueue(): Promise<void> {
    const response = await fetch(this.metrics.url, {
      headers: { authorization: `Bearer ${this.metrics.token}` },
      signal: AbortSignal.timeout(30_000),
    }).catch(() => null); // the api is busy, and the next sample follows a second later
    const text = (await response?.text()) ?? '';
    const gauge = (name: string) =>
      Number(new RegExp(`^${name}\\{[^}]*state="queued"[^}]*\\} (\\S+)`, 'm').exec(text)?.[1] ?? 0);
    this.look(gauge('aish_goals'), gauge('aish_goals_oldest'));
  }

  private look(queued: number, oldestS: number): void {
    const rss = Object.fromEntries(
      this.services.flatMap((service) => (service.isRunning ? [[nameOf(service), rssMb(service.pid ?? 0)]] : [])),
    );
    this.samples.push({ at: now(), rss, queued, oldestS });
  }
}

/** Returns the name of a service in figures, such as `worker_0` for `worker-0`. */
function nameOf({ name }: Service): string {
  return name.replaceAll('-', '_');
}
