import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { acceptMessage } from '@aish/database/accept-message.repository';
import { connectDatabase } from '@aish/database/client';
import { Body, Controller, HttpCode, Module, Param, Post, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';

/**
 * This is the minimum that a program of this kind can do: NestJS on Fastify takes a message, stores it with the same
 * durable statement as aish, asks the endpoint and forwards the response byte by byte. The program has no validation,
 * limits, memory, tools or events, and does not store the answer. It prints its port, and ends on SIGTERM.
 */
const [endpoint = '', databaseUrl = '', tokenId = ''] = process.argv.slice(2);
const db = connectDatabase(databaseUrl);
const agent = new http.Agent({ keepAlive: true });

function ask(text: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    http
      .request(`${endpoint}/v1/chat/completions`, { method: 'POST', agent, headers }, resolve)
      .on('error', reject)
      .end(JSON.stringify({ model: 'relay', messages: [{ role: 'user', content: text }], stream: true }));
  });
}

@Controller()
class BareController {
  @Post('chats/:id/messages')
  @HttpCode(200)
  async send(
    @Param('id') id: string,
    @Body() { text }: { readonly text: string },
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await acceptMessage(db, id, { text, by: 'bare', title: 'bare', tokenId });
    const answer = await ask(text);
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
    await pipeline(answer, reply.raw);
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

const app = await NestFactory.create(BareModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
const stop = async (): Promise<void> => {
  await app.close();
  await db.close();
  agent.destroy();
};
process.once('SIGTERM', () => void stop());
console.log(String(((app.getHttpServer() as http.Server).address() as AddressInfo).port));
