import { hostsApi, secretsApi, spacesApi } from '@aish/contracts/endpoints/access';
import type { Space } from '@aish/contracts/spaces';
import type { ComponentChildren, JSX } from 'preact';
import { call } from '../api.js';
import { Field } from '../parts/frame.js';
import { KnownNames } from '../parts/known-names.js';
import { useResource } from '../parts/resource.js';
import { RowForm } from '../parts/row-form.js';
import { T } from '../texts.js';
import { SPACE_FIELDS, spaceChange, type SpaceField } from './space.fields.js';

/** A form for the access and the members of a space. `children` is the field for the name of a new space. */
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
  const hosts = useResource(hostsApi.list, {});
  const secrets = useResource(secretsApi.list, {});
  const known: Readonly<Record<string, readonly string[]>> = {
    hosts: namesOf(hosts.data),
    secrets: namesOf(secrets.data),
  };
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
          <div key={field.name} class="field">
            <Field label={field.label} {...(field.help === '' ? {} : { help: field.help })}>
              <Input field={field} value={field.shown(space)} />
            </Field>
            <KnownNames names={known[field.name] ?? []} />
          </div>
        ))}
      </div>
      <p class="s-dim">{T.spaces.fromNow}</p>
    </RowForm>
  );
}

function namesOf(list: { readonly items: readonly { readonly name: string }[] } | null): readonly string[] {
  return list?.items.map(({ name }) => name) ?? [];
}

function Input({ field: { name, as }, value }: { readonly field: SpaceField; readonly value: string }): JSX.Element {
  if (as === 'lines') return <textarea name={name} rows={3} defaultValue={value} spellcheck={false} />;
  if (as === 'number')
    return <input name={name} type="number" inputMode="decimal" min={0} step="any" defaultValue={value} />;
  return <input name={name} defaultValue={value} spellcheck={false} autoComplete="off" />;
}
