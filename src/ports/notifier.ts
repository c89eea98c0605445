import type { Notice } from '../domain/notification/notice.ts'

/**
 * One try. `error` says why for the event log: nothing of the notice, and of an address no more
 * than its origin, since the rest may be a key.
 */
export type Delivery =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: string; readonly retryable: boolean }

/**
 * Tells a person outside of Drydock. Whoever ended between a delivery and its commit hands the same
 * notice in again, so a receiver that must not hear twice goes by its id. Never rejects; is done
 * within `limits.notify.timeoutMs`, and soon after the signal is aborted.
 */
export interface Notifier {
  readonly name: 'webhook' | 'command'
  deliver(notice: Notice, signal: AbortSignal): Promise<Delivery>
  /**
   * What it is, and what stands in its way, as far as that shows without telling anybody; null for
   * nothing.
   */
  check(): Promise<{ readonly found: string; readonly problem: string | null }>
}
