import { All, Controller, Injectable, Req, Res, type OnModuleDestroy } from '@nestjs/common';
import { allows, type Scope } from '@aish/contracts/tokens';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { McpEndpoint, OfferedTools } from '@aish/mcp';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiParts } from '../api.parts.js';
import { GoalsService } from '../goals/goals.service.js';
import { NewGoals } from '../goals/new-goals.js';
import { knowledgeTools } from '../knowledge/knowledge.offers.js';
import { memoryTools } from '../memory/memory.tools.js';
import { Part } from '../part.js';
import { GoalTasks } from './goal.tasks.js';
import { goalTools, safetyTools } from './goal.tools.js';
import { offeredResources } from './offered.resources.js';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { memoryCallerOf } from '../memory/caller.js';

const MAX_BODY_BYTES = 256 * 1024;

/** Serves aish as an MCP server, limited to the access of the token. */
@Injectable()
export class McpServing implements OnModuleDestroy {
  private readonly endpoint: McpEndpoint;

  constructor(given: NewGoals, goals: GoalsService, tasks: GoalTasks, @Part('all') parts: ApiParts) {
    const { memory, knowledge, logger } = parts;
    const tools = new OfferedTools()
      .add(...goalTools(given, goals), ...safetyTools(parts.safety), ...knowledgeTools(knowledge))
      .addFor(memoryTools(memory.parts));
    const resources = offeredResources(goals, knowledge.runbooks, memory.parts);
    const onError = (err: unknown): void => logger.warn({ err }, 'serving MCP');
    this.endpoint = McpEndpoint.of(
      { tools, resources, tasksOf: (caller) => tasks.of(caller) },
      { hosts: parts.mcpHosts, onError, maxBodyBytes: MAX_BODY_BYTES },
    );
  }

  async answer(request: FastifyRequest, reply: FastifyReply, token: ApiTokenRow): Promise<void> {
    reply.hijack();
    const mayUse = ({ needs }: { readonly needs: string | readonly string[] }) =>
      [needs].flat().some((scope) => allows(token.scopes, scope as Scope));
    const caller = { name: token.name, memory: memoryCallerOf(token), mayUse };
    await this.endpoint.handle(request.raw, reply.raw, caller, request.body ?? undefined);
  }

  onModuleDestroy(): Promise<void> {
    return this.endpoint.close();
  }
}

@Controller('mcp')
export class EndpointController {
  constructor(private readonly serving: McpServing) {}

  @All()
  @Needs('any token')
  serve(@CurrentToken() token: ApiTokenRow, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serving.answer(request, reply, token);
  }
}
