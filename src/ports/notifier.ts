import type { Notice } from '../domain/notification/notice.ts'

/**
 * The result of one try. `error` is the reason for the event log; it contains neither the notice
 * nor more of an address than its origin, since the rest may be a key.
 */
export type Delivery =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: string; readonly retryable: boolean }

/**
 * Tells a person outside of Drydock. A process that ends between a delivery and its commit causes
 * the same notice to be delivered again, so a receiver recognizes duplicates by the notice's id.
 * Never rejects. Ends within `limits.notify.timeoutMs`, and soon after the signal is aborted.
 */
export interface Notifier {
  readonly name: 'webhook' | 'command'
  deliver(notice: Notice, signal: AbortSignal): Promise<Delivery>
  /**
   * Describes the hook and its problem, as far as both can be found without a delivery. `problem`
   * is null when there is none.
   */
  check(): Promise<{ readonly found: string; readonly problem: string | null }>
}
