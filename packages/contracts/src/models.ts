import { z } from 'zod';

/** The model name by which the rehearsal model is known everywhere. */
export const REHEARSAL_MODEL = 'rehearsal';

export const Model = z
  .object({
    preset: z.string(),
    baseUrl: z.string(),
    /** As configured, or as the endpoint names its loaded model. */
    model: z.string().nullable(),
    state: z.enum(['ready', 'loading', 'unreachable', 'refused']),
    /** Why it is not ready. */
    detail: z.string().nullable(),
    /** True for the scripted stand-in that plays a plan; it is no language model. */
    rehearsal: z.boolean(),
  })
  .meta({ id: 'Model' });
export type Model = z.infer<typeof Model>;

export const ModelList = z.object({ items: z.array(Model) }).meta({ id: 'ModelList' });
export type ModelList = z.infer<typeof ModelList>;
