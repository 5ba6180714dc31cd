import { Module } from '@nestjs/common';
import { HostsController } from '../hosts/hosts.controller.js';
import { HostsService } from '../hosts/hosts.service.js';
import { ImagesController } from '../images/images.controller.js';
import { ImagesService } from '../images/images.service.js';
import { SecretsController } from '../secrets/secrets.controller.js';
import { SecretsService } from '../secrets/secrets.service.js';
import { SpacesController } from './spaces.controller.js';
import { SpacesService } from './spaces.service.js';

@Module({
  controllers: [SpacesController, SecretsController, ImagesController, HostsController],
  providers: [SpacesService, SecretsService, ImagesService, HostsService],
  exports: [SpacesService, SecretsService, ImagesService, HostsService],
})
export class SpacesModule {}
