import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import type { JSX } from 'preact';
import { Nothing, Screen } from '../parts/frame.js';
import { Loaded, Trouble, useResource } from '../parts/resource.js';
import { refusedVerdict } from '../offline.js';
import { useStore } from '../store.js';
import { T } from '../texts.js';
import { DecisionCards } from './decision.cards.js';

export default function Decisions({ only }: { readonly only: string | undefined }): JSX.Element {
  const decisions = useResource(decisionsApi.list, {}, true);
  const refused = useStore(refusedVerdict);
  return (
    <Screen title={T.decision.title}>
      {refused === null ? null : <Trouble>{T.decision.refused(refused)}</Trouble>}
      <Loaded of={decisions}>
        {({ items }) => {
          const shown =
            only === undefined ? items : items.filter(({ number }) => `d${number}` === only.replace('-', ''));
          return (
            <>
              <DecisionCards key={only ?? ''} items={shown} done={decisions.reload} />
              {shown.length === 0 ? <Nothing>{T.decision.none}</Nothing> : null}
            </>
          );
        }}
      </Loaded>
    </Screen>
  );
}
