import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import type { AgentContext, PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { takesAnswer } from '@aish/contracts/decision-rules';
import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import type { ApiClient } from '@aish/client/api.client';
import { ApiError } from '@aish/client/api.error';
import { forShown } from '@aish/client/goals.api';
import { textPiece } from '@aish/views/entry.pieces';
import { decisionStory } from '@aish/views/goal.story';
import { piecesMarkdown } from '@aish/views/pieces.markdown';
import { cleanText, oneLine } from '@aish/views/sanitise';

const OPTIONS: readonly (PermissionOption & { readonly gives: GiveVerdict })[] = [
  { optionId: 'proceed', name: 'Proceed', kind: 'allow_once', gives: { verdict: 'proceed' } },
  { optionId: 'skip', name: 'Skip it and continue', kind: 'reject_once', gives: { verdict: 'skip' } },
  { optionId: 'abort', name: 'Abort', kind: 'reject_always', gives: { verdict: 'abort' } },
];

/**
 * Asks the person at the editor about a decision, and gives the verdict with the token of `aish acp`, which may lack
 * the scope `decide`. @returns `cancelled`; a message, if the decision must be answered elsewhere; null once the
 * decision is answered
 */
export async function askEditor(
  decision: Decision,
  client: ApiClient,
  about: {
    readonly editor: AgentContext;
    readonly sessionId: string;
    /** Aborts when the decision is answered elsewhere, or when the editor cancels. */
    readonly answered: AbortSignal;
    readonly signal: AbortSignal;
  },
): Promise<string | null> {
  const { id, number, kind, reason, action, actionId, context } = decision;
  if (takesAnswer(kind)) {
    if (kind === 'need') {
      return `\n${reason}: ${action}\n(d${number} is waiting for an admin: \`aish decide d${number} give\`, or the page of aish)\n`;
    }
    return `\n${action}\n(d${number} is waiting for an answer: \`aish decide d${number} answer "…"\`, or the page of aish)\n`;
  }
  const { editor, sessionId, answered, signal } = about;
  const contextPieces = context === '' ? [] : [textPiece(cleanText(context), 'plain', 1, { by: 'model' })];
  const text = piecesMarkdown([...decisionStory(decision), ...contextPieces]);
  const question: RequestPermissionRequest = {
    sessionId,
    toolCall: {
      toolCallId: actionId ?? id,
      title: `d${number}: ${oneLine(action)}`,
      kind: kind === 'tool' ? 'other' : 'execute',
      status: 'pending',
      content: [{ type: 'content', content: { type: 'text', text } }],
    },
    options: OPTIONS.map(({ optionId, name, kind: what }) => ({ optionId, name, kind: what })),
  };
  const { outcome } = await editor.request('session/request_permission', question, {
    cancellationSignal: AbortSignal.any([answered, signal]),
  });
  if (outcome.outcome === 'cancelled') return 'cancelled';
  const chosen = OPTIONS.find(({ optionId }) => optionId === outcome.optionId);
  if (chosen === undefined) return 'cancelled';
  try {
    await client.call(decisionsApi.decide, { params: { ref: id }, body: forShown(decision, chosen.gives) }, signal);
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'decision_taken') return null;
    if (error instanceof ApiError && error.code === 'forbidden') {
      return `\n(This token may not decide. d${number} is waiting: \`aish decide d${number} proceed\`, or the page of aish.)\n`;
    }
    throw error;
  }
}
