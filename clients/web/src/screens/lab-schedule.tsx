import { briefApi } from '@aish/contracts/endpoints/lab';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { DoButton } from '../parts/do-button.js';
import { Card, may } from '../parts/frame.js';
import { Loaded, Trouble, useDoing, useResource } from '../parts/resource.js';
import { T } from '../texts.js';

const USUAL = '07:00';

/** Shows and changes the time of the daily brief. */
export function LabSchedule(): JSX.Element {
  const schedule = useResource(briefApi.schedule, {});
  const doing = useDoing();
  const [chosen, setChosen] = useState<string | null>(null);
  const set = async (at: string | null): Promise<void> => {
    const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
    await call(briefApi.setSchedule, { body: { at, timezone } });
    setChosen(null);
    schedule.reload();
  };
  return (
    <Card title={T.lab.schedule}>
      <Loaded of={schedule}>
        {({ at, timezone }) => (
          <div class="row still">
            <span class="row-main">
              <span class="row-title wrap">{at === null ? T.lab.never : oneLine(T.lab.daily(at, timezone))}</span>
              <span class="row-note wrap">{T.lab.messages}</span>
              {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
            </span>
            {may('operate') ? (
              <span class="row-side">
                <input
                  type="time"
                  aria-label={T.lab.time}
                  value={chosen ?? at ?? USUAL}
                  required
                  onInput={(event) => setChosen(event.currentTarget.value)}
                />
                <DoButton doing={doing} act={() => set(chosen ?? at ?? USUAL)}>
                  {T.lab.check}
                </DoButton>
                {at === null ? null : (
                  <DoButton doing={doing} act={() => set(null)}>
                    {T.lab.off}
                  </DoButton>
                )}
              </span>
            ) : null}
          </div>
        )}
      </Loaded>
    </Card>
  );
}
