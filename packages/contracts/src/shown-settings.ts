import * as z from 'zod';

/** A setting as the service runs with it. Of a secret only whether it is set. */
export const ShownSetting = z
  .object({
    name: z.string(),
    about: z.string(),
    /** As it would be written; null where nothing is, and for every secret. */
    value: z.string().nullable(),
    byDefault: z.string().nullable(),
    isSecret: z.boolean(),
    /** Who said it: the environment, which compose and the launcher fill from their files, or the file that AISH_CONFIG names. */
    source: z.enum(['environment', 'file', 'default']),
  })
  .meta({ id: 'ShownSetting' });
export type ShownSetting = z.infer<typeof ShownSetting>;

export const ShownSettingList = z.object({ items: z.array(ShownSetting) }).meta({ id: 'ShownSettingList' });
export type ShownSettingList = z.infer<typeof ShownSettingList>;

/** Whether somebody said something else than what applies without a word. */
export function isChanged({ source, isSecret, value, byDefault }: ShownSetting): boolean {
  return source !== 'default' && (isSecret || value !== byDefault);
}
