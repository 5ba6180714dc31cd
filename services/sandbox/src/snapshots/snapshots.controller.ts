import { SnapshotRequest, UndoScope, type Snapshot, type SnapshotList, type UndoPreview } from '@aish/contracts/files';
import { untilGone } from '@aish/http';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { SnapshotsService } from './snapshots.service.js';

const Id = z.uuid().toLowerCase();

@Controller('v1/workspaces/:id/snapshots')
export class SnapshotsController {
  constructor(private readonly snapshots: SnapshotsService) {}

  @Get()
  async list(@Param('id', { schema: Id }) id: string): Promise<SnapshotList> {
    return { items: [...(await this.snapshots.list(id))] };
  }

  @Get(':actionId')
  previewUndo(
    @Param('id', { schema: Id }) id: string,
    @Param('actionId', { schema: Id }) actionId: string,
    @Query({ schema: UndoScope }) scope: UndoScope,
  ): Promise<UndoPreview> {
    return this.snapshots.previewUndo(id, actionId, scope);
  }

  @Post()
  @HttpCode(200)
  take(
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: SnapshotRequest }) { actionId }: SnapshotRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Snapshot> {
    return this.snapshots.take(id, actionId, untilGone(reply));
  }

  /** Completes an undo that has begun, even if the client disconnects, because a half-restored workspace is useless. */
  @Post(':actionId/restore')
  @HttpCode(200)
  restore(
    @Param('id', { schema: Id }) id: string,
    @Param('actionId', { schema: Id }) actionId: string,
    @Query({ schema: UndoScope }) scope: UndoScope,
  ): Promise<Snapshot> {
    return this.snapshots.restore(id, actionId, scope, new AbortController().signal);
  }

  @Delete(':actionId')
  @HttpCode(204)
  remove(@Param('id', { schema: Id }) id: string, @Param('actionId', { schema: Id }) actionId: string): Promise<void> {
    return this.snapshots.remove(id, actionId);
  }
}
