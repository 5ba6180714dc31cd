import { secretsApi } from '@aish/contracts/endpoints/access';
import { addressOf, certificatesIn } from '@aish/contracts/secrets';
import type { JSX } from 'preact';
import { call } from '../api.js';
import { CertificateField } from '../parts/certificate-field.js';
import { Age, Card, Field, Nothing, Screen, may } from '../parts/frame.js';
import { MaskedInput } from '../parts/masked-input.js';
import { RemoveButton } from '../parts/remove-button.js';
import { Loaded, useResource } from '../parts/resource.js';
import { RowForm } from '../parts/row-form.js';
import { T } from '../texts.js';

export default function Secrets(): JSX.Element {
  const secrets = useResource(secretsApi.list, {}, true);
  return (
    <Screen title={T.secrets.title}>
      <p class="s-dim">{T.secrets.help}</p>
      <Loaded of={secrets}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>{T.secrets.none}</Nothing>
          ) : (
            <Card>
              <ul class="rows">
                {items.map(({ name, targets, setBy, setAt }) => (
                  <li key={name} class="row still">
                    <span class="row-main">
                      <code class="row-title">{name}</code>
                      <span class="row-note">
                        {targets.map(addressOf).join(' ')} · {setBy} · <Age at={setAt} />
                      </span>
                    </span>
                    {may('admin') ? (
                      <RemoveButton
                        remove={() => call(secretsApi.remove, { params: { name } })}
                        done={secrets.reload}
                      />
                    ) : null}
                  </li>
                ))}
              </ul>
            </Card>
          )
        }
      </Loaded>
      {may('admin') ? (
        <RowForm
          title={T.secrets.set}
          send={async (value) => {
            const target = { host: value('host').toLowerCase(), port: Number(value('port')) };
            await call(secretsApi.set, {
              params: { name: value('name') },
              body: { value: value('value'), targets: [target], certificate: certificateOf(value('certificate')) },
            });
            secrets.reload();
          }}
        >
          <div class="grid">
            <Field label={T.secrets.name}>
              <input name="name" class="mono" required pattern="[A-Z][A-Z0-9_]*" placeholder="GRAFANA_TOKEN" />
            </Field>
            <Field label={T.secrets.host}>
              <input name="host" required placeholder="grafana.lan" />
            </Field>
            <Field label={T.secrets.port}>
              <input name="port" type="number" inputMode="numeric" required min={1} max={65_535} defaultValue="443" />
            </Field>
          </div>
          <Field label={T.secrets.value}>
            <MaskedInput name="value" minLength={8} required />
          </Field>
          <CertificateField />
        </RowForm>
      ) : null}
    </Screen>
  );
}

/** @throws Error if the field has a text that is not a certificate */
function certificateOf(text: string): string | null {
  if (text === '') return null;
  const found = certificatesIn(text);
  if (found === null) throw new Error(T.certificate.unreadable);
  return found;
}
