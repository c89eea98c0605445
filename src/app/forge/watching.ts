import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Forge } from '../../ports/forge.ts'
import type { ReceiptReader } from '../../ports/receipts.ts'
import type { ForgeCalls } from '../../ports/store.ts'
import type { Drydock } from '../drydock.ts'
import type { WorkOptions } from '../work-options.ts'

/** An action of a watcher, or a problem that it met; for people and programs. */
export interface WatchEvent {
  readonly what: 'issue_taken' | 'comment' | 'answer' | 'change' | 'remark' | 'question' | 'problem' | 'recovered'
  /** A whole sentence. */
  readonly text: string
  readonly run?: string
  readonly number?: number
  readonly url?: string
  /** The error code of a problem. */
  readonly code?: string
  readonly todo?: string
}

/** The dependencies of every part of a poll. */
export interface Watching {
  readonly drydock: Drydock
  readonly forge: Forge
  readonly calls: ForgeCalls
  readonly receipts: ReceiptReader
  /** The name of the remote in the user's repository. */
  readonly remote: string
  /** Issues with this label become tasks; issues with `<label>:run` become runs of a crew. */
  readonly label: string
  /** Options for the Runs that are started. */
  readonly options: WorkOptions
  readonly say: (event: WatchEvent) => void
  /**
   * True if an account has write access to the repository. The forge is asked at most once per
   * account and poll.
   */
  readonly mayWrite: (account: string) => Promise<boolean>
  /**
   * Does one part of a poll. If the forge refuses that part, reports the refusal and lets the other
   * parts continue.
   */
  readonly attempt: (about: string, work: () => Promise<void>) => Promise<void>
}

/** The prefix of the keys of all calls about a repository at a forge. */
export function placeOf({ name, project }: Pick<Forge, 'name' | 'project'>): string {
  return `${name}/${project}/`
}

interface WriterOptions {
  /**
   * The times until which accounts without access are not checked again, so that many strangers
   * cannot exhaust the rate limit.
   */
  readonly strangers: Map<string, number>
  /** The current time in milliseconds. */
  readonly now: number
}

/** Checks write access. Strangers and deleted accounts have none. */
export function createMayWrite(forge: Forge, { strangers, now }: WriterOptions): Watching['mayWrite'] {
  const asked = new Map<string, Promise<boolean>>()
  const permissionOf = async (account: string) => {
    try {
      return await forge.permissionOf(account)
    } catch (error) {
      if (error instanceof DrydockError && error.code === 'forge_not_found') return 'none'
      throw error
    }
  }
  const ask = async (account: string) => {
    if (account === '' || (strangers.get(account) ?? 0) > now) return false
    const may = ['admin', 'write'].includes(await permissionOf(account))
    if (!may) strangers.set(account, now + limits.forge.slowMs)
    if (strangers.size > limits.forge.strangers) strangers.clear()
    return may
  }
  return (account) => {
    const answer = asked.get(account) ?? ask(account)
    asked.set(account, answer)
    return answer
  }
}
