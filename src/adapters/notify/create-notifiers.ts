import type { Notifier } from '../../ports/notifier.ts'
import { createCommand, type HookEnvironment } from './command.ts'
import { createWebhook } from './webhook.ts'

/** The notifiers in the user's configuration. */
export function createNotifiers(
  { webhook, command }: { readonly webhook?: string; readonly command?: readonly string[] },
  env: HookEnvironment,
): readonly Notifier[] {
  return [
    ...(webhook === undefined ? [] : [createWebhook({ url: webhook })]),
    ...(command === undefined ? [] : [createCommand({ argv: command, env })]),
  ]
}
