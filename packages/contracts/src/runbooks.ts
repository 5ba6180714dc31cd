import * as z from 'zod';

/**
 * The name of a runbook as https://agentskills.io defines it: a folder name in lower case, with single hyphens inside.
 */
export const RunbookName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'lowercase letters, digits and single hyphens');
export type RunbookName = z.infer<typeof RunbookName>;

/** Limits of a runbook: characters of its text, number of its files, and bytes of all its files. */
export const RUNBOOK_TEXT_MAX_CHARS = 20_000;
export const RUNBOOK_FILES_MAX = 100;
export const RUNBOOK_MAX_BYTES = 1_048_576;

const parameterName = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/);

/** The runbook that a goal follows, and its parameters. */
export const RunbookCall = z
  .strictObject({
    name: RunbookName,
    parameters: z.record(parameterName, z.string().max(2_000)).default({}),
  })
  .meta({ id: 'RunbookCall' });
export type RunbookCall = z.infer<typeof RunbookCall>;

/** A runbook that a goal has used, in the version of that time. */
export const UsedRunbook = z
  .object({
    name: z.string(),
    /** The commit of the knowledge base that it was read from. */
    commit: z.string(),
    digest: z.string(),
    /** Whether a person gave the runbook with the goal. If false, the model found it. */
    chosen: z.boolean(),
  })
  .meta({ id: 'UsedRunbook' });
export type UsedRunbook = z.infer<typeof UsedRunbook>;

export const RunbookParameter = z.object({
  name: parameterName,
  /** The default value; null if the parameter is required. */
  default: z.string().nullable(),
});
export type RunbookParameter = z.infer<typeof RunbookParameter>;

export const Runbook = z
  .object({
    name: z.string(),
    description: z.string(),
    parameters: z.array(RunbookParameter),
    /** Labels of tools, and command lines, that the runbook asks to use without a question. */
    tools: z.array(z.string()),
    commands: z.array(z.string()),
    /** Identifies exactly this text and these files of the runbook. */
    digest: z.string(),
    /**
     * The person who allowed these tools and commands for the current version; null if nobody did, so aish asks as
     * usual.
     */
    acceptedBy: z.string().nullable(),
    /** Faults of the runbook. A runbook with faults does not run. */
    faults: z.array(z.string()),
    hints: z.array(z.string()),
  })
  .meta({ id: 'Runbook' });
export type Runbook = z.infer<typeof Runbook>;

export const RunbookDetail = Runbook.extend({
  /** The commit that contains the runbook; null if it is not in the knowledge base. */
  commit: z.string().nullable(),
  text: z.string(),
  files: z.array(z.object({ path: z.string(), sizeBytes: z.int() })),
}).meta({ id: 'RunbookDetail' });
export type RunbookDetail = z.infer<typeof RunbookDetail>;

export const RunbookList = z.object({ items: z.array(Runbook) }).meta({ id: 'RunbookList' });
export type RunbookList = z.infer<typeof RunbookList>;

/** A complete runbook. It replaces an existing one with the same name. */
export const PutRunbook = z
  .strictObject({
    files: z
      .array(z.strictObject({ path: z.string().min(1).max(200), content: z.base64().max(1_400_000) }))
      .min(1)
      .max(RUNBOOK_FILES_MAX),
    /** Whether aish only reports faults and stores nothing. */
    dryRun: z.boolean().default(false),
    /** The digest that a person has seen. From now on the tools and commands of that version run without a question. */
    accept: z.string().optional(),
  })
  .meta({ id: 'PutRunbook' });
export type PutRunbook = z.infer<typeof PutRunbook>;

export const AcceptRunbook = z.strictObject({ digest: z.string() }).meta({ id: 'AcceptRunbook' });
export type AcceptRunbook = z.infer<typeof AcceptRunbook>;

/** Limits on waiting proposals: for one runbook, and for all runbooks together. */
export const RUNBOOK_PROPOSALS_MAX = 3;
export const ALL_RUNBOOK_PROPOSALS_MAX = 50;
const SKILL_MAX_CHARS = 2 * RUNBOOK_TEXT_MAX_CHARS;

export const ProposalState = z.enum(['pending', 'accepted', 'rejected']);
export type ProposalState = z.infer<typeof ProposalState>;

/** A model's proposal for a runbook. A person accepts or drops it. */
export const RunbookProposal = z
  .object({
    number: z.int(),
    /** The runbook, which need not exist yet. */
    name: RunbookName,
    why: z.string(),
    /** The goal or chat that proposed it, for example `g4` or `c12`; null if it was deleted. */
    from: z.string().nullable(),
    state: ProposalState,
    at: z.iso.datetime(),
    decidedBy: z.string().nullable(),
    decidedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'RunbookProposal' });
export type RunbookProposal = z.infer<typeof RunbookProposal>;

export const RunbookProposalList = z.object({ items: z.array(RunbookProposal) }).meta({ id: 'RunbookProposalList' });
export type RunbookProposalList = z.infer<typeof RunbookProposalList>;

const Asked = z.object({ added: z.array(z.string()), removed: z.array(z.string()) });

export const RunbookProposalDetail = RunbookProposal.extend({
  /** The text of the whole SKILL.md. */
  text: z.string(),
  /** A unified diff against the current runbook, or the whole text of a new one. */
  diff: z.string(),
  /**
   * The digest of the current runbook; null if there is none. To accept the proposal, a person sends back the digest
   * that they saw.
   */
  digest: z.string().nullable(),
  /** Whether the runbook has changed since the proposal. */
  isStale: z.boolean(),
  /**
   * The tools and commands that the proposed runbook would newly ask to use without a question, and those for which it
   * would no longer ask.
   */
  tools: Asked,
  commands: Asked,
  /**
   * Whether people have accepted the tools and commands of the current runbook. Any change to the runbook ends that.
   */
  endsAcceptance: z.boolean(),
  faults: z.array(z.string()),
}).meta({ id: 'RunbookProposalDetail' });
export type RunbookProposalDetail = z.infer<typeof RunbookProposalDetail>;

export const AcceptRunbookProposal = z
  .strictObject({
    digest: z.string().nullable(),
    /** Another SKILL.md to use instead. */
    text: z.string().min(1).max(SKILL_MAX_CHARS).optional(),
  })
  .meta({ id: 'AcceptRunbookProposal' });
export type AcceptRunbookProposal = z.infer<typeof AcceptRunbookProposal>;

/** The arguments of `runbook_propose`. */
export const ProposeRunbook = z.strictObject({
  name: RunbookName,
  text: z.string().min(1).max(SKILL_MAX_CHARS),
  why: z.string().trim().min(1).max(1_000),
});
export type ProposeRunbook = z.infer<typeof ProposeRunbook>;

/** A runbook at the start of its goal. */
export interface OpenedRunbook extends UsedRunbook {
  readonly text: string;
  /** The runbook's other files by path, in the form that approvals use (`readOnlyFileContent`). */
  readonly files: Readonly<Record<string, string>>;
  /** All parameters, with the default of each parameter that was not given. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Finds the runbook of a goal.
 *
 * @throws AishError `not_found`, `runbook_faulty`, or `invalid_body` for its parameters.
 */
export type OpenRunbook = (call: RunbookCall) => Promise<OpenedRunbook>;
