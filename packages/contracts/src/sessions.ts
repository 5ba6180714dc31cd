import { z } from 'zod';

export const SessionKind = z.enum(['chat', 'goal']);
export type SessionKind = z.infer<typeof SessionKind>;

/** Who a turn is from: a person, the model, a tool's result, a command's output, or aish itself (`notice`). */
export const TurnRole = z.enum(['user', 'assistant', 'tool', 'output', 'notice']);
export type TurnRole = z.infer<typeof TurnRole>;

export const Turn = z.object({ seq: z.int(), role: TurnRole, content: z.string() }).meta({ id: 'Turn' });
export type Turn = z.infer<typeof Turn>;
