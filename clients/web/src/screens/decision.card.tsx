import { canTakeBack, canWaitForWindow } from '@aish/contracts/approval-lines';
import { takesAnswer, type Decision, type GiveVerdict } from '@aish/contracts/decisions';
import type { Preview } from '@aish/contracts/files';
import { grantableRule } from '@aish/contracts/grants';
import { saidBefore } from '@aish/views/answer.parts';
import {
  canEdit,
  canGrant,
  canPreview,
  editableAction,
  formatApproval,
  formatDifference,
  formatPlace,
  formatReasons,
  formatSurroundings,
  hasCarried,
  kindLabel,
  markGuilty,
  verdictLabel,
} from '@aish/views/decision.format';
import { cleanText, oneLine, showExact } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem, ask } from '../api.js';
import { keepVerdict, keptVerdicts } from '../offline.js';
import { Age, may } from '../parts/frame.js';
import { HoldButton } from '../parts/hold-button.js';
import { Trouble, useDoing } from '../parts/resource.js';
import { Spans } from '../parts/spans.js';
import { hrefTo } from '../route.js';
import { useStore } from '../store.js';
import { T } from '../texts.js';
import { NeedForm } from './need.form.js';
import { AllChanges, DifferenceLines } from './snapshots.js';

interface Props {
  readonly decision: Decision;
  readonly done: () => void;
}

/** A decision whole: nothing of what the verdict covers is folded, cut or turned around. */
export function DecisionCard({ decision, done }: Props): JSX.Element {
  const { number, goalText, goalNumber, classification, surroundings, difference, action, context } = decision;
  const said = saidBefore({ context, action });
  const isHidden = showExact(action) !== action.replaceAll('\t', '\\t');
  return (
    <article class={`decision k-${decision.kind}`} aria-labelledby={`d-${number}`}>
      <header>
        <h2 id={`d-${number}`}>
          {kindLabel(decision.kind)} <span>d-{number}</span>
        </h2>
        <p>
          {goalNumber === null ? (
            formatPlace(decision)
          ) : (
            <a href={hrefTo('goals', goalNumber)}>{formatPlace(decision)}</a>
          )}
          {' · '}
          <Age at={decision.createdAt} />
        </p>
      </header>
      {goalText === null ? null : <p class="subject">{cleanText(goalText)}</p>}
      {takesAnswer(decision.kind) ? null : (
        <div role="group" aria-label={T.decision.reasons}>
          <ul class="reasons">
            {formatReasons(decision).map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </div>
      )}
      {difference === null ? (
        <Around lines={formatSurroundings(surroundings)} isRisky={hasCarried(surroundings)} />
      ) : (
        <div role="group" aria-label={T.decision.difference}>
          <DifferenceLines lines={formatDifference(difference)} />
          {decision.actionId === null ? null : <AllChanges actionId={decision.actionId} />}
        </div>
      )}
      <Approvals lines={formatApproval(decision)} />
      <h3>{titleOf(decision)}</h3>
      <pre class="action" dir="ltr" tabIndex={0}>
        <Spans of={markGuilty(action, classification)} />
      </pre>
      {isHidden ? <p class="s-warn">{T.decision.bidi}</p> : null}
      <TryIt decision={decision} />
      {said === '' ? null : (
        <details class="wrote">
          <summary>{T.decision.wrote}</summary>
          <p class="plain">{said}</p>
        </details>
      )}
      <Answer decision={decision} done={done} />
    </article>
  );
}

function Answer({ decision, done }: Props): JSX.Element {
  if (!may('decide')) return <p class="s-dim">{T.decision.observer}</p>;
  const Form = decision.kind === 'need' ? NeedForm : Verdicts;
  return <Form decision={decision} done={done} />;
}

function Around({
  lines,
  isRisky,
}: {
  readonly lines: readonly string[];
  readonly isRisky: boolean;
}): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <div role="group" aria-label={T.decision.surroundings} class={isRisky ? 's-bad' : 's-dim'}>
      {lines.map((each) => (
        <p key={each} class="around">
          {each}
        </p>
      ))}
    </div>
  );
}

