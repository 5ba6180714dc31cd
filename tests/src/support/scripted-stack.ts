import { afterAll, beforeAll } from '@jest/globals';
import { startScriptedModel, type ScriptedModel, type ScriptedModelOptions } from '@aish/demo-model';
import { closeAll } from './close-all.js';
import { Stack, type StackOptions } from './stack.js';

/** A scripted model and all of aish over it. */
export interface ScriptedStack {
  readonly model: ScriptedModel;
  readonly stack: Stack;
}

export interface ScriptedStackOptions extends Omit<StackOptions, 'modelUrl'> {
  /** How fast the model talks. */
  readonly tokensPerSecond?: number;
}

/**
 * Starts both before the tests of the suite that calls this, and ends them after. Neither is there before the first test.
 * @param options A function where something else has to be started first; the suite ends that itself.
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
