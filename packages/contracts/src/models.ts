import * as z from 'zod';

/** The model name by which the demo model is known everywhere. */
export const DEMO_MODEL = 'demo';

/**
 * What an endpoint's model and its chat template can do, found out by asking and by what went wrong. `null` means that
 * nobody knows. Source: issue "a session", model fitting.
 */
export const ModelCapabilities = z
  .object({
    /** Tokens that prompt and answer may take together. */
    contextTokens: z.int().nullable(),
    /** Whether the template takes a system message; else its text goes before the first message. */
    systemRole: z.boolean().nullable(),
    /** Whether the template takes results of tools as role `tool`; else they are shown as `[tool: name]`. */
    toolRole: z.boolean().nullable(),
    parallelCalls: z.boolean().nullable(),
    /** Whether tool calls come as such; else tools are described in words and calls are read out of the text. */
    nativeTools: z.boolean().nullable(),
    /** Whether it was seen to think before it answers: then its thoughts get room of their own. */
    thinks: z.boolean().optional(),
    /** How it acts best, found out by a few questions as goals ask them; absent: with lines, and nobody has asked. */
    actsWith: z.enum(['lines', 'tools']).optional(),
    /** Which of its thoughts it is shown again; none when absent. */
    thoughts: z.enum(['none', 'last', 'all']).optional(),
    /** What its chat template is told, by the names that the template knows. */
    templateSettings: z.record(z.string(), z.boolean()).optional(),
    /** The name by which the template takes how much the model is to think; null: by none. */
    effortName: z.string().nullish(),
    /** What is sent of sampling, by llama.cpp’s names, where a preset says nothing; null: nothing. `why`: for people. */
    sampling: z.object({ values: z.record(z.string(), z.number()).nullable(), why: z.string() }).nullish(),
    /** Fields that the endpoint has refused: no request holds them. */
    refusedFields: z.array(z.string()).optional(),
    /** Of model, template, context and build, as a digest: another one means another model. Null: the endpoint does not say. */
    identity: z.string().nullish(),
    /** A digest of the chat template. Null: the endpoint does not say. */
    template: z.string().nullish(),
    /** Whether the endpoint goes on with an answer whose reader has left, so that another one can read it. */
    resumable: z.boolean().nullish(),
    /** Whether the endpoint loads a model when it is asked for, and says how much of it is loaded. */
    loads: z.boolean().optional(),
    /** Whether the endpoint counts tokens; else they are estimated. */
    countsTokens: z.boolean().nullable(),
    /** Characters that one token stands for, measured; used for estimates. */
    charsPerToken: z.number().nullable(),
    /** The model this is about, as the endpoint names it. */
    model: z.string().nullable(),
    /** Whether it was found out without a question to the model: nobody knows how it calls tools. */
    isQuick: z.boolean().optional(),
    checkedAt: z.iso.datetime().nullable(),
    /** What was learned, in words, newest last. */
    notes: z.array(z.string()),
  })
  .meta({ id: 'ModelCapabilities' });
export type ModelCapabilities = z.infer<typeof ModelCapabilities>;

/** Nothing is known yet. */
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

/** Something that a person should know about an endpoint, and what to do. */
export const ModelWarning = z.object({ detail: z.string(), advice: z.string() }).meta({ id: 'ModelWarning' });
export type ModelWarning = z.infer<typeof ModelWarning>;

export const Model = z
  .object({
    preset: z.string(),
    baseUrl: z.string(),
    /** As configured, or as the endpoint names its loaded model. */
    model: z.string().nullable(),
    state: z.enum(['ready', 'loading', 'unreachable', 'refused']),
    /** Why it is not ready. */
    detail: z.string().nullable(),
    warnings: z.array(ModelWarning).optional(),
    /** True for the scripted stand-in that plays a plan; it is no language model. */
    demo: z.boolean(),
    /** Null until it was found out. */
    capabilities: ModelCapabilities.nullish(),
    /** The preset that answers when this one cannot; null: none. */
    fallback: z.string().nullish(),
  })
  .meta({ id: 'Model' });
export type Model = z.infer<typeof Model>;

export const ModelList = z.object({ items: z.array(Model) }).meta({ id: 'ModelList' });
export type ModelList = z.infer<typeof ModelList>;
