import type { Webhook, WebhookServing } from '../server/webhook/serve-webhook.ts'

/** Listens for a forge's webhooks. Throws DrydockError `port_taken`. */
export async function serveWebhook(serving: WebhookServing): Promise<Webhook> {
  const server = await import('../server/webhook/serve-webhook.ts')
  return server.serveWebhook(serving)
}
