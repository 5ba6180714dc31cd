import { describe, expect, it } from '@jest/globals';
import { effortNameOf, samplingOf, thoughtsOf } from './sampling.js';

/** The defaults as llama-server reports them, in 32-bit floats. */
const builtIn = { temperature: 0.800000011920929, top_k: 40, top_p: 0.949999988079071, min_p: 0.05000000074505806 };

describe('samplingOf', () => {
  it.each([
    ['qwen25-coder-1.5b.gguf', 0.7, 'Qwen2.5'],
    ['Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf', 0.7, 'Qwen3-Coder'],
    ['Qwen3-30B-A3B-Instruct-2507', 0.7, 'Qwen3 Instruct'],
    ['unsloth/Qwen3.6-35B-A3B-GGUF', 0.6, 'Qwen3.6'],
    ['Qwen3-30B-A3B', 0.6, 'Qwen3'],
    ['gemma-3-12b-it', 1, 'Gemma 3'],
    ['gemma-4-E4B-it-Q4_K_M.gguf', 1, 'Gemma 4'],
    ['LFM2-8B-A1B-Q4_K_M.gguf', 0.3, 'LFM2'],
    ['gpt-oss-20b-mxfp4.gguf', 1, 'gpt-oss'],
    ['Devstral-Small-2507', 0.15, 'Devstral'],
    ['Meta-Llama-3.1-8B-Instruct', 0.6, 'Llama 3'],
  ])('aish samples %s as its makers recommend', (model, temperature, family) => {
    const { values, why } = samplingOf(model, builtIn);
    expect(values?.['temperature']).toBe(temperature);
    expect(why).toContain(`as the makers of ${family} advise`);
  });

  it('the min_p of llama.cpp is switched off for Qwen3', () => {
    expect(samplingOf('Qwen3-30B-A3B', builtIn).values?.['min_p']).toBe(0);
  });

  it('aish sends no sampling values if the owner or the file has set any, and a note names them', () => {
    const set = samplingOf('gemma-3-12b-it', { ...builtIn, top_k: 64 });
    expect(set).toEqual({ values: null, why: 'the endpoint’s own, where top_k is set to 64' });
  });

  it.each([
    ['nobody knows the model', 'my-finetune', builtIn],
    ['only an earlier version of the model is known', 'LFM2.5-1.2B-Instruct', builtIn],
    ['this generation of the model is unknown', 'Devstral-Small-2-24B-Instruct-2512', builtIn],
    ['the endpoint does not name the model', null, builtIn],
    ['the endpoint does not report its sampling', 'gemma-3-12b-it', null],
    ['the endpoint reports only a part of its sampling', 'gemma-3-12b-it', { temperature: 0.8 }],
  ])('aish sends no sampling values if %s', (_, model, settings) => {
    expect(samplingOf(model, settings).values).toBeNull();
  });
});

describe('thoughts', () => {
  it.each([
    ['Qwen3.6-35B-A3B-UD-Q4.gguf', 'if preserve_thinking', 'all', { preserve_thinking: true }],
    ['Qwen3.6-35B-A3B-UD-Q4.gguf', 'of somebody else', 'all', {}],
    ['gpt-oss-20b', '{{ reasoning_effort }}', 'all', {}],
    ['GLM-4.7-Flash', 'clear_thinking', 'all', { clear_thinking: false }],
    ['Qwen3-30B-A3B', 'enable_thinking', 'none', {}],
    ['my-finetune', null, 'none', {}],
    [null, null, 'none', {}],
  ])('the model %s with the template %s sees its thoughts again: %s', (model, template, thoughts, settings) => {
    expect(thoughtsOf(model, template)).toEqual({ thoughts, settings });
  });

  it.each([
    ['{%- if reasoning_effort is not defined %}', 'reasoning_effort'],
    ["'Reasoning strength: ' + reasoning_strength", 'reasoning_strength'],
    ['{{ enable_thinking }}', null],
    [null, null],
  ])('the template %s takes the effort in the variable %s', (template, name) => {
    expect(effortNameOf(template)).toBe(name);
  });
});