function Approvals({ lines }: { readonly lines: readonly string[] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <div role="group" aria-label={T.decision.approvals} class="s-warn">
      {lines.map((each) => (
        <p key={each} class="around">
          {each}
        </p>
      ))}
    </div>
  );
}

function TryIt({ decision }: { readonly decision: Decision }): JSX.Element | null {
  const [preview, setPreview] = useState<Preview | null>(null);
  const doing = useDoing();
  if (!canPreview(decision)) return null;
  const { removed, changed, added } = preview ?? {};
  const shares = [
    ['−', removed],
    ['~', changed],
    ['+', added],
  ] as const;
  return (
    <section class="try" aria-live="polite">
      <button
        type="button"
        class="quiet"
        disabled={doing.isBusy}
        onClick={() =>
          void doing.run(async () => setPreview(await ask<Preview>('POST', `/v1/decisions/${decision.id}/preview`)))
        }
      >
        {T.decision.preview}
      </button>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      {preview === null ? null : (
        <>
          <p class="s-dim">{T.decision.previewTitle}</p>
          <DifferenceLines
            lines={shares.flatMap(([sign, share]) => [
              ...(share?.names ?? []).map((name) => `${sign} ${name}`),
              ...(share !== undefined && share.count > share.names.length
                ? [`${sign} … ${share.count - share.names.length}`]
                : []),
            ])}
          />
          {preview.output === '' ? null : <pre class="small">{cleanText(preview.output)}</pre>}
          {(preview.direct ?? []).map((name) => (
            <p key={name} class="s-bad">
              {T.decision.previewDirect(name)}
            </p>
          ))}
          {preview.lacks.map((what) => (
            <p key={what} class="s-warn">
              {T.decision.previewLacks(what)}
            </p>
          ))}
        </>
      )}
    </section>
  );
}

