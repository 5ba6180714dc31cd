import { doctorApi } from '@aish/contracts/endpoints/server';
import { Serve } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { DoctorService } from './doctor.service.js';

@Controller()
export class DoctorController {
  constructor(private readonly doctor: DoctorService) {}

  @Serve(doctorApi.examine)
  examine() {
    return this.doctor.examine();
  }
}
