import { CERTIFICATES_MAX_CHARS } from '@aish/contracts/secrets';
import type { JSX } from 'preact';
import { T } from '../texts.js';
import { Field } from './frame.js';

/** Certificates (PEM) of a server that no public authority signed; empty where one did. */
export function CertificateField(): JSX.Element {
  return (
    <Field label={T.certificate.label} help={T.certificate.help}>
      <textarea name="certificate" class="mono" rows={2} maxLength={CERTIFICATES_MAX_CHARS} spellcheck={false} />
    </Field>
  );
}
