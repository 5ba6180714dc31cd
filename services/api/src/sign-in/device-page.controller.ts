import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Needs } from '../http/needs.decorator.js';
import { PAGE_HEADERS, page } from '../http/page.js';

/** The page asks for nothing: a token typed into a browser is one that a page could be made to ask for. */
const HOW_TO = page(
  'let a device in',
  `<p>On the server, or wherever aish is signed in as an admin, type</p>
<pre>aish token approve CODE</pre>
<p>with the code that your device shows. With Docker Compose: <code>docker compose exec api aish token approve CODE</code>.
Say yes only to a device that is in front of you.</p>`,
);

@Controller('device')
export class DevicePageController {
  @Get()
  @Needs('nothing')
  async page(@Res() reply: FastifyReply): Promise<void> {
    await reply.headers(PAGE_HEADERS).send(HOW_TO);
  }
}
