import { modelsApi } from '@aish/contracts/endpoints/server';
import type { Model } from '@aish/contracts/models';
import { span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { behaviour, option } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';

export const models = behaviour({
  options: { probe: option('preset', 'probe the model of this preset again') },
  json: 'print the response as JSON',
  examples: ['aish model list', 'aish model list --probe fast', "aish model list --json | jq -r '.items[].state'"],
  run: async ({ options, io, connect }) => {
    const { client } = connect();
    const { probe } = options;
    const list =
      probe === undefined
        ? await client.call(modelsApi.list, {}, io.signal)
        : { items: [await client.call(modelsApi.probe, { params: { preset: probe } }, io.signal)] };
    if (options.json) return writeJson(io, list);
    writeLines(
      io,
      list.items.flatMap((model): Line[] => [
        [
          span(`${oneLine(model.preset).padEnd(7)} `, 'bold'),
          span(model.state.padEnd(12), model.state === 'ready' ? 'good' : 'warn'),
          span(`${oneLine(model.model ?? '?')}  ${oneLine(model.baseUrl)}`),
          span(model.demo ? '  demo: scripted, not a language model' : '', 'warn'),
          span(model.detail === null ? '' : `  ${oneLine(model.detail)}`, 'dim'),
          span(describeCapabilities(model), 'dim'),
        ],
        ...(model.warnings ?? []).map(({ detail, advice }): Line => [
          span(`        ${oneLine(detail)}. ${oneLine(advice)}`, 'warn'),
        ]),
        ...lessonsOf(model),
      ]),
    );
  },
});

const NOTES_SHOWN = 3;

/** Returns lines about the sampling of the model, with the reason, and about what aish learned from its answers. */
function lessonsOf({ capabilities }: Model): readonly Line[] {
  const { sampling, refusedFields = [], notes = [] } = capabilities ?? {};
  const lessons = [
    ...(sampling ? [`sampling: ${sampling.why}`] : []),
    ...(refusedFields.length === 0 ? [] : [`not sent because the server refuses them: ${refusedFields.join(', ')}`]),
    ...notes.slice(-NOTES_SHOWN),
  ];
  return lessons.map((text) => [span(`        ${oneLine(text)}`, 'dim')]);
}

/** Describes the model's capabilities, and its fallback. */
function describeCapabilities({ capabilities, fallback }: Model): string {
  const facts = [
    ...(capabilities?.contextTokens ? [`${capabilities.contextTokens} tokens`] : []),
    ...(capabilities?.nativeTools === true
      ? ['calls tools']
      : capabilities?.nativeTools === false
        ? ['tools in text']
        : []),
    ...(capabilities?.actsWith === 'tools' ? ['calls tools'] : []),
    ...(capabilities?.toolRole === false ? ['no role tool'] : []),
    ...(capabilities?.systemRole === false ? ['no system message'] : []),
    ...(fallback ? [`falls back to ${oneLine(fallback)}`] : []),
  ];
  return facts.length === 0 ? '' : `  ${facts.join(', ')}`;
}
