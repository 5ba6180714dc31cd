import { Part } from '../part.js';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DecisionReference, GoalReference, SessionReference } from '@aish/contracts/goals';
import { checkRole, type SpaceRole } from '@aish/contracts/space-roles';
import type { Scope } from '@aish/contracts/tokens';
import type { Database } from '@aish/database/client';
import { findSpaceOf, type InSpace } from '@aish/database/spaces.repository';
import { z } from 'zod';
import { CONFIRMS_ACCESS, NEEDED_SCOPE, type AuthorizedRequest } from '../http/needs.decorator.js';

const REFERENCES: Readonly<Record<InSpace, z.ZodType<string>>> = {
  sessions: SessionReference,
  goals: GoalReference,
  decisions: DecisionReference,
  actions: z.uuid(),
};
const ROLES: Partial<Record<Scope | 'any token' | 'nothing', SpaceRole>> = { operate: 'use', decide: 'decide' };

/** Refuses people without a role in the space that a route changes. This guard runs after the token guard. */
@Injectable()
export class SpaceGuard implements CanActivate {
  private readonly reflector = new Reflector();

  constructor(@Part('db') private readonly db: Database) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.get<boolean | undefined>(CONFIRMS_ACCESS, context.getHandler()) === true) return true;
    const { token, params, routeOptions } = context.switchToHttp().getRequest<AuthorizedRequest>();
    const scope = this.reflector.get<Scope | 'any token' | 'nothing'>(NEEDED_SCOPE, context.getHandler());
    const role = ROLES[scope];
    const [, kind, parameter] = /^\/v1\/(sessions|goals|decisions|actions)\/:(\w+)/.exec(routeOptions.url ?? '') ?? [];
    if (token === undefined || role === undefined || kind === undefined || parameter === undefined) return true;
    const wanted = REFERENCES[kind as InSpace].safeParse((params as Record<string, unknown>)[parameter]);
    // The route itself refuses invalid and unknown names.
    const space = wanted.success ? await findSpaceOf(this.db.statements, kind as InSpace, wanted.data) : null;
    if (space !== null) checkRole(space, token, role);
    return true;
  }
}
