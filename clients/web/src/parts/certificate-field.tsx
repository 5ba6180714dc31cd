import { CERTIFICATES_MAX_CHARS } from '@aish/contracts/secrets';
import type { JSX } from 'preact';
import { T } from '../texts.js';
import { Field } from './frame.js';

/** A field for the certificates (PEM) of a server without a public certificate. Otherwise it stays empty. */
export function CertificateField(): JSX.Element {
  return (
    <Field label={T.certificate.label} help={T.certificate.help}>
      <textarea name="certificate" class="mono" rows={2} maxLength={CERTIFICATES_MAX_CHARS} spellcheck={false} />
    </Field>
  );
}
