import type { Classification, SafetyCheck, SafetyRule } from '@aish/contracts/safety';
import type { SafetyGate } from '@aish/actions';
import type { UserRule } from '@aish/contracts/config/user-rules';
import { RULES, classify } from '@aish/safety';

export class SafetyService {
  constructor(
    private readonly gate: SafetyGate,
    private readonly userRules: readonly UserRule[],
  ) {}

  /** Returns the verdict that the gate would give in a goal, including the second opinion. Runs nothing. */
  async check(check: SafetyCheck, signal: AbortSignal): Promise<Classification> {
    if ('command' in check) return this.gate.judge(check.command, 'probe', signal);
    return this.gate.judgeToolCall({ name: check.tool, args: check.arguments }, 'probe', signal);
  }

  /** Returns the verdict of the rules alone. */
  classify(command: string): Classification {
    return classify(command, { rules: this.userRules });
  }

  /** Returns the active rules. Configured rules come first. */
  rules(): SafetyRule[] {
    const own = this.userRules.map(({ id, title, reason }) => ({ id, title, why: reason, severity: 'own' }));
    return [...own, ...RULES.map(({ id, title, why, severity }) => ({ id, title, why, severity }))];
  }
}
