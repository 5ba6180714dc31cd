import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Classification, SafetyCheck, SafetyRuleList } from '@aish/contracts/safety';
import { Needs } from '../http/needs.decorator.js';
import { SafetyService } from './safety.service.js';

const CHECK_TIMEOUT_MS = 30_000;

@ApiTags('safety')
@ApiBearerAuth()
@Controller('v1/safety')
export class SafetyController {
  constructor(private readonly safety: SafetyService) {}

  @Get('patterns')
  @Needs('observe')
  @ApiOperation({ summary: 'The rules that stop a command' })
  @ApiOkResponse({ standardSchema: SafetyRuleList })
  patterns(): SafetyRuleList {
    return { items: this.safety.rules() };
  }

  @Post('check')
  @HttpCode(200)
  @Needs('observe')
  @ApiOperation({ summary: 'What the safety gate says about a command or tool call; runs nothing' })
  @ApiOkResponse({ standardSchema: Classification })
  check(@Body({ schema: SafetyCheck }) check: SafetyCheck): Promise<Classification> {
    return this.safety.check(check, AbortSignal.timeout(CHECK_TIMEOUT_MS));
  }
}
