import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DoctorReport } from '@aish/contracts/doctor';
import { Needs } from '../http/needs.decorator.js';
import { DoctorService } from './doctor.service.js';

@ApiTags('health')
@ApiBearerAuth()
@Controller('v1/doctor')
export class DoctorController {
  constructor(private readonly doctor: DoctorService) {}

  @Get()
  @Needs('admin')
  @ApiOperation({ summary: 'Looks at everything that aish stands on, and says what to do' })
  @ApiOkResponse({ standardSchema: DoctorReport })
  examine(): Promise<DoctorReport> {
    return this.doctor.examine();
  }
}
