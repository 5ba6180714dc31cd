import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ShownSettingList, type ShownSetting } from '@aish/contracts/shown-settings';
import { Needs } from '../http/needs.decorator.js';

/** What this process was started with, without secrets. */
export class RunningSettings {
  constructor(readonly items: readonly ShownSetting[]) {}
}

@ApiTags('health')
@ApiBearerAuth()
@Controller('v1/settings')
export class SettingsController {
  constructor(private readonly running: RunningSettings) {}

  @Get()
  @Needs('admin')
  @ApiOperation({ summary: 'What the api runs with, who said it and what it means; of secrets only that they are set' })
  @ApiOkResponse({ standardSchema: ShownSettingList })
  list(): ShownSettingList {
    return { items: [...this.running.items] };
  }
}
