import { KnowledgeWrite } from '@aish/contracts/knowledge';
import type { ApiClient } from './api.client.js';

/** Writes two nodes into the knowledge base. The second node links to the first. */
export async function rememberLinkedNodes(client: ApiClient): Promise<void> {
  const remember = (body: object): Promise<KnowledgeWrite> =>
    client.json(KnowledgeWrite, 'POST', '/v1/knowledge/nodes', {
      types: ['procedure'],
      projects: ['homelab'],
      ...body,
    });
  const { id } = await remember({
    title: 'Reload nginx',
    summary: 'A restart drops connections, a reload does not.',
  });
  await remember({
    title: 'Renew the certificates',
    summary: 'Once a quarter, on the proxy.',
    body: 'The new ones count after a reload.',
    links: [{ relation: 'RELATES_TO', id }],
  });
}
