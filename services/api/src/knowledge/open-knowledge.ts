import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiConfig } from '@aish/contracts/config/api.config';
import type { Database } from '@aish/database/client';
import { isKnowledgeEmpty } from '@aish/database/knowledge-nodes.repository';
import type { Logger } from '@aish/http';
import { KnowledgeTools, Runbooks, callerNamed, sharedBase, type KnowledgeBase, type NearNodes } from '@aish/knowledge';
import { KnowledgeService } from './knowledge.service.js';
import { PushJob } from './push-job.js';

const START_WAIT_MS = 5_000;

export interface Knowledge {
  readonly service: KnowledgeService;
  /** The tools for chats, goals and /mcp; null without a knowledge base. */
  readonly tools: KnowledgeTools | null;
  /** Null without a knowledge base. */
  readonly runbooks: Runbooks | null;
  close(): Promise<void>;
}

/**
 * Opens the configured knowledge base, and creates it if it does not exist. Failures go to the log and to doctor, and
 * the api then starts without a knowledge base.
 */
export async function openKnowledge(
  config: Pick<ApiConfig, 'KNOWLEDGE_DIR' | 'KNOWLEDGE_REMOTE' | 'KNOWLEDGE_PUSH_EVERY_MS'>,
  db: Database,
  logger: Logger,
  env: Readonly<Record<string, string | undefined>>,
  near: NearNodes | null = null,
): Promise<Knowledge> {
  const { KNOWLEDGE_DIR: dir, KNOWLEDGE_REMOTE: remote, KNOWLEDGE_PUSH_EVERY_MS: everyMs } = config;
  if (dir === undefined)
    return {
      service: new KnowledgeService(db, null, logger),
      tools: null,
      runbooks: null,
      close: () => Promise.resolve(),
    };
  const base = sharedBase(db, { dir, remote, env, isWatching: true });
  const service = new KnowledgeService(db, base, logger, near);
  const made = make(base, logger);
  // A large repository is cloned while the api already serves everything else.
  await Promise.race([made, sleep(START_WAIT_MS, undefined, { ref: false })]);
  const job = new PushJob(service, everyMs, logger);
  job.start();
  const isEmpty = () => isKnowledgeEmpty(db.statements);
  const tools = new KnowledgeTools(service, ({ owner }) => callerNamed(db, owner), isEmpty);
  return {
    service,
    tools,
    runbooks: new Runbooks(db, base),
    close: async () => {
      await job.stop();
      base.close();
    },
  };
}

async function make(base: KnowledgeBase, logger: Logger): Promise<void> {
  const { dir } = base.repository;
  try {
    const { outcome, notes } = await base.init();
    if (outcome !== 'unchanged') logger.info({ dir, outcome, notes }, 'the knowledge base is ready');
  } catch (err) {
    logger.warn({ err, dir }, 'the knowledge base is not usable; run aish kb doctor');
  }
}
