import { settingsApi } from '@aish/contracts/endpoints/server';
import { Serve } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { type ShownSetting } from '@aish/contracts/shown-settings';

/** What this process was started with, without secrets. */
export class RunningSettings {
  constructor(readonly items: readonly ShownSetting[]) {}
}

@Controller()
export class SettingsController {
  constructor(private readonly running: RunningSettings) {}

  @Serve(settingsApi.list)
  list() {
    return { items: [...this.running.items] };
  }
}
