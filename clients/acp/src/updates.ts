import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import type { HistoryTurn } from '@aish/contracts/chat';
import { effectsLines } from '@aish/contracts/effect-lines';
import type { EventBody, LiveBody } from '@aish/contracts/events';
import type { Piece } from '@aish/views/entry.pieces';
import { formatEnding } from '@aish/views/goal.format';
import { hasEnded } from '@aish/views/goal.state';
import { piecesMarkdown } from '@aish/views/pieces.markdown';
import { cleanText, oneLine } from '@aish/views/sanitise';

/** The maximum number of output characters that an editor receives. */
const OUTPUT_MAX_CHARS = 20_000;

export const messageChunk = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
});
const thought = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_thought_chunk',
  content: { type: 'text', text },
});
const textOf = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } });

/** Converts live text for an editor. Returns null if the editor does not show it. */
export function liveUpdate(body: LiveBody): SessionUpdate | null {
  if (body.type === 'answer.delta' || body.type === 'model.delta') return messageChunk(body.text);
  if (body.type === 'answer.reasoning' || body.type === 'model.reasoning') return thought(body.text);
  return null;
}

/** Converts an event for an editor, without file changes. `pieces` is the event's text. */
export function eventUpdates(body: EventBody, pieces: readonly Piece[]): readonly SessionUpdate[] {
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
  const text = piecesMarkdown(pieces.map(shortened));
  if (body.type === 'action.finished') {
    const effects = body.outcome?.effects;
    const did = effects === undefined ? '' : effectsLines(effects).join('\n');
    return [ended(body.actionId, formatEnding(body).isGood, did === '' ? [text] : [text, did])];
  }
  if (body.type === 'action.skipped' || body.type === 'action.lost') return [ended(body.actionId, false, [text])];
  if (body.type === 'goal.changed' && hasEnded(body.state)) return [messageChunk(`\n${text}\n`)];
  return body.type === 'decision.given' ? [thought(`${text}\n`)] : [];
}

const shortened = (piece: Piece): Piece =>
  piece.as === 'output' ? { ...piece, text: piece.text.slice(0, OUTPUT_MAX_CHARS) } : piece;

const ended = (toolCallId: string, isGood: boolean, texts: readonly string[]): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  status: isGood ? 'completed' : 'failed',
  content: texts.map(textOf),
});

/** Returns earlier turns, for an editor that reopens a session. */
export function turnUpdates({ seq, role, content, reasoning, toolCalls }: HistoryTurn): readonly SessionUpdate[] {
  if (role === 'user') return [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: content } }];
  if (role === 'assistant') {
    const called = toolCalls.map(({ name }) => `\n(${name})`).join('');
    return [...(reasoning === '' ? [] : [thought(reasoning)]), messageChunk(content + called)];
  }
  if (role === 'notice') return [thought(content)];
  const title = oneLine(content.split('\n')[0] ?? '').slice(0, 200);
  const output = cleanText(content).slice(0, OUTPUT_MAX_CHARS);
  return [
    { sessionUpdate: 'tool_call', toolCallId: `turn-${seq}`, title, status: 'completed', content: [textOf(output)] },
  ];
}
