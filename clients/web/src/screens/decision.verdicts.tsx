import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { canTakeBack, canWaitForWindow } from '@aish/contracts/approval-lines';
import { ANSWER_MAX_CHARS, COMMAND_MAX_CHARS, NOTE_MAX_CHARS } from '@aish/contracts/limits';
import { isLastQuestion, runsSomething, takesAnswer, grantableRule } from '@aish/contracts/decision-rules';
import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import { canEdit, canGrant, editableAction, hasCarried, toolCall, verdictLabel } from '@aish/views/decision.format';
import { hidesSomething, oneLine, showExact } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '@aish/client/api.error';
import { call } from '../api.js';
import { draftOf, keepDraft, useDraft } from '../drafts.js';
import { keepVerdict, keptVerdicts, wasSent } from '../offline.js';
import { HoldButton } from '../parts/hold-button.js';
import { TextBox } from '../parts/text-box.js';
import { Trouble, useDoing } from '../parts/resource.js';
import { KeptVerdictLine } from '../parts/kept-verdict.js';
import { TwiceButton } from '../parts/twice.js';
import { useStore } from '../store.js';
import { T } from '../texts.js';
import type { CardProps } from './card.props.js';

/** A shorter glimpse is not reading. */
const SEEN_MS = 300;

interface Props extends Omit<CardProps, 'close'> {
  /** The preview on the screen. `proceed` keeps the run of that preview. */
  readonly preview: string | null;
}

/** Shows the verdict that waits for the connection, or else the form for one. */
export function Verdicts(props: Props): JSX.Element {
  const { decision, begun, ended, taken } = props;
  const kept = useStore(keptVerdicts).find((each) => each.decision.id === decision.id);
  const wasKept = useRef(false);
  if (kept !== undefined || wasKept.current) begun.isSending = kept !== undefined;
  begun.isOwn ||= wasSent(decision.id);
  useEffect(() => {
    // The verdict was sent, refused or taken back.
    if (wasKept.current && kept === undefined) taken();
    wasKept.current = kept !== undefined;
  }, [kept === undefined]);
  if (kept === undefined || ended !== null) return <VerdictForm {...props} />;
  return (
    <div class="s-warn" role="status">
      <p>{T.decision.kept}</p>
      <KeptVerdictLine kept={kept} />
    </div>
  );
}

