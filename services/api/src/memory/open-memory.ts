import type { Broker } from '@aish/broker';
import type { ApiConfig } from '@aish/contracts/config/api.config';
import { presetNamed, type Preset } from '@aish/contracts/config/presets.settings';
import { MEMORY_INJECT_MAX_CHARS } from '@aish/contracts/memory';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import type { SessionSpaces } from '@aish/database/session-spaces';
import type { Logger } from '@aish/http';
import {
  Compactor,
  MemoryCallers,
  MemoryCandidates,
  MemoryDocuments,
  MemoryItems,
  Recall,
  meaningOf,
  nearNodes,
  questionsOf,
  type AskKnowledge,
  type MemoryParts,
} from '@aish/memory';
import type { EventHub } from '../sessions/event-hub.js';
import { memoryChores } from './memory-chores.js';
import { MemoryMaintainer } from './memory-maintainer.js';
import { MemoryService } from './memory.service.js';
import { SessionBackgrounds } from './session-backgrounds.js';
import { Summaries } from './summaries.js';

interface Parts {
  readonly db: Database;
  readonly spaces: SessionSpaces;
  readonly broker: Broker;
  readonly presets: readonly Preset[];
  readonly hub: EventHub;
  readonly logger: Logger;
}

export interface Memory {
  /** The parts that the tools and routes of the memory use. */
  readonly parts: MemoryParts;
  readonly callers: MemoryCallers;
  readonly compactor: Compactor;
  readonly service: MemoryService;
  readonly backgrounds: SessionBackgrounds;
  readonly maintainer: MemoryMaintainer;
  /** Finds nodes by meaning; null without a model. */
  readonly nearNodes: ReturnType<typeof nearNodes> | null;
  /** Adds nodes of the knowledge base to recall. The knowledge base opens after the memory. */
  recallsNodes(knowledge: AskKnowledge): void;
}

/** Opens the memory according to the configuration, and starts its maintainer. @throws AishError `invalid_config` */
export function openMemory(config: ApiConfig, { db, spaces, broker, presets, hub, logger }: Parts): Memory {
  const preset = presetNamed(presets, config.MEMORY_PRESET);
  const inject = { mode: config.MEMORY_INJECT, maxChars: MEMORY_INJECT_MAX_CHARS };
  const meaning = meaningOf(db, presets);
  const items = new MemoryItems(db, meaning);
  const candidates = new MemoryCandidates(db, items);
  const documents = new MemoryDocuments(db);
  let knowledge: AskKnowledge | null = null;
  const recall = new Recall(db, items, meaning, async (...asked) => {
    if (knowledge === null) throw new AishError('knowledge_missing', 'There is no knowledge base yet');
    return knowledge(...asked);
  });
  const memory: MemoryParts = { items, candidates, documents, recall };
  const callers = new MemoryCallers(db, spaces);
  const compactor = new Compactor(db, documents, broker, preset);
  const summaries = new Summaries(candidates, broker, presets, preset);
  const settings = {
    summarizeAtEnd: config.MEMORY_SUMMARIZE_AT_END,
    summarizeEvery: config.MEMORY_SUMMARIZE_EVERY,
    pruneOlderThanDays: config.MEMORY_PRUNE_OLDER_THAN_DAYS ?? null,
    compactAboveBytes: config.MEMORY_COMPACT_ABOVE_KB * 1024,
  };
  const chores = memoryChores({ db, memory, summaries, compactor, logger }, settings);
  const maintainer = new MemoryMaintainer(db, chores, settings, logger);
  maintainer.start((listener) => hub.listen(listener));
  // Otherwise the memory is searched by keywords.
  const findsNodes = meaning !== null || questionsOf(db, broker, presets) !== null;
  return {
    parts: memory,
    callers,
    compactor,
    service: new MemoryService(db, memory, summaries, inject),
    backgrounds: new SessionBackgrounds(memory, callers, inject, (err, what) =>
      logger.warn({ err }, `could not ${what}`),
    ),
    maintainer,
    nearNodes: findsNodes ? nearNodes(db, meaning) : null,
    recallsNodes: (asked) => {
      knowledge = asked;
    },
  };
}
