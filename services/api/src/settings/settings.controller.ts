import { settingsApi } from '@aish/contracts/endpoints/server';
import { Serve } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import type { ShownSetting } from '@aish/contracts/shown-settings';
import { Part } from '../part.js';

/** Serves the settings of this process, without secrets. */
@Controller()
export class SettingsController {
  constructor(@Part('settings') private readonly settings: readonly ShownSetting[]) {}

  @Serve(settingsApi.list)
  list() {
    return { items: [...this.settings] };
  }
}
