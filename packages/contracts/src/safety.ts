import { z } from 'zod';

/** The answer of the safety gate about one command or tool call. */
export const Classification = z
  .object({
    verdict: z.enum(['destructive', 'safe', 'unknown']),
    reason: z.string().nullable(),
    ruleId: z.string().nullable(),
    /** The guilty part of the command: [start, end) in UTF-16 code units. */
    span: z.tuple([z.int(), z.int()]).nullable(),
    by: z.enum(['rule', 'second-opinion']),
  })
  .meta({ id: 'Classification' });
export type Classification = z.infer<typeof Classification>;

/** The rule of `unknown` for a tool of which nothing says what it does; any other `unknown` is something that cannot be read. */
export const TOOL_UNKNOWN = 'tool.unknown';

/** What to probe: a shell command, or a call of a tool by its full name. */
export const SafetyCheck = z
  .union([
    z.strictObject({ command: z.string().min(1).max(65_536) }),
    z.strictObject({ tool: z.string().min(1).max(256), arguments: z.record(z.string(), z.unknown()).default({}) }),
  ])
  .meta({ id: 'SafetyCheck' });
export type SafetyCheck = z.infer<typeof SafetyCheck>;

export const SafetyRule = z
  .object({ id: z.string(), title: z.string(), why: z.string(), severity: z.string() })
  .meta({ id: 'SafetyRule' });
export type SafetyRule = z.infer<typeof SafetyRule>;

export const SafetyRuleList = z.object({ items: z.array(SafetyRule) }).meta({ id: 'SafetyRuleList' });
export type SafetyRuleList = z.infer<typeof SafetyRuleList>;
