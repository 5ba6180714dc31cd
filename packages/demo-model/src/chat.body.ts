import { z } from 'zod';

export const ScriptedMessage = z.looseObject({
  role: z.string(),
  content: z
    .string()
    .nullish()
    .transform((content) => content ?? ''),
});

/** The fields of a chat request that this server needs. All other fields are kept unchanged. */
export const ChatBody = z.looseObject({
  messages: z.array(ScriptedMessage),
  stream: z.boolean().optional(),
  max_tokens: z.int().optional(),
  return_progress: z.boolean().optional(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
});
export type ChatBody = z.infer<typeof ChatBody>;

export interface ScriptedMessage {
  readonly role: string;
  readonly content: string;
}
