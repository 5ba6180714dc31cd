import { briefApi } from '@aish/contracts/endpoints/lab';
import { Controller } from '@nestjs/common';
import { Serve, type Call } from '../http/serve.js';
import { BriefScheduleService } from './brief-schedule.service.js';
import { BriefService } from './brief.service.js';
import { FindingFixer } from './finding-fixer.js';

@Controller()
export class BriefController {
  constructor(
    private readonly briefs: BriefService,
    private readonly schedules: BriefScheduleService,
    private readonly fixer: FindingFixer,
  ) {}

  @Serve(briefApi.show)
  show() {
    return this.briefs.show(new Date());
  }

  @Serve(briefApi.run)
  run({ gone }: Call<typeof briefApi.run>) {
    return this.briefs.run(gone);
  }

  @Serve(briefApi.changes)
  async changes({ query }: Call<typeof briefApi.changes>) {
    return { items: [...(await this.briefs.changes(query))] };
  }

  @Serve(briefApi.mute)
  mute({ token, params: { id }, body: { until } }: Call<typeof briefApi.mute>) {
    return this.briefs.mute(token.name, id, until === null ? null : new Date(until));
  }

  @Serve(briefApi.fix)
  fix({ token, params: { id } }: Call<typeof briefApi.fix>) {
    return this.fixer.fix(token, id);
  }

  @Serve(briefApi.rules)
  async rules() {
    return { yaml: await this.briefs.rulesText() };
  }

  @Serve(briefApi.setRules)
  async setRules({ token, body: { yaml } }: Call<typeof briefApi.setRules>) {
    await this.briefs.setRules(token.name, yaml);
    return { yaml };
  }

  @Serve(briefApi.schedule)
  schedule() {
    return this.schedules.show(new Date());
  }

  @Serve(briefApi.setSchedule)
  setSchedule({ token, body }: Call<typeof briefApi.setSchedule>) {
    return this.schedules.set(token.name, body, new Date());
  }
}
