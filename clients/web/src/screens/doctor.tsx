import { doctorApi } from '@aish/contracts/endpoints/server';
import type { DoctorCheck } from '@aish/contracts/doctor';
import { oneLine } from '@aish/views/sanitise';
import type { JSX } from 'preact';
import { Card, Screen } from '../parts/frame.js';
import { Loaded, useResource } from '../parts/resource.js';
import { T } from '../texts.js';

const LOOKS: Readonly<Record<DoctorCheck['state'], readonly [sign: string, style: string]>> = {
  ok: ['✓', 's-good'],
  off: ['–', 's-dim'],
  warning: ['!', 's-warn'],
  error: ['✗', 's-bad'],
};

export default function Doctor(): JSX.Element {
  const report = useResource(doctorApi.examine, {});
  return (
    <Screen
      title={T.doctor.title}
      tools={
        <button type="button" onClick={report.reload}>
          {T.doctor.again}
        </button>
      }
    >
      <Loaded of={report}>
        {({ checks }) => (
          <Card>
            <ul class="rows">
              {checks.map(({ name, state, detail, advice }) => (
                <li key={name} class="row still">
                  <span class="row-main">
                    <span class="row-title">{name}</span>
                    <span class="row-note wrap">{oneLine(detail)}</span>
                    {advice === null ? null : <span class="s-warn">{oneLine(advice)}</span>}
                  </span>
                  <span class={`row-side ${LOOKS[state][1]}`}>
                    {LOOKS[state][0]} {state}
                  </span>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </Loaded>
    </Screen>
  );
}
