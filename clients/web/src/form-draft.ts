import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { draftOf, keepDraft } from './drafts.js';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export interface FormDraft {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly keep: () => void;
  /** Must be called after the form was sent. */
  readonly forget: () => void;
  /** Must be called after the form was sent and is empty again for the next entry. */
  readonly empty: () => void;
}

/** Stores the text that is typed into the named fields of a form. Secrets are not stored. */
export function useFormDraft(name: string): FormDraft {
  const form = useRef<HTMLFormElement>(null);
  const filled = useRef(new WeakSet<Control>());
  // Fields and choices may appear later, for example names that the api lists. They are filled when they appear.
  useEffect(() => {
    const missing = controlsOf(form.current).filter((control) => !filled.current.has(control));
    if (missing.length === 0) return;
    const values = readValues(name);
    for (const control of missing) {
      const value = values[control.name];
      if (value === undefined || fill(control, value)) filled.current.add(control);
    }
  });
  return {
    form,
    keep: () => {
      // A focused field fires a change event when it is removed from the page. That event must not store anything.
      if (form.current === null) return;
      const values = controlsOf(form.current).flatMap((control) => {
        const value = valueOf(control);
        return value === initialOf(control) ? [] : [[control.name, value]];
      });
      keepDraft(name, values.length === 0 ? '' : JSON.stringify(Object.fromEntries(values)));
    },
    forget: () => keepDraft(name, ''),
    empty: () => {
      form.current?.reset();
      for (const control of controlsOf(form.current)) control.dispatchEvent(new Event('input', { bubbles: true }));
      controlsOf(form.current)[0]?.focus();
      keepDraft(name, '');
    },
  };
}

function controlsOf(form: HTMLFormElement | null): readonly Control[] {
  return Array.from(form?.elements ?? []).filter(
    (each): each is Control =>
      (each instanceof HTMLInputElement || each instanceof HTMLTextAreaElement || each instanceof HTMLSelectElement) &&
      each.name !== '' &&
      each.type !== 'password' &&
      !('secret' in each.dataset),
  );
}

function isTick(control: Control): control is HTMLInputElement {
  return control instanceof HTMLInputElement && control.type === 'checkbox';
}

function valueOf(control: Control): string {
  return isTick(control) ? String(control.checked) : control.value;
}

function initialOf(control: Control): string {
  if (isTick(control)) return String(control.defaultChecked);
  if (!(control instanceof HTMLSelectElement)) return control.defaultValue;
  const options = Array.from(control.options);
  return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value ?? '';
}

/** @returns whether the field already accepts this value */
function fill(control: Control, value: string): boolean {
  if (valueOf(control) === value) return true;
  if (isTick(control)) control.checked = value === 'true';
  else {
    const before = control.value;
    control.value = value;
    if (control.value !== value) {
      control.value = before;
      return false;
    }
  }
  // Restored text must be visible.
  control.closest('details')?.setAttribute('open', '');
  control.dispatchEvent(new Event('input', { bubbles: true }));
  return true;
}

function readValues(name: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(draftOf(name)) as Readonly<Record<string, string>>;
  } catch {
    return {};
  }
}
