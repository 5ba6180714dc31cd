import { spacesApi } from '@aish/contracts/endpoints/access';
import { modelsApi } from '@aish/contracts/endpoints/server';
import { schedulesApi } from '@aish/contracts/endpoints/goals';
import { GOAL_TEXT_MAX_CHARS } from '@aish/contracts/limits';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { call } from '../api.js';
import { Card, Field, Nothing, Screen, may } from '../parts/frame.js';
import { RowForm } from '../parts/row-form.js';
import { Loaded, useResource } from '../parts/resource.js';
import { TextBox } from '../parts/text-box.js';
import { RemoveButton } from '../parts/remove-button.js';
import { T } from '../texts.js';

export default function Schedules(): JSX.Element {
  const schedules = useResource(schedulesApi.list, {}, true);
  const spaces = useResource(spacesApi.list, {});
  const models = useResource(modelsApi.list, {});
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
              body: {
                cron: value('cron'),
                timezone: value('zone'),
                goal: {
                  text: value('goal'),
                  ...(value('space') === '' ? {} : { space: value('space') }),
                  ...(value('preset') === '' ? {} : { preset: value('preset') }),
                },
              },
            });
            schedules.reload();
          }}
        >
          <Field label={T.schedules.goal}>
            <TextBox limit={GOAL_TEXT_MAX_CHARS} name="goal" rows={2} required />
          </Field>
          <div class="grid">
            <Field label={T.schedules.cron}>
              <input name="cron" class="mono" required placeholder="0 3 * * *" />
            </Field>
            <Field label={T.schedules.zone}>
              <input name="zone" required defaultValue={Intl.DateTimeFormat().resolvedOptions().timeZone} />
            </Field>
            <Field label={T.goals.space}>
              <select name="space">
                <option value="">general</option>
                {(spaces.data?.items ?? [])
                  .filter(({ name }) => name !== 'general')
                  .map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
              </select>
            </Field>
            <Field label={T.goals.preset}>
              <select name="preset">
                <option value="">{T.goals.asSpace}</option>
                {(models.data?.items ?? []).map(({ preset }) => (
                  <option key={preset}>{preset}</option>
                ))}
              </select>
            </Field>
          </div>
        </RowForm>
      ) : null}
    </Screen>
  );
}
