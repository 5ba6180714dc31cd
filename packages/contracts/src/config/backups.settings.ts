import { z } from 'zod';

export const Backups = z.object({
  BACKUP_DIR: z.string().min(1).optional().describe('Folder for backups that are made by themselves; unset makes none'),
  BACKUP_EVERY_HOURS: z.coerce.number().min(0.01).max(8_760).default(24).describe('Hours between two of them'),
  BACKUP_KEEP: z.coerce.number().int().min(1).max(1_000).default(7).describe('How many of them are kept'),
  BACKUP_WORKSPACES: z.enum(['none', 'all']).default('none').describe('Whether workspaces are in them'),
});