/** The buttons for a verdict: proceed, stop the action, or replace it. */
function VerdictForm({ decision, begun, ended, preview, done, taken }: Props): JSX.Element {
  const [words, setWords] = useDraft(`note ${decision.id}`);
  const [grant, setGrant] = useState<'' | 'command' | 'rule'>('');
  const [isCarried, setCarried] = useState(false);
  const [edited, writeEdited] = useState<string | null>(() => draftOf(`edit ${decision.id}`) || null);
  const setEdited = (text: string | null): void => {
    writeEdited(text);
    keepDraft(`edit ${decision.id}`, text ?? '');
  };
  const [note, setNote] = useState<string | null>(null);
  const doing = useDoing();
  const end = useRef<HTMLDivElement>(null);
  const [read, setRead] = useState({ start: false, end: false });
  const hasRead = read.start && read.end;
  const wasLate = useRef(false);
  begun.isKept = wasLate.current || words.trim() !== '' || edited !== null;
  const isAnswer = takesAnswer(decision.kind);
  const isPlan = decision.kind === 'plan';
  const editLabel = isPlan ? T.decision.editPlan : T.decision.edit;
  const limit = isAnswer ? ANSWER_MAX_CHARS : NOTE_MAX_CHARS;
  const isBusy = doing.isBusy || words.length > limit || (edited?.length ?? 0) > COMMAND_MAX_CHARS;
  const rule = grantableRule(decision.classification);

  // An action can be approved only after its start and its end were visible. A page that follows a goal scrolls by
  // itself, so what only rushed by does not count.
  useEffect(() => {
    const start = end.current?.closest('article')?.querySelector('.start-of-action');
    if (end.current === null || !start) return;
    const timers = new Map<Element, ReturnType<typeof setTimeout>>();
    const watch = new IntersectionObserver((all) => {
      for (const { target, isIntersecting } of all) {
        clearTimeout(timers.get(target));
        const part = target === start ? 'start' : 'end';
        if (isIntersecting)
          timers.set(
            target,
            setTimeout(() => setRead((old) => ({ ...old, [part]: true })), SEEN_MS),
          );
      }
    });
    watch.observe(start);
    watch.observe(end.current);
    return () => {
      watch.disconnect();
      timers.forEach(clearTimeout);
    };
  }, []);

  const forget = (): void => {
    keepDraft(`note ${decision.id}`, '');
    keepDraft(`edit ${decision.id}`, '');
  };
  async function give(body: GiveVerdict): Promise<void> {
    const given = { ...body, ...(decision.version === undefined ? {} : { version: decision.version }) };
    begun.isSending = true;
    try {
      const { state } = await call(decisionsApi.decide, { params: { ref: decision.id }, body: given });
      begun.isOwn = state !== 'pending';
      forget();
      if (state !== 'pending') setNote(T.decision.sent);
      done();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'unreachable') {
        forget();
        const { id, number, version, action } = decision;
        return keepVerdict({ decision: { id, number, version, action }, given });
      }
      if (error.code !== 'decision_taken') throw error;
      wasLate.current = true;
      begun.isKept = true;
      taken();
    } finally {
      begun.isSending = false;
    }
  }
  const send = (body: GiveVerdict): void => void doing.run(() => give(body));
  const message = words.trim() === '' ? {} : { message: words.trim() };
  const takeBack = (): void =>
    void doing.run(async () => {
      await call(decisionsApi.takeBack, { params: { ref: decision.id } });
      done();
    });
  const proceed = (more: Pick<GiveVerdict, 'inWindow'> = {}): void =>
    send({
      verdict: 'proceed',
      ...more,
      ...(isAnswer ? { answer: answerOf(decision, words) } : message),
      ...(grant === '' ? {} : { grant }),
      ...(isCarried ? { carried: true } : {}),
      ...(preview === null ? {} : { preview }),
    });

  if (note !== null)
    return (
      <p class="s-good" role="status">
        {note}
      </p>
    );
  const label = isAnswer ? T.decision.send : capital(verdictLabel(decision, 'proceed'));
  return (
    <div class="verdicts">
      <div ref={end} class="end-of-action" />
      <label key="words" class="field">
        <span>{isAnswer ? T.decision.answer : T.decision.message}</span>
        <TextBox limit={limit} rows={isAnswer ? 3 : 1} value={words} write={setWords} />
      </label>
      {edited === null ? null : (
        // This must be a separate element: if it reused the other field's element, it would also inherit that field's
        // length limit.
        <label key="edited" class="field">
          <span>{editLabel}</span>
          <TextBox
            limit={COMMAND_MAX_CHARS}
            class="mono"
            rows={3}
            spellcheck={false}
            value={edited}
            write={setEdited}
          />
          {isPlan ? null : <small>{T.decision.editHelp}</small>}
        </label>
      )}
      {edited === null || !hidesSomething(edited) ? null : (
        <>
          <p class="s-warn">{T.decision.bidi}</p>
          <pre class="exact" dir="ltr" tabIndex={0}>
            {showExact(edited)}
          </pre>
        </>
      )}
      {!isAnswer && hasCarried(decision.executionContext) ? (
        <label class="tick">
          <input
            type="checkbox"
            checked={isCarried}
            onChange={({ currentTarget }) => setCarried(currentTarget.checked)}
          />
          {T.decision.carried}
        </label>
      ) : null}
      {canGrant(decision) ? (
        <label class="field">
          <span>{decision.goalId === null ? T.decision.grantChat : T.decision.grant}</span>
          <select value={grant} onChange={({ currentTarget }) => setGrant(currentTarget.value as typeof grant)}>
            <option value="">{T.decision.grantNone}</option>
            <option value="command">
              {toolCall(decision.action) === null ? T.decision.grantCommand : T.decision.grantCall}
            </option>
            {rule === null ? null : (
              <option value="rule">
                {T.decision.grantRule} ({rule})
              </option>
            )}
          </select>
        </label>
      ) : null}
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      {ended !== null ? null : edited === null ? (
        <div class="actions">
          {isAnswer ? (
            <button
              type="button"
              class="primary"
              disabled={isBusy || (words.trim() === '' && needsWords(decision))}
              onClick={() => proceed()}
            >
              {label}
            </button>
          ) : (
            <HoldButton label={label} isDisabled={isBusy || !hasRead} done={() => proceed()} />
          )}
          {canWaitForWindow(decision) && grant === '' ? (
            <HoldButton
              label={T.decision.inWindow}
              isDisabled={isBusy || !hasRead}
              done={() => proceed({ inWindow: true })}
            />
          ) : null}
          {canTakeBack(decision) ? (
            <button type="button" disabled={isBusy} onClick={takeBack}>
              {T.decision.takeBack}
            </button>
          ) : null}
          <button type="button" disabled={isBusy} onClick={() => send({ verdict: 'skip', ...message })}>
            {isAnswer ? T.decision.decline : capital(verdictLabel(decision, 'skip'))}
          </button>
          {runsSomething(decision.kind) ? (
            <button type="button" disabled={isBusy} onClick={() => send({ verdict: 'instead', ...message })}>
              {capital(verdictLabel(decision, 'instead'))}
            </button>
          ) : null}
          <TwiceButton
            label={abortLabel(decision)}
            isDisabled={isBusy}
            done={() => send({ verdict: 'abort', ...message })}
          />
          {canEdit(decision) ? (
            <button type="button" class="quiet" onClick={() => setEdited(editableAction(decision))}>
              {editLabel}
            </button>
          ) : null}
        </div>
      ) : (
        <div class="actions">
          <HoldButton
            label={isPlan ? T.decision.sendPlan : T.decision.editSend}
            isDisabled={isBusy || edited.trim() === ''}
            done={() => send({ verdict: 'edit', command: edited, ...message })}
          />
          <button type="button" onClick={() => setEdited(null)}>
            {T.cancel}
          </button>
        </div>
      )}
      {isAnswer || hasRead || ended !== null ? null : <p class="s-dim">{T.decision.readAll}</p>}
    </div>
  );
}

function needsWords({ request }: Decision): boolean {
  const required = request?.['required'];
  return Array.isArray(required) && required.length > 0;
}

/**
 * Returns an answer as values. A question takes words. A server's question has one value for each field, and this form
 * takes one of them.
 */
function answerOf({ request }: Decision, words: string): Record<string, unknown> {
  const names = Object.keys((request?.['properties'] as Record<string, unknown> | undefined) ?? {});
  const [first] = names;
  if (first === undefined || words.trim() === '') return {};
  if (names.length === 1) return { [first]: words.trim() };
  return JSON.parse(words) as Record<string, unknown>;
}

function abortLabel(decision: Decision): string {
  if (isLastQuestion(decision)) return capital(verdictLabel(decision, 'abort'));
  if (decision.difference !== null) return T.decision.abortRoll;
  return decision.goalId === null ? T.decision.abortChat : T.decision.abort;
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${oneLine(word).slice(1)}`;
}
