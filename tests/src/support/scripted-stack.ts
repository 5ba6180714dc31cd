import { afterAll, beforeAll } from '@jest/globals';
import { startScriptedModel, type ScriptedModel, type ScriptedModelOptions } from '@aish/demo-model';
import { closeAll } from './close-all.js';
import { Stack, type StackOptions } from './stack.js';

/** An aish with a scripted model. */
export interface ScriptedStack {
  readonly model: ScriptedModel;
  readonly stack: Stack;
}

export interface ScriptedStackOptions extends Omit<StackOptions, 'modelUrl'> {
  /** The speed of the model. */
  readonly tokensPerSecond?: number;
}

/**
 * Starts aish and the model before the tests of the calling suite, and stops them afterwards. Neither exists before the
 * first test.
 * @param options a function if something else must start first; the suite itself stops that
 */
export function scriptedStack(
  script: ScriptedModelOptions['script'],
  options: ScriptedStackOptions | (() => Promise<ScriptedStackOptions>) = {},
): ScriptedStack {
  let model: ScriptedModel | undefined;
  let stack: Stack | undefined;

  beforeAll(async () => {
    const { tokensPerSecond, ...stackOptions } = typeof options === 'function' ? await options() : options;
    model = await startScriptedModel({ script, ...(tokensPerSecond === undefined ? {} : { tokensPerSecond }) });
    stack = await Stack.start({ modelUrl: model.url, ...stackOptions });
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
      ),
    60_000,
  );

  return {
    get model() {
      return there(model);
    },
    get stack() {
      return there(stack);
    },
  };
}

function there<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('scriptedStack: nothing is started before the first test');
  return part;
}
