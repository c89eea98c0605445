import type { Drydock } from '../../../app/drydock.ts'
import type { ForgeWatch } from '../../../app/forge/watch-forge.ts'
import type { WatchEvent } from '../../../app/forge/watching.ts'
import type { Installation } from '../../../app/installation.ts'
import { createBell } from '../../../app/wait/bell.ts'
import { serveWebhook } from '../../../compose/serve-webhook.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { knownForges } from '../../../domain/forge/known-forges.ts'
import { limits } from '../../../domain/limits.ts'
import type { CommonOptions, Context } from '../../context.ts'

export interface WatchOptions {
  readonly remote?: string
  readonly forge?: string
  readonly label?: string
  /** Seconds between polls. */
  readonly interval?: number
}

interface PreparedWatch {
  /** Call this after each commit. */
  readonly onChange: () => void
  watch(until: Pick<ForgeWatch, 'stop' | 'ends' | 'onReady'>): Promise<void>
}

/** Prepares a watcher that reports its actions on the screen. */
export function prepareWatch(
  { output, terminal }: Context,
  drydock: Drydock,
  options: CommonOptions & WatchOptions,
): PreparedWatch {
  const bell = createBell({ settleMs: limits.forge.settleMs })
  const { remote = 'origin', forge: name = null, label, interval } = options
  const say = (event: WatchEvent) => {
    const { text, todo } = event
    output.emit({ type: 'forge', ...event })
    output.note(todo === undefined ? text : `${text}\n  ${todo}`)
  }
  return {
    onChange: bell.ring,
    async watch(until) {
      // Loaded only here, so that other commands start faster.
      const { watchForge } = await import('../../../app/forge/watch-forge.ts')
      const receipts = await drydock.openReceipts()
      const listen = (forge: string) => listenFor(drydock, { forge, env: terminal.env, onSigned: bell.hurry })
      await watchForge(drydock, { ...until, receipts, remote, name, label, interval, options, say, bell, listen })
    },
  }
}

interface Listening {
  readonly forge: string
  readonly env: Context['terminal']['env']
  readonly onSigned: () => void
}

/**
 * Starts to listen for webhooks; null if the user has not configured any. Throws DrydockError
 * `port_taken`, `no_forge_token`.
 */
async function listenFor({ user }: Pick<Installation, 'user'>, { forge, env, onSigned }: Listening) {
  const { kind, watch } = user.forges[forge] ?? {}
  if (watch?.webhook === undefined) return null
  const { port, secret_env: variable } = watch.webhook
  const secret = env[variable]?.trim() ?? ''
  if (secret === '') {
    throw new DrydockError('no_forge_token', `There is no secret for webhooks of ${forge}: ${variable} is not set.`, {
      todo: `Set it to the secret that the forge signs with, or remove forges.${forge}.watch.webhook from ${user.file}.`,
    })
  }
  const known = kind ?? knownForges[forge]?.kind
  return known === undefined ? null : serveWebhook({ kind: known, port, secret, onSigned })
}
