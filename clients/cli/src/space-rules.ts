import { ApprovalRule, readApprovalRule } from '@aish/contracts/approvals';
import { parseWindow, type ChangeWindow } from '@aish/contracts/change-windows';
import { EscalationStep, readEscalationStep } from '@aish/contracts/escalation';
import { AishError } from '@aish/contracts/problems';

/** Parses windows such as `sat,sun 02:00-05:00 Europe/Berlin`. @throws AishError `invalid_body` */
export function readWindows(texts: readonly string[]): ChangeWindow[] {
  return unlessNone(texts).map(
    (text) => parseWindow(text) ?? refuse('--window', text, '"sat,sun 02:00-05:00 Europe/Berlin", or none'),
  );
}

/**
 * Parses rules such as `2 files.*,disks.*`, `2 destructive not-author` or `1 * not-author`. @throws AishError
 * `invalid_body`
 */
export function readApprovals(texts: readonly string[]): ApprovalRule[] {
  return unlessNone(texts).map((text) => {
    const { data } = ApprovalRule.safeParse(readApprovalRule(text));
    return data ?? refuse('--approve', text, '"2 files.*,disks.*", "2 destructive not-author", or none');
  });
}

/** Parses steps such as `30m mail bob@example.org` or `2h ntfy`. @throws AishError `invalid_body` */
export function readEscalation(texts: readonly string[]): EscalationStep[] {
  return unlessNone(texts).map((text) => {
    const { data } = EscalationStep.safeParse(readEscalationStep(text));
    return data ?? refuse('--escalate', text, '"30m mail bob@example.org", "2h ntfy", or none');
  });
}

function unlessNone(texts: readonly string[]): readonly string[] {
  return texts.length === 1 && texts[0] === 'none' ? [] : texts;
}

function refuse(option: string, text: string, right: string): never {
  throw new AishError('invalid_body', `${option} does not accept "${text}". Use ${right}`);
}
