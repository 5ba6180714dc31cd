import * as z from 'zod';

/** The effective value of a setting. A secret shows only whether it is set. */
export const ShownSetting = z
  .object({
    name: z.string(),
    about: z.string(),
    /** The value in the form of a settings file; null if there is no value, and for every secret. */
    value: z.string().nullable(),
    byDefault: z.string().nullable(),
    isSecret: z.boolean(),
    /**
     * Where the value comes from: the environment, which compose and the launcher fill from their files, or the file
     * that AISH_CONFIG names.
     */
    source: z.enum(['environment', 'file', 'default']),
  })
  .meta({ id: 'ShownSetting' });
export type ShownSetting = z.infer<typeof ShownSetting>;

export const ShownSettingList = z.object({ items: z.array(ShownSetting) }).meta({ id: 'ShownSettingList' });
export type ShownSettingList = z.infer<typeof ShownSettingList>;

/** Whether the setting differs from its default. */
export function isChanged({ source, isSecret, value, byDefault }: ShownSetting): boolean {
  return source !== 'default' && (isSecret || value !== byDefault);
}
