import { undoApi } from '@aish/contracts/endpoints/files';
import { takesAnswer } from '@aish/contracts/decision-rules';
import type { Decision } from '@aish/contracts/decisions';
import type { Preview } from '@aish/contracts/files';
import { cardContext } from '@aish/views/card.context';
import {
  canPreview,
  formatKeeps,
  formatApproval,
  formatDifference,
  formatPlace,
  formatReasons,
  formatExecutionContext,
  hasCarried,
  kindLabel,
  markGuilty,
  toolCall,
} from '@aish/views/decision.format';
import { cleanText, hidesSomething } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { Age, may } from '../parts/frame.js';
import { CopyButton } from '../parts/copy-button.js';
import { GoalText } from '../parts/goal-text.js';
import { lazy } from '../parts/lazy.js';
import { Trouble, useDoing } from '../parts/resource.js';
import { Spans } from '../parts/spans.js';
import { AllChanges, DifferenceLines } from '../parts/undo.js';
import { Steady } from '../parts/steady.js';
import { hrefTo } from '../route.js';
import { T } from '../texts.js';
import type { CardProps } from './card.props.js';

import { Verdicts } from './decision.verdicts.js';

/** Only this form parses requested values by their schema, so it loads separately. */
const NeedForm = lazy<CardProps>(
  () => import('./need.form.js'),
  () => null,
);

/** Shows a complete decision: nothing that the verdict covers is folded, cut or reordered. */
export function DecisionCard(props: CardProps): JSX.Element {
  const { decision } = props;
  const { number, goalText, goalNumber, classification, executionContext, difference, action, context } = decision;
  const { wrote, serverSays } = cardContext({ context, action });
  const [tried, setTried] = useState<Preview | null>(null);
  return (
    <article class={`decision k-${decision.kind}`} tabIndex={-1} aria-labelledby={`d${number}`}>
      <header>
        <h2 id={`d${number}`}>
          {kindLabel(decision.kind)} <span>d{number}</span>
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
      {goalText === null ? null : <GoalText kind="subject" text={goalText} />}
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
        <ExecutionContextLines
          lines={formatExecutionContext(executionContext)}
          isRisky={hasCarried(executionContext)}
        />
      ) : (
        <div role="group" aria-label={T.decision.difference}>
          <DifferenceLines lines={formatDifference(decision)} />
          {decision.actionId === null ? null : <AllChanges actionId={decision.actionId} />}
        </div>
      )}
      <Approvals lines={formatApproval(decision)} />
      <div class="start-of-action">
        <h3>{titleOf(decision)}</h3>
        <CopyButton text={action} what={copyName(decision)} />
      </div>
      <pre class="action" dir="ltr" tabIndex={0}>
        <Spans of={markGuilty(action, classification)} />
      </pre>
      {hidesSomething(action) ? <p class="s-warn">{T.decision.bidi}</p> : null}
      <TryIt decision={decision} preview={tried} setPreview={setTried} />
      <Folded title={T.decision.wrote} text={wrote} />
      <Folded title={T.decision.serverSays} text={serverSays} />
      {props.ended === null ? null : <Ended how={props.ended} />}
      <Answer {...props} preview={tried?.id ?? null} />
      {props.ended === null ? null : (
        <div class="actions">
          <button type="button" onClick={props.close}>
            {T.close}
          </button>
        </div>
      )}
    </article>
  );
}

function Folded({ title, text }: { readonly title: string; readonly text: string }): JSX.Element | null {
  if (text === '') return null;
  return (
    <details class="wrote">
      <summary>{title}</summary>
      <p class="plain">{text}</p>
    </details>
  );
}

function Ended({ how }: { readonly how: string }): JSX.Element {
  return (
    <p class="s-warn" role="status">
      {how === '' ? T.decision.over : how} {T.decision.notSent}
    </p>
  );
}

function Answer(props: CardProps & { readonly preview: string | null }): JSX.Element {
  if (!may('decide')) return <p class="s-dim">{T.decision.observer}</p>;
  return <Steady>{props.decision.kind === 'need' ? <NeedForm {...props} /> : <Verdicts {...props} />}</Steady>;
}

function ExecutionContextLines({
  lines,
  isRisky,
}: {
  readonly lines: readonly string[];
  readonly isRisky: boolean;
}): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <div role="group" aria-label={T.decision.executionContext} class={isRisky ? 's-bad' : 's-dim'}>
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

interface TryItProps {
  readonly decision: Decision;
  readonly preview: Preview | null;
  readonly setPreview: (preview: Preview) => void;
}

function TryIt({ decision, preview, setPreview }: TryItProps): JSX.Element | null {
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
          void doing.run(async () => setPreview(await call(undoApi.preview, { params: { ref: decision.id } })))
        }
      >
        {T.decision.preview}
      </button>
      {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
      {preview === null ? null : (
        <>
          <p class={preview.keeps ? 's-good' : 's-warn'}>{formatKeeps(preview)}</p>
          <p class="s-dim">{T.decision.previewTitle}</p>
          <DifferenceLines
            lines={shares.flatMap(([sign, share]) => [
              ...(share?.names ?? []).map((name) => `${sign} ${name}`),
              ...(share !== undefined && share.count > share.names.length
                ? [`${sign} … ${T.goal.moreChanges(share.count - share.names.length)}`]
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

function copyName({ kind, action }: Decision): string {
  if (takesAnswer(kind)) return T.output.question;
  if (kind === 'plan') return T.output.plan;
  return toolCall(action) === null ? T.output.command : T.output.call;
}

function titleOf({ kind }: Decision): string {
  if (kind === 'need') return T.need.title;
  if (kind === 'plan') return T.decision.plan;
  return takesAnswer(kind) ? T.decision.question : T.decision.action;
}
