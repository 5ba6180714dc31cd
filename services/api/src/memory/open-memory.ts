import type { Broker } from '@aish/broker';
import type { ApiConfig } from '@aish/contracts/config/api.config';
import { presetNamed, type Preset } from '@aish/contracts/config/presets.settings';
import type { Database } from '@aish/database/client';
import type { Logger } from '@aish/http';
import type { EventHub } from '../sessions/event-hub.js';
import { MemoryKeeper } from './memory-keeper.js';
import { MemoryService } from './memory.service.js';

interface Parts {
  readonly db: Database;
  readonly broker: Broker;
  readonly presets: readonly Preset[];
  readonly hub: EventHub;
  readonly logger: Logger;
}

/** The memory as the configuration wants it; its keeper has started. @throws AishError `invalid_config` */
export function openMemory(
  config: ApiConfig,
  { db, broker, presets, hub, logger }: Parts,
): { readonly memory: MemoryService; readonly keeper: MemoryKeeper } {
  const preset = presetNamed(presets, config.MEMORY_PRESET);
  const inject = { mode: config.MEMORY_INJECT, maxChars: config.MEMORY_INJECT_MAX_CHARS };
  const memory = new MemoryService(db, broker, presets, { inject, preset }, (err, what) =>
    logger.warn({ err }, `could not ${what}`),
  );
  const keeper = new MemoryKeeper(
    db,
    memory,
    broker,
    {
      summarizeAtEnd: config.MEMORY_SUMMARIZE_AT_END,
      summarizeEvery: config.MEMORY_SUMMARIZE_EVERY,
      pruneOlderThanDays: config.MEMORY_PRUNE_OLDER_THAN_DAYS ?? null,
      compactAboveBytes: config.MEMORY_COMPACT_ABOVE_KB * 1024,
      preset,
    },
    logger,
  );
  keeper.start((listener) => hub.listen(listener));
  return { memory, keeper };
}
