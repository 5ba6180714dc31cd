import { spacesApi } from '@aish/contracts/endpoints/access';
import type { Space } from '@aish/contracts/spaces';
import type { ComponentChildren, JSX } from 'preact';
import { call } from '../api.js';
import { Field } from '../parts/frame.js';
import { RowForm } from '../parts/row-form.js';
import { T } from '../texts.js';
import { SPACE_FIELDS, spaceChange, type SpaceField } from './space.fields.js';

/** Says what a space reaches and who works there. `children`: what names one that is not there yet. */
export function SpaceForm({
  space,
  title,
  done,
  children,
}: {
  readonly space: Space;
  readonly title: string;
  readonly done: () => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <RowForm
      title={title}
      send={async (value) => {
        const name = space.name === '' ? value('name') : space.name;
        await call(spacesApi.set, { params: { name }, body: spaceChange(space, value) });
        done();
      }}
    >
      {children}
      <div class="grid">
        {SPACE_FIELDS.map((field) => (
          <Field key={field.name} label={field.label} {...(field.help === '' ? {} : { help: field.help })}>
            <Input field={field} value={field.shown(space)} />
          </Field>
        ))}
      </div>
      <p class="s-dim">{T.spaces.fromNow}</p>
    </RowForm>
  );
}

function Input({ field: { name, as }, value }: { readonly field: SpaceField; readonly value: string }): JSX.Element {
  if (as === 'lines') return <textarea name={name} rows={3} defaultValue={value} spellcheck={false} />;
  if (as === 'number')
    return <input name={name} type="number" inputMode="decimal" min={0} step="any" defaultValue={value} />;
  return <input name={name} defaultValue={value} spellcheck={false} autoComplete="off" />;
}
