import { ListChanges, type ChangeList } from '@aish/contracts/effects';
import { SettleHeld } from '@aish/contracts/runs';
import { Body, Controller, Get, HttpCode, Param, Put, Query } from '@nestjs/common';
import { z } from 'zod';
import { StashedPreviews } from '../runs/stashed.previews.js';
import { Holds } from './holds.js';
import { Layers } from './layers.js';

const Id = z.uuid().toLowerCase();

@Controller('v1/workspaces/:id/held/:runId')
export class HoldsController {
  constructor(
    private readonly holds: Holds,
    private readonly kept: StashedPreviews,
  ) {}

  /** Settles the changes of a command. For a command that has not begun, `drop` drops its stashed preview. */
  @Put()
  @HttpCode(204)
  async settle(
    @Param('id', { schema: Id }) id: string,
    @Param('runId', { schema: Id }) runId: string,
    @Body({ schema: SettleHeld }) verdict: SettleHeld,
  ): Promise<void> {
    if (verdict.verdict === 'drop') await this.kept.drop(id, runId);
    await this.holds.settle(id, runId, verdict);
  }
}

@Controller('v1/workspaces/:id/changes/:runId')
export class ChangesController {
  constructor(private readonly layers: Layers) {}

  @Get()
  list(
    @Param('id', { schema: Id }) id: string,
    @Param('runId', { schema: Id }) runId: string,
    @Query({ schema: ListChanges }) page: ListChanges,
  ): Promise<ChangeList> {
    return this.layers.changes(id, runId, page);
  }
}
