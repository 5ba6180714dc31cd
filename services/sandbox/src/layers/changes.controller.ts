import { ListChanges, type ChangeList } from '@aish/contracts/effects';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { Layers } from './layers.js';

const Id = z.uuid().toLowerCase();

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
