import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Digest, ShowDigest } from '@aish/contracts/digest';
import { Needs } from '../http/needs.decorator.js';
import { Digests } from './digests.js';

@ApiTags('goals')
@ApiBearerAuth()
@Controller('v1/digest')
export class DigestController {
  constructor(private readonly digests: Digests) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'What happened in the last days: goals, HALTs, files, hosts, tokens' })
  @ApiOkResponse({ standardSchema: Digest })
  show(@Query({ schema: ShowDigest }) { days }: ShowDigest): Promise<Digest> {
    return this.digests.until(new Date(), days);
  }
}
