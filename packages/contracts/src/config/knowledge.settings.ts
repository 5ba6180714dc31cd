import { z } from 'zod';

export const knowledgeDir = z
  .string()
  .min(1)
  .optional()
  .describe('Git repository of the knowledge base; unset: there is none');
