import type { Webhook, WebhookServing } from '../server/webhook/serve-webhook.ts'

/** Hears the webhooks of a forge. DrydockError `port_taken`. */
export async function serveWebhook(serving: WebhookServing): Promise<Webhook> {
  const server = await import('../server/webhook/serve-webhook.ts')
  return server.serveWebhook(serving)
}
