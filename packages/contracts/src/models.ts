import * as z from 'zod';

/** The name of the demo model in every part of aish. */
export const DEMO_MODEL = 'demo';

/**
 * The capabilities of an endpoint's model and its chat template. aish learns them by asking the endpoint and from
 * errors. `null` means unknown.
 */
export const ModelCapabilities = z
  .object({
    /** Maximum number of tokens of prompt and answer together. */
    contextTokens: z.int().nullable(),
    /** Whether the template supports a system message. If not, its text goes before the first message. */
    systemRole: z.boolean().nullable(),
    /** Whether the template supports the role `tool` for results. If not, they are shown as `[tool: name]`. */
    toolRole: z.boolean().nullable(),
    parallelCalls: z.boolean().nullable(),
    /**
     * Whether the endpoint returns native tool calls. If not, aish describes tools in the text and reads calls from the
     * answer.
     */
    nativeTools: z.boolean().nullable(),
    /** Whether the model thinks before it answers. Its thoughts then get extra room. */
    thinks: z.boolean().optional(),
    /**
     * Whether the model works better with `CMD:` lines or with tool calls. aish tests this with a few questions like
     * those in goals. If absent, it was not tested, and aish uses lines.
     */
    actsWith: z.enum(['lines', 'tools']).optional(),
    /** The earlier thoughts that the model sees again. Default: none. */
    thoughts: z.enum(['none', 'last', 'all']).optional(),
    /** Settings for the chat template, by the names that the template uses. */
    templateSettings: z.record(z.string(), z.boolean()).optional(),
    /** The template's name for the thinking effort; null if it has none. */
    effortName: z.string().nullish(),
    /**
     * The sampling parameters to send if a preset sets none, by llama.cpp’s names; null if none are sent. `why` is for
     * people.
     */
    sampling: z.object({ values: z.record(z.string(), z.number()).nullable(), why: z.string() }).nullish(),
    /** Fields that the endpoint has refused. Requests omit them. */
    refusedFields: z.array(z.string()).optional(),
    /**
     * A digest of model, template, context and build. If it changes, the model has changed. Null if the endpoint does
     * not report them.
     */
    identity: z.string().nullish(),
    /** A digest of the chat template; null if the endpoint does not report it. */
    template: z.string().nullish(),
    /** Whether the endpoint continues an answer after its reader has disconnected, so that another one can read it. */
    resumable: z.boolean().nullish(),
    /** Whether the endpoint loads a model on demand and reports the progress of loading. */
    loads: z.boolean().optional(),
    /** Whether the endpoint counts tokens. If not, aish estimates them. */
    countsTokens: z.boolean().nullable(),
    /** Measured characters per token, used for estimates. */
    charsPerToken: z.number().nullable(),
    /** The model that this describes, by the endpoint's name. */
    model: z.string().nullable(),
    /**
     * Whether the capabilities were determined without asking the model, so that nobody knows how the model calls
     * tools.
     */
    isQuick: z.boolean().optional(),
    checkedAt: z.iso.datetime().nullable(),
    /** Sentences about what aish learned, newest last. */
    notes: z.array(z.string()),
  })
  .meta({ id: 'ModelCapabilities' });
export type ModelCapabilities = z.infer<typeof ModelCapabilities>;

export const UNKNOWN_CAPABILITIES: ModelCapabilities = {
  contextTokens: null,
  systemRole: null,
  toolRole: null,
  parallelCalls: null,
  nativeTools: null,
  thoughts: 'none',
  sampling: null,
  template: null,
  resumable: null,
  countsTokens: null,
  charsPerToken: null,
  model: null,
  checkedAt: null,
  notes: [],
};

/** A warning about an endpoint, and what to do. */
export const ModelWarning = z.object({ detail: z.string(), advice: z.string() }).meta({ id: 'ModelWarning' });
export type ModelWarning = z.infer<typeof ModelWarning>;

export const Model = z
  .object({
    preset: z.string(),
    baseUrl: z.string(),
    /** The configured name, or the endpoint's name of its loaded model. */
    model: z.string().nullable(),
    state: z.enum(['ready', 'loading', 'unreachable', 'refused']),
    /** Why the preset is not ready; null if it is. */
    detail: z.string().nullable(),
    warnings: z.array(ModelWarning).optional(),
    /** True for the demo model, which plays a script. It is not a language model. */
    demo: z.boolean(),
    /** The capabilities; null until they are known. */
    capabilities: ModelCapabilities.nullish(),
    /** The preset that answers if this one cannot; null if there is none. */
    fallback: z.string().nullish(),
  })
  .meta({ id: 'Model' });
export type Model = z.infer<typeof Model>;

export const ModelList = z.object({ items: z.array(Model) }).meta({ id: 'ModelList' });
export type ModelList = z.infer<typeof ModelList>;
