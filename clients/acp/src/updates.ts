import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import type { HistoryTurn } from '@aish/contracts/chat';
import { effectsLines, effectsLine } from '@aish/contracts/effects';
import type { EventBody, LiveBody } from '@aish/contracts/events';
import { cleanText, oneLine } from '@aish/views/sanitise';

/** Characters of an output that an editor is sent. */
const OUTPUT_MAX_CHARS = 20_000;

export const said = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
});
const thought = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_thought_chunk',
  content: { type: 'text', text },
});
const textOf = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } });

/** What live text is for an editor; null: nothing. */
export function liveUpdate(body: LiveBody): SessionUpdate | null {
  if (body.type === 'answer.delta' || body.type === 'model.delta') return said(body.text);
  if (body.type === 'answer.reasoning') return thought(body.text);
  return null;
}

/** What an event is for an editor, without what it did to files. */
export function eventUpdates(body: EventBody): readonly SessionUpdate[] {
  if (body.type === 'action.classified' || body.type === 'action.started') {
    return [
      {
        sessionUpdate: 'tool_call',
        toolCallId: body.actionId,
        title: oneLine(body.command),
        kind: body.kind === 'command' ? 'execute' : 'other',
        status: body.type === 'action.started' ? 'in_progress' : 'pending',
        rawInput: { command: body.command },
      },
    ];
  }
  if (body.type === 'action.finished') return [finished(body)];
  if (body.type === 'action.skipped') return [failed(body.actionId, `not run: ${body.reason}`)];
  if (body.type === 'action.lost') return [failed(body.actionId, 'nobody knows how it ended')];
  if (body.type !== 'decision.given') return [];
  return [thought(`d${body.number}: ${body.verdict} by ${oneLine(body.by)}\n`)];
}

function finished({ actionId, outcome, result }: Extract<EventBody, { type: 'action.finished' }>): SessionUpdate {
  const isDone = outcome === null ? result?.isError !== true : outcome.exitCode === 0;
  const text = cleanText(outcome?.output ?? result?.text ?? '').slice(0, OUTPUT_MAX_CHARS);
  const effects = outcome?.effects;
  const did = effects === undefined || effectsLine(effects) === '' ? [] : [textOf(effectsLines(effects).join('\n'))];
  const exit = outcome === null || outcome.exitCode === 0 ? [] : [textOf(`exit ${outcome.exitCode ?? 'unknown'}`)];
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: actionId,
    status: isDone ? 'completed' : 'failed',
    content: [...(text === '' ? [] : [textOf(text)]), ...exit, ...did],
  };
}

const failed = (toolCallId: string, why: string): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  status: 'failed',
  content: [textOf(why)],
});

/** What was said before, for an editor that opens a session again. */
export function turnUpdates({ seq, role, content, reasoning, toolCalls }: HistoryTurn): readonly SessionUpdate[] {
  if (role === 'user') return [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: content } }];
  if (role === 'assistant') {
    const called = toolCalls.map(({ name }) => `\n(${name})`).join('');
    return [...(reasoning === '' ? [] : [thought(reasoning)]), said(content + called)];
  }
  if (role === 'notice') return [thought(content)];
  const title = oneLine(content.split('\n')[0] ?? '').slice(0, 200);
  const output = cleanText(content).slice(0, OUTPUT_MAX_CHARS);
  return [
    { sessionUpdate: 'tool_call', toolCallId: `turn-${seq}`, title, status: 'completed', content: [textOf(output)] },
  ];
}
