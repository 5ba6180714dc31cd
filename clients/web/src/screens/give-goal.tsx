import { modelsApi } from '@aish/contracts/endpoints/server';
import { runbooksApi } from '@aish/contracts/endpoints/runbooks';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { spacesApi } from '@aish/contracts/endpoints/access';
import { GOAL_TEXT_MAX_CHARS } from '@aish/contracts/limits';
import type { Runbook } from '@aish/contracts/runbooks';
import { goalRequest } from '@aish/views/goal.options';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { useDraft } from '../drafts.js';
import { useFormDraft } from '../form-draft.js';
import { Card, Field, Screen } from '../parts/frame.js';
import { Trouble, useDoing, useResource } from '../parts/resource.js';
import { TextBox } from '../parts/text-box.js';
import { SecretsHint } from '../parts/secrets-hint.js';
import { goTo } from '../route.js';
import { T } from '../texts.js';

export function GiveGoal(): JSX.Element {
  const spaces = useResource(spacesApi.list, {});
  const models = useResource(modelsApi.list, {});
  const runbooks = useResource(runbooksApi.list, {});
  const [runbook, setRunbook] = useState<Runbook | undefined>();
  const usable = (runbooks.data?.items ?? []).filter(({ faults }) => faults.length === 0);
  const [text, write] = useDraft('goal');
  const options = useFormDraft('goal options');
  const doing = useDoing();

  async function give(form: FormData): Promise<void> {
    const value = (name: string): string | undefined => {
      const given = form.get(name);
      return typeof given === 'string' && given.trim() !== '' ? given.trim() : undefined;
    };
    const steps = value('steps');
    const parameters = (runbook?.parameters ?? []).flatMap(({ name }) => {
      const given = value(`parameter ${name}`);
      return given === undefined ? [] : [[name, given]];
    });
    const goal = await call(goalsApi.create, {
      body: {
        text,
        ...(runbook === undefined
          ? {}
          : { runbook: { name: runbook.name, parameters: Object.fromEntries(parameters) } }),
        ...goalRequest({
          space: value('space'),
          preset: value('preset'),
          verify: value('verify'),
          steps: steps === undefined ? undefined : Number(steps),
          proposeCheck: form.get('propose') === 'on' ? true : undefined,
          planFirst: form.get('plan') === 'on' ? true : undefined,
          trust: form.get('trust') === 'on' ? 'undoable' : undefined,
        }),
      },
    });
    write('');
    options.forget();
    goTo('goals', goal.number);
  }

  return (
    <Screen title={T.goals.give}>
      <form
        ref={options.form}
        class="form"
        onInput={options.keep}
        onChange={options.keep}
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void doing.run(() => give(form));
        }}
      >
        <Card>
          <Field label={T.goals.text} help={T.goals.textHelp}>
            <TextBox
              limit={GOAL_TEXT_MAX_CHARS}
              rows={5}
              required
              value={text}
              write={write}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
                  event.currentTarget.form?.requestSubmit();
              }}
            />
          </Field>
          <SecretsHint text={text} />
          <details class="options">
            <summary>{T.goals.options}</summary>
            <div class="grid">
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
                  {(models.data?.items ?? []).map(({ preset, model }) => (
                    <option key={preset} value={preset}>
                      {preset}
                      {model === null ? '' : ` · ${model}`}
                    </option>
                  ))}
                </select>
              </Field>
              <Field label={T.goals.steps}>
                <input name="steps" type="number" inputMode="numeric" min={1} max={256} placeholder="16" />
              </Field>
              {usable.length === 0 ? null : (
                <Field
                  label={T.goals.runbook}
                  {...(runbook === undefined ? {} : { help: oneLine(runbook.description) })}
                >
                  <select
                    value={runbook?.name ?? ''}
                    onChange={({ currentTarget }) =>
                      setRunbook(usable.find(({ name }) => name === currentTarget.value))
                    }
                  >
                    <option value="">{T.goals.noRunbook}</option>
                    {usable.map(({ name }) => (
                      <option key={name}>{name}</option>
                    ))}
                  </select>
                </Field>
              )}
              {runbook?.parameters.map((parameter) => (
                <Field key={`${runbook.name} ${parameter.name}`} label={oneLine(parameter.name)}>
                  <input
                    name={`parameter ${parameter.name}`}
                    required={parameter.default === null}
                    placeholder={parameter.default ?? ''}
                    maxLength={2_000}
                    autoComplete="off"
                  />
                </Field>
              ))}
            </div>
            <Field label={T.goals.check} help={T.goals.checkHelp}>
              <input name="verify" class="mono" autoComplete="off" spellcheck={false} />
            </Field>
            <label class="tick">
              <input type="checkbox" name="propose" /> {T.goals.proposeCheck}
            </label>
            <label class="tick">
              <input type="checkbox" name="plan" /> {T.goals.planFirst}
            </label>
            <label class="tick">
              <input type="checkbox" name="trust" /> {T.goals.trust}
            </label>
          </details>
          {doing.trouble === null ? null : <Trouble>{doing.trouble}</Trouble>}
          <div class="actions">
            <button class="primary" disabled={doing.isBusy || text.trim() === '' || text.length > GOAL_TEXT_MAX_CHARS}>
              {T.goals.submit}
            </button>
          </div>
        </Card>
      </form>
    </Screen>
  );
}