function Verdicts({ decision, done }: Props): JSX.Element {
  const [words, setWords] = useState('');
  const [grant, setGrant] = useState<'' | 'command' | 'rule'>('');
  const [isCarried, setCarried] = useState(false);
  const [edited, setEdited] = useState<string | null>(null);
  const [note, setNote] = useState<string | null>(null);
  const doing = useDoing();
  const end = useRef<HTMLDivElement>(null);
  const [hasRead, setRead] = useState(false);
  const kept = useStore(keptVerdicts).some((each) => each.decision.id === decision.id);
  const isAnswer = takesAnswer(decision.kind);
  const rule = grantableRule(decision.classification);

  // Nobody lets run what has not been in sight to its end.
  useEffect(() => {
    if (end.current === null) return;
    const watch = new IntersectionObserver(
      (seen) => seen.some(({ isIntersecting }) => isIntersecting) && setRead(true),
    );
    watch.observe(end.current);
    return () => watch.disconnect();
  }, []);

  async function give(body: GiveVerdict): Promise<void> {
    const given = { ...body, ...(decision.version === undefined ? {} : { version: decision.version }) };
    try {
      const { state } = await ask<Decision>('POST', `/v1/decisions/${decision.id}/verdict`, { body: given });
      if (state !== 'pending') setNote(T.decision.sent);
      done();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unreachable') throw error;
      keepVerdict({ decision, given });
    }
  }
  const send = (body: GiveVerdict): void => void doing.run(() => give(body));
  const message = words.trim() === '' ? {} : { message: words.trim() };
  const takeBack = (): void =>
    void doing.run(async () => {
      await ask('DELETE', `/v1/decisions/${decision.id}/verdict`);
      done();
    });
  const proceed = (more: Pick<GiveVerdict, 'inWindow'> = {}): void =>
    send({
      verdict: 'proceed',
      ...more,
      ...(isAnswer ? { answer: answerOf(decision, words) } : {}),
      ...(grant === '' ? {} : { grant }),
      ...(isCarried ? { carried: true } : {}),
    });

  if (kept)
    return (
      <p class="s-warn" role="status">
        {T.decision.kept}
      </p>
    );
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
      {isAnswer || edited === null ? (
        <label class="field">
          <span>{isAnswer ? T.decision.answer : T.decision.message}</span>
          <textarea
            rows={isAnswer ? 3 : 1}
            maxLength={2000}
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        </label>
      ) : (
        <label class="field">
          <span>{T.decision.edit}</span>
          <textarea
            class="mono"
            rows={3}
            spellcheck={false}
            value={edited}
            onInput={({ currentTarget }) => setEdited(currentTarget.value)}
          />
          <small>{T.decision.editHelp}</small>
        </label>
      )}
      {!isAnswer && hasCarried(decision.surroundings) ? (
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
          <span>{T.decision.grant}</span>
          <select value={grant} onChange={({ currentTarget }) => setGrant(currentTarget.value as typeof grant)}>
            <option value="">{T.decision.grantNone}</option>
            <option value="command">{T.decision.grantCommand}</option>
            {rule === null ? null : (
              <option value="rule">
                {T.decision.grantRule} ({rule})
              </option>
            )}
          </select>
        </label>
      ) : null}
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      {edited === null ? (
        <div class="actions">
          {isAnswer ? (
            <button
              type="button"
              class="primary"
              disabled={doing.isBusy || (words.trim() === '' && needsWords(decision))}
              onClick={() => proceed()}
            >
              {label}
            </button>
          ) : (
            <HoldButton label={label} isDisabled={doing.isBusy || !hasRead} done={() => proceed()} />
          )}
          {canWaitForWindow(decision) && grant === '' ? (
            <HoldButton
              label={T.decision.inWindow}
              isDisabled={doing.isBusy || !hasRead}
              done={() => proceed({ inWindow: true })}
            />
          ) : null}
          {canTakeBack(decision) ? (
            <button type="button" disabled={doing.isBusy} onClick={takeBack}>
              {T.decision.takeBack}
            </button>
          ) : null}
          <button type="button" disabled={doing.isBusy} onClick={() => send({ verdict: 'skip', ...message })}>
            {isAnswer ? T.decision.decline : capital(verdictLabel(decision, 'skip'))}
          </button>
          <button
            type="button"
            class="danger"
            disabled={doing.isBusy}
            onClick={() => send({ verdict: 'abort', ...message })}
          >
            {decision.difference === null ? T.decision.abort : T.decision.abortRoll}
          </button>
          {canEdit(decision) ? (
            <button type="button" class="quiet" onClick={() => setEdited(editableAction(decision))}>
              {T.decision.edit}
            </button>
          ) : null}
        </div>
      ) : (
        <div class="actions">
          <HoldButton
            label={T.decision.editSend}
            isDisabled={doing.isBusy || edited.trim() === ''}
            done={() => send({ verdict: 'edit', command: edited })}
          />
          <button type="button" onClick={() => setEdited(null)}>
            {T.cancel}
          </button>
        </div>
      )}
      {isAnswer || hasRead ? null : <p class="s-dim">{T.decision.readAll}</p>}
    </div>
  );
}

function needsWords({ request }: Decision): boolean {
  const required = request?.['required'];
  return Array.isArray(required) && required.length > 0;
}

/** A question takes words; a server's question as many values as it has fields, of which one is taken here. */
function answerOf({ request }: Decision, words: string): Record<string, unknown> {
  const names = Object.keys((request?.['properties'] as Record<string, unknown> | undefined) ?? {});
  const [first] = names;
  if (first === undefined || words.trim() === '') return {};
  if (names.length === 1) return { [first]: words.trim() };
  return JSON.parse(words) as Record<string, unknown>;
}

function titleOf({ kind }: Decision): string {
  if (kind === 'need') return T.need.title;
  return takesAnswer(kind) ? T.decision.question : T.decision.action;
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${oneLine(word).slice(1)}`;
}
