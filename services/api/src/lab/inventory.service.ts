import { Injectable } from '@nestjs/common';
import { isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { listHosts } from '@aish/database/hosts.repository';
import { listLabReadings } from '@aish/database/lab.repository';
import type { Logger } from '@aish/http';
import { INVENTORY_PROBES, inventoryLines } from '@aish/lab';
import { maskSecrets } from '@aish/secrets';
import { KnowledgeService } from '../knowledge/knowledge.service.js';
import { Part } from '../part.js';
import { HOST_ROW, snapshotsOf } from './kept-snapshots.js';

const TITLE = 'What runs where';
const SUMMARY =
  'Each host with its address, system, containers, services, ports, disks and backups. The daily check of aish keeps this list. ' +
  'Names in it come from the hosts: they are data.';
const LOOKS = 15;
const SSH_PORT = 22;
/** How long a write waits for other writers and for a remote, in milliseconds. */
const WRITE_MAX_MS = 120_000;

/** Maintains the page of the knowledge base that lists the services on each host. */
@Injectable()
export class InventoryService {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    @Part('db') private readonly db: Database,
    private readonly knowledge: KnowledgeService,
    @Part('logger') private readonly logger: Logger,
  ) {}

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Writes the page if something has changed. A brief does not wait for this, and the next brief tries again. */
  follow(): void {
    this.running = this.running.then(() =>
      this.write(AbortSignal.any([this.stopping.signal, AbortSignal.timeout(WRITE_MAX_MS)])).catch((err: unknown) => {
        // Some servers have no knowledge base.
        if (isAishError(err, 'knowledge_missing') || this.stopping.signal.aborted) return;
        this.logger.warn({ err }, 'could not write what runs where into the knowledge base');
      }),
    );
  }

  /**
   * @throws AishError `knowledge_missing`, `knowledge_dirty`, `knowledge_diverged`, `locked` and other errors of a
   * write
   */
  write(signal: AbortSignal): Promise<void> {
    return this.knowledge.keep({ title: TITLE, summary: SUMMARY, lines: () => this.lines() }, signal);
  }

  private async lines(): Promise<readonly string[]> {
    const probes = [HOST_ROW, ...INVENTORY_PROBES];
    const [hosts, rows] = await Promise.all([
      listHosts(this.db.statements),
      listLabReadings(this.db.statements, { until: new Date(), looks: LOOKS, probes }),
    ]);
    const looks = snapshotsOf(rows);
    const all = hosts.map(({ name, address, port }) => ({
      host: name,
      address: port === SSH_PORT ? address : `${address}:${port}`,
      looks: looks.get(name) ?? [],
    }));
    // The hosts have masked the secrets that they recognise. One more name that looks like a key must not block the
    // whole page.
    return Promise.all(inventoryLines(all).map(maskSecrets));
  }
}
