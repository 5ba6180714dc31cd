import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  KnowledgeGraph,
  KnowledgeGraphQuery,
  KnowledgeHits,
  KnowledgeNode,
  KnowledgeQuery,
  KnowledgeWrite,
  RememberNode,
} from '@aish/contracts/knowledge';
import {
  ApplyKnowledgePlan,
  InitKnowledge,
  KnowledgeCurationReport,
  KnowledgeDoctorReport,
  KnowledgeInit,
  KnowledgeOperation,
  KnowledgePlan,
  KnowledgePushResult,
  KnowledgeStatusReport,
  KnowledgeSyncRequest,
  KnowledgeSyncResult,
} from '@aish/contracts/knowledge-upkeep';
import { KnowledgeLintReport } from '@aish/contracts/knowledge-lint';
import { AishError } from '@aish/contracts/problems';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { scopeOf, type Caller } from '@aish/knowledge';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { KnowledgeService, type Curator } from './knowledge.service.js';

const READ_TIMEOUT_MS = 30_000;
/** A write may wait for others and for a remote. */
const WRITE_TIMEOUT_MS = 120_000;
/** What reads every node, or all of them again. */
const WHOLE_TIMEOUT_MS = 900_000;

@ApiTags('knowledge')
@ApiBearerAuth()
@Controller('v1/knowledge')
export class KnowledgeController {
  constructor(private readonly knowledge: KnowledgeService) {}

  @Get('status')
  @Needs('observe')
  @ApiOperation({ summary: 'What there is, and one line when it needs somebody' })
  @ApiOkResponse({ standardSchema: KnowledgeStatusReport })
  status(@CurrentToken() token: ApiTokenRow): Promise<KnowledgeStatusReport> {
    return this.knowledge.status(callerOf(token), AbortSignal.timeout(READ_TIMEOUT_MS));
  }

  @Get('nodes')
  @Needs('observe')
  @ApiOperation({ summary: 'Search nodes; without text all of them, newest first' })
  @ApiOkResponse({ standardSchema: KnowledgeHits })
  query(
    @CurrentToken() token: ApiTokenRow,
    @Query({ schema: KnowledgeQuery }) query: KnowledgeQuery,
  ): Promise<KnowledgeHits> {
    return this.knowledge.query(query, callerOf(token), AbortSignal.timeout(READ_TIMEOUT_MS));
  }

  @Get('nodes/:id')
  @Needs('observe')
  @ApiOperation({ summary: 'One node with its links and with what leads to it' })
  @ApiOkResponse({ standardSchema: KnowledgeNode })
  read(@CurrentToken() token: ApiTokenRow, @Param('id', { schema: z.uuid() }) id: string): Promise<KnowledgeNode> {
    return this.knowledge.read(id, callerOf(token), AbortSignal.timeout(READ_TIMEOUT_MS));
  }

