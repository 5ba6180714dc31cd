import type { PaneId } from '../view-id.js';
import type { AreaSource } from './area.js';
import { knowledgeArea } from './knowledge.area.js';
import { memoryArea } from './memory.area.js';
import { sessionsArea } from './sessions.area.js';

export const AREAS: Readonly<Record<PaneId, AreaSource>> = {
  memory: memoryArea,
  knowledge: knowledgeArea,
  sessions: sessionsArea,
};
