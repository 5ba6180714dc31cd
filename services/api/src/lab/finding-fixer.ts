import { Injectable } from '@nestjs/common';
import { CreateGoal, type Goal } from '@aish/contracts/goals';
import { hasRole } from '@aish/contracts/space-roles';
import type { Database } from '@aish/database/client';
import { listSpaces } from '@aish/database/spaces.repository';
import { NewGoals } from '../goals/new-goals.js';
import { Part } from '../part.js';
import type { Person } from '../spaces/space-access.js';
import { BriefService } from './brief.service.js';
import { fixGoal } from './fix-goal.js';

/** Creates goals that fix findings. */
@Injectable()
export class FindingFixer {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly briefs: BriefService,
    private readonly goals: NewGoals,
  ) {}

  /**
   * Creates a goal in a space that has access to the host. If there is no such space, only the goal gets access.
   * @throws AishError `finding_gone`, and as `NewGoals.create`
   */
  async fix(by: Person, id: string): Promise<Goal> {
    const finding = await this.briefs.finding(id, new Date());
    const { text, author, notices } = fixGoal(finding);
    const spaces = await listSpaces(this.db.statements);
    const space = spaces.find((each) => each.hosts.includes(finding.host) && hasRole(each, by, 'use'));
    const place = space === undefined ? { hosts: [finding.host] } : { space: space.name };
    return this.goals.create(by, CreateGoal.parse({ text, ...place }), { author, notices });
  }
}
