import { SettleHeld } from '@aish/contracts/runs';
import { Body, Controller, HttpCode, Param, Put } from '@nestjs/common';
import { z } from 'zod';
import { Holds } from './holds.js';

const Id = z.uuid().toLowerCase();

@Controller('v1/workspaces/:id/held/:runId')
export class HoldsController {
  constructor(private readonly holds: Holds) {}

  @Put()
  @HttpCode(204)
  settle(
    @Param('id', { schema: Id }) id: string,
    @Param('runId', { schema: Id }) runId: string,
    @Body({ schema: SettleHeld }) verdict: SettleHeld,
  ): Promise<void> {
    return this.holds.settle(id, runId, verdict);
  }
}
