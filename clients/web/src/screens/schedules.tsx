import { schedulesApi } from '@aish/contracts/endpoints/goals';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { call } from '../api.js';
import { Card, Field, Nothing, Screen, may } from '../parts/frame.js';
import { RowForm } from '../parts/row-form.js';
import { Loaded, useResource } from '../parts/resource.js';
import { RemoveButton } from '../parts/remove-button.js';
import { T } from '../texts.js';

export default function Schedules(): JSX.Element {
  const schedules = useResource(schedulesApi.list, {}, true);
  return (
    <Screen title={T.schedules.title}>
      <Loaded of={schedules}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>{T.schedules.none}</Nothing>
          ) : (
            <Card>
              <ul class="rows">
                {items.map(({ id, number, cron, timezone, goal, nextAt, skipped, lastGoalNumber }) => (
                  <li key={id} class="row still">
                    <span class="row-main">
                      <span class="row-title">{oneLine(goal.text)}</span>
                      <span class="row-note">
                        <code>{oneLine(cron)}</code> {timezone}
                        {nextAt === null ? '' : ` · ${T.schedules.next} ${new Date(nextAt).toLocaleString()}`}
                        {lastGoalNumber === null ? '' : ` · goal ${lastGoalNumber}`}
                        {skipped === 0 ? '' : ` · ${skipped} skipped`}
                      </span>
                    </span>
                    {may('operate') ? (
                      <RemoveButton
                        remove={() => call(schedulesApi.remove, { params: { ref: number } })}
                        done={schedules.reload}
                      />
                    ) : null}
                  </li>
                ))}
              </ul>
            </Card>
          )
        }
      </Loaded>
      {may('operate') ? (
        <RowForm
          title={T.add}
          send={async (value) => {
            await call(schedulesApi.create, {
              body: { cron: value('cron'), timezone: value('zone'), goal: { text: value('goal') } },
            });
            schedules.reload();
          }}
        >
          <Field label={T.schedules.goal}>
            <textarea name="goal" rows={2} required />
          </Field>
          <div class="grid">
            <Field label={T.schedules.cron}>
              <input name="cron" class="mono" required placeholder="0 3 * * *" />
            </Field>
            <Field label={T.schedules.zone}>
              <input name="zone" required defaultValue={Intl.DateTimeFormat().resolvedOptions().timeZone} />
            </Field>
          </div>
        </RowForm>
      ) : null}
    </Screen>
  );
}
