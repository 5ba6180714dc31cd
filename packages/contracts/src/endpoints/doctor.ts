import { endpoint } from '../endpoint.js';
import { DoctorReport } from '../doctor.js';

export const doctorApi = {
  examine: endpoint('GET /v1/doctor', {
    scope: 'admin',
    summary: 'Looks at everything that aish stands on, and says what to do',
    answer: DoctorReport,
  }),
};
