import * as z from 'zod';

/** A part of a command: [start, end) in UTF-16 code units. */
const Place = z.tuple([z.int(), z.int()]);

/** One objection to running a command, and its position in the command. */
export const Finding = z
  .object({
    verdict: z.enum(['destructive', 'unknown']),
    reason: z.string(),
    ruleId: z.string(),
    span: Place.nullable(),
  })
  .meta({ id: 'Finding' });
export type Finding = z.infer<typeof Finding>;

/**
 * The verdict of the safety gate about one command or tool call. The fields of this object itself are those of the
 * first finding.
 */
export const Classification = z
  .object({
    verdict: z.enum(['destructive', 'safe', 'unknown']),
    reason: z.string().nullable(),
    ruleId: z.string().nullable(),
    /** The part of the command that caused the verdict. */
    span: Place.nullable(),
    by: z.enum(['rule', 'second-opinion']),
    /**
     * Further findings: destructive ones in the order of the text, then parts whose effect is unknown until they run.
     */
    others: z.array(Finding).optional(),
    /** Whether the command runs without a question anyway, because its changes are held until aish has checked them. */
    held: z.boolean().optional(),
    /** The user's own rules that excuse a part of the command. */
    excusedBy: z.array(z.string()).optional(),
  })
  .meta({ id: 'Classification' });
export type Classification = z.infer<typeof Classification>;

/**
 * The rule for a tool whose effect nothing describes. Any other `unknown` verdict means that the action cannot be read.
 */
export const TOOL_UNKNOWN = 'tool.unknown';

/** Whether aish asks a person about a tool call, even if the tool usually runs without a question. */
export const isCallStopped = ({ verdict, ruleId }: Pick<Classification, 'verdict' | 'ruleId'>): boolean =>
  verdict === 'destructive' || (verdict === 'unknown' && ruleId !== TOOL_UNKNOWN);

/** The input of a check: a shell command, or a call of a tool by its full name. */
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