  @Post('nodes')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Write a node, or change one: fetch, lint, commit' })
  @ApiOkResponse({ standardSchema: KnowledgeWrite })
  remember(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: RememberNode }) input: RememberNode,
  ): Promise<KnowledgeWrite> {
    mayLetThrough(token, input);
    return this.knowledge.remember(input, callerOf(token), AbortSignal.timeout(WRITE_TIMEOUT_MS));
  }

  @Post('lint')
  @HttpCode(200)
  @Needs('observe')
  @ApiOperation({ summary: 'Check every node, the index and all captures' })
  @ApiOkResponse({ standardSchema: KnowledgeLintReport })
  lint(@CurrentToken() token: ApiTokenRow): Promise<KnowledgeLintReport> {
    return this.knowledge.lint(callerOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Post('index')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Make the index files anew from the nodes' })
  @ApiOkResponse({ standardSchema: KnowledgeWrite })
  index(@CurrentToken() token: ApiTokenRow): Promise<KnowledgeWrite> {
    return this.knowledge.regenerateIndex(callerOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Post('sync')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Bring the index in Postgres to the newest commit, or make it anew' })
  @ApiOkResponse({ standardSchema: KnowledgeSyncResult })
  sync(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: KnowledgeSyncRequest }) { full }: KnowledgeSyncRequest,
  ): Promise<KnowledgeSyncResult> {
    return this.knowledge.sync(full, callerOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Get('doctor')
  @Needs('observe')
  @ApiOperation({ summary: 'Look at everything that can be wrong' })
  @ApiOkResponse({ standardSchema: KnowledgeDoctorReport })
  doctor(@CurrentToken() token: ApiTokenRow): Promise<KnowledgeDoctorReport> {
    return this.knowledge.doctor(callerOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Get('curation')
  @Needs('observe')
  @ApiOperation({ summary: 'What a person should look at' })
  @ApiOkResponse({ standardSchema: KnowledgeCurationReport })
  curation(@CurrentToken() token: ApiTokenRow): Promise<KnowledgeCurationReport> {
    return this.knowledge.curate(callerOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Post('plans')
  @HttpCode(200)
  @Needs('observe')
  @ApiOperation({ summary: 'What a merge, split, supersede or delete would do; does nothing' })
  @ApiOkResponse({ standardSchema: KnowledgePlan })
  plan(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: KnowledgeOperation }) operation: KnowledgeOperation,
  ): Promise<KnowledgePlan> {
    return this.knowledge.plan(operation, curatorOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Post('plans/apply')
  @HttpCode(200)
  @Needs('decide')
  @ApiOperation({ summary: 'Do what was planned, in one commit; for people' })
  @ApiOkResponse({ standardSchema: KnowledgeWrite })
  apply(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: ApplyKnowledgePlan }) { planId, operation }: ApplyKnowledgePlan,
  ): Promise<KnowledgeWrite> {
    return this.knowledge.apply(planId, operation, curatorOf(token), AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Get('graph')
  @Needs('observe')
  @ApiOperation({ summary: 'Nodes and links as DOT or SVG' })
  @ApiOkResponse({ standardSchema: KnowledgeGraph })
  graph(
    @CurrentToken() token: ApiTokenRow,
    @Query({ schema: KnowledgeGraphQuery }) query: KnowledgeGraphQuery,
  ): Promise<KnowledgeGraph> {
    return this.knowledge.graph(query, callerOf(token), AbortSignal.timeout(READ_TIMEOUT_MS));
  }

  @Post('push')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Push now, also after a rejection that somebody has looked at' })
  @ApiOkResponse({ standardSchema: KnowledgePushResult })
  push(): Promise<KnowledgePushResult> {
    return this.knowledge.push(true, AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }

  @Post('init')
  @HttpCode(200)
  @Needs('admin')
  @ApiOperation({ summary: 'Make or adopt the repository; a second time changes nothing' })
  @ApiOkResponse({ standardSchema: KnowledgeInit })
  init(@Body({ schema: InitKnowledge }) { remote }: InitKnowledge): Promise<KnowledgeInit> {
    return this.knowledge.init(remote, AbortSignal.timeout(WHOLE_TIMEOUT_MS));
  }
}

function callerOf(token: ApiTokenRow): Caller {
  return { name: token.name, owner: token.owner, scope: scopeOf(token) };
}

/** @throws AishError `forbidden`: that something is no secret says a person who may decide. */
function mayLetThrough({ scopes, app }: ApiTokenRow, { allowSecrets }: RememberNode): void {
  const mayDecide = app === null && (scopes.includes('decide') || scopes.includes('admin'));
  if (allowSecrets !== true || mayDecide) return;
  throw new AishError('forbidden', 'Only a token with scope decide lets through what looks like a secret');
}

/** An app reaches no person's memory through the knowledge base. */
function curatorOf(token: ApiTokenRow): Curator {
  return { ...callerOf(token), memory: token.app === null ? token.owner : null };
}
