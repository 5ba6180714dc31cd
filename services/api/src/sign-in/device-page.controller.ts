import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Needs } from '../http/needs.decorator.js';
import { PAGE_HEADERS, page } from '../http/page.js';

/** The page asks for nothing: if people got used to typing a token into a browser, other pages could ask for it too. */
const HOW_TO = page(
  'approve a device',
  `<p>On the server, or wherever aish is signed in as an admin, type</p>
<pre>aish token approve CODE</pre>
<p>with the code that your device shows. With Docker Compose: <code>docker compose exec api aish token approve CODE</code>.
Approve only a device that is in front of you.</p>`,
);

@Controller('device')
export class DevicePageController {
  @Get()
  @Needs('nothing')
  async page(@Res() reply: FastifyReply): Promise<void> {
    await reply.headers(PAGE_HEADERS).send(HOW_TO);
  }
}
