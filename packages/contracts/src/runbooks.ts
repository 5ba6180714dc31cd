import * as z from 'zod';

/** As https://agentskills.io has it: a folder's name, in lower case, with single hyphens inside. */
export const RunbookName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'lower case letters, digits and single hyphens');
export type RunbookName = z.infer<typeof RunbookName>;

/** Characters of a runbook's text, files of one, and bytes of all of them. */
export const RUNBOOK_TEXT_MAX_CHARS = 20_000;
export const RUNBOOK_FILES_MAX = 100;
export const RUNBOOK_MAX_BYTES = 1_048_576;

const parameterName = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/);

/** Which runbook a goal follows, with which values. */
export const RunbookCall = z
  .strictObject({
    name: RunbookName,
    parameters: z.record(parameterName, z.string().max(2_000)).default({}),
  })
  .meta({ id: 'RunbookCall' });
export type RunbookCall = z.infer<typeof RunbookCall>;

/** A runbook that a goal has used, as it was. */
export const UsedRunbook = z
  .object({
    name: z.string(),
    /** The commit of the knowledge base that it was read from. */
    commit: z.string(),
    digest: z.string(),
    /** Whether a person gave the goal with it; the model found it otherwise. */
    chosen: z.boolean(),
  })
  .meta({ id: 'UsedRunbook' });
export type UsedRunbook = z.infer<typeof UsedRunbook>;

export const RunbookParameter = z.object({
  name: parameterName,
  /** Null: it has to be given. */
  default: z.string().nullable(),
});
export type RunbookParameter = z.infer<typeof RunbookParameter>;

export const Runbook = z
  .object({
    name: z.string(),
    description: z.string(),
    parameters: z.array(RunbookParameter),
    /** Tools by their labels, and command lines, that it asks to use without a question. */
    tools: z.array(z.string()),
    commands: z.array(z.string()),
    /** Tells this text and these files from any other. */
    digest: z.string(),
    /** Who let it use them, as it is now; null: they are asked about as anything else. */
    acceptedBy: z.string().nullable(),
    /** What is wrong with it; one with faults is not run. */
    faults: z.array(z.string()),
    hints: z.array(z.string()),
  })
  .meta({ id: 'Runbook' });
export type Runbook = z.infer<typeof Runbook>;

export const RunbookDetail = Runbook.extend({
  /** Null while it is not in the knowledge base. */
  commit: z.string().nullable(),
  text: z.string(),
  files: z.array(z.object({ path: z.string(), sizeBytes: z.int() })),
}).meta({ id: 'RunbookDetail' });
export type RunbookDetail = z.infer<typeof RunbookDetail>;

export const RunbookList = z.object({ items: z.array(Runbook) }).meta({ id: 'RunbookList' });
export type RunbookList = z.infer<typeof RunbookList>;

/** A whole runbook, in place of the one of its name. */
export const PutRunbook = z
  .strictObject({
    files: z
      .array(z.strictObject({ path: z.string().min(1).max(200), content: z.base64().max(1_400_000) }))
      .min(1)
      .max(RUNBOOK_FILES_MAX),
    /** Only says what is wrong with it. */
    dryRun: z.boolean().default(false),
    /** The digest that a person has seen, whose tools and commands run without a question from now on. */
    accept: z.string().optional(),
  })
  .meta({ id: 'PutRunbook' });
export type PutRunbook = z.infer<typeof PutRunbook>;

export const AcceptRunbook = z.strictObject({ digest: z.string() }).meta({ id: 'AcceptRunbook' });
export type AcceptRunbook = z.infer<typeof AcceptRunbook>;

/** How many proposals of one runbook, and of all, wait at most. */
export const RUNBOOK_PROPOSALS_MAX = 3;
export const ALL_RUNBOOK_PROPOSALS_MAX = 50;
const SKILL_MAX_CHARS = 2 * RUNBOOK_TEXT_MAX_CHARS;

export const ProposalState = z.enum(['pending', 'accepted', 'rejected']);
export type ProposalState = z.infer<typeof ProposalState>;

/** What a model would have a runbook say. A person accepts or drops it. */
export const RunbookProposal = z
  .object({
    number: z.int(),
    /** Of the runbook, which need not be there yet. */
    name: RunbookName,
    why: z.string(),
    /** The goal or chat that it was proposed in, `g4` or `c12`; null where that is deleted. */
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
  /** The whole SKILL.md. */
  text: z.string(),
  /** From what the runbook is now, as a unified diff; of one that is new all of it. */
  diff: z.string(),
  /**
   * The digest of the current runbook, null when there is none. To accept it, a person sends back the digest they saw.
   */
  digest: z.string().nullable(),
  /** Whether the runbook has changed since it was proposed. */
  isStale: z.boolean(),
  /** What it would ask to use without a question that it does not ask now, and the other way round. */
  tools: Asked,
  commands: Asked,
  /** Whether people have let the runbook, as it is now, use its tools and commands: that ends with any change. */
  endsAcceptance: z.boolean(),
  faults: z.array(z.string()),
}).meta({ id: 'RunbookProposalDetail' });
export type RunbookProposalDetail = z.infer<typeof RunbookProposalDetail>;

export const AcceptRunbookProposal = z
  .strictObject({
    digest: z.string().nullable(),
    /** Another SKILL.md in its place. */
    text: z.string().min(1).max(SKILL_MAX_CHARS).optional(),
  })
  .meta({ id: 'AcceptRunbookProposal' });
export type AcceptRunbookProposal = z.infer<typeof AcceptRunbookProposal>;

/** What a model calls `runbook_propose` with. */
export const ProposeRunbook = z.strictObject({
  name: RunbookName,
  text: z.string().min(1).max(SKILL_MAX_CHARS),
  why: z.string().trim().min(1).max(1_000),
});
export type ProposeRunbook = z.infer<typeof ProposeRunbook>;

/** A runbook as a goal begins with it. */
export interface OpenedRunbook extends UsedRunbook {
  readonly text: string;
  /** Those beside its text, by path, as approvals know them (`laidOutContent`). */
  readonly files: Readonly<Record<string, string>>;
  /** All parameters, with defaults for those that were not given. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds the runbook of a goal. @throws AishError `not_found`, `runbook_faulty`, `invalid_body` for its parameters. */
export type OpenRunbook = (call: RunbookCall) => Promise<OpenedRunbook>;
