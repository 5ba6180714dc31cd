import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { formatVerdict } from '@aish/views/decision.format';
import { showExact } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { Card, Nothing, Screen } from '../parts/frame.js';
import { hrefTo } from '../route.js';
import { Loaded, useResource } from '../parts/resource.js';
import { T } from '../texts.js';
import { DecisionCards } from './decision.cards.js';

export default function Decisions({ only }: { readonly only: string | undefined }): JSX.Element {
  const decisions = useResource(decisionsApi.list, {}, true);
  return (
    <Screen title={T.decision.title}>
      <Loaded of={decisions}>
        {({ items }) => {
          const shown =
            only === undefined ? items : items.filter(({ number }) => `d${number}` === only.replace('-', ''));
          return (
            <>
              <DecisionCards key={only ?? ''} items={shown} done={decisions.reload} />
              {shown.length > 0 ? null : only === undefined ? (
                <Nothing>{T.decision.none}</Nothing>
              ) : (
                <Answered reference={only} />
              )}
            </>
          );
        }}
      </Loaded>
    </Screen>
  );
}

/** Shows how a decision ended that a notification or the finder still names. */
function Answered({ reference }: { readonly reference: string }): JSX.Element {
  const decision = useResource(decisionsApi.show, { params: { ref: reference } });
  return (
    <Loaded of={decision}>
      {({ number, action, goalNumber, ...ended }) => (
        <Card title={`d${number}`}>
          <p>{formatVerdict(ended) ?? T.decision.over}</p>
          <pre class="exact" dir="ltr" tabIndex={0}>
            {showExact(action)}
          </pre>
          {goalNumber === null ? null : <a href={hrefTo('goals', goalNumber)}>{T.decision.goal(goalNumber)}</a>}
        </Card>
      )}
    </Loaded>
  );
}
